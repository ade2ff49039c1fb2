#include "cli/command.hpp"
#include "cli/kernels.hpp"

namespace grappa::cli {
namespace {

constexpr std::string_view kKernels = "Kernels: grappa KERNEL GRAPH [options]";
constexpr std::string_view kGraphs = "Graphs";
constexpr std::string_view kData = "Data";
constexpr std::string_view kRest = "Other";

std::vector<Command> make_commands() {
  std::vector<Command> all;
  for (const KernelEntry& entry : kernels()) {
    all.push_back({entry.name, kKernels, entry.summary, [&entry](const Arguments& arguments) {
                     return run_kernel(entry.name, *entry.make(), arguments);
                   }});
  }
  all.insert(
      all.end(),
      {{"info", kGraphs, "what a graph is like: size, degrees, weights, memory", run_info},
       {"generate", kGraphs, "make a graph and write it to a file", run_generate},
       {"convert", kGraphs, "write a graph in another format", run_convert},
       {"sql", kData, "questions about tables in files, in SQL", run_sql},
       {"datalog", kData, "relations by rules, in Datalog over facts in files", run_datalog},
       {"wordcount", kData, "how often the words of texts occur", run_wordcount},
       {"kmeans", kData, "points in groups around centers", run_kmeans},
       {"sort", kData, "lines or records of files, in order", run_sort},
       {"bench", kRest, "run a benchmark of the runtime, or list them", run_bench},
       {"completion", kRest, "what bash or zsh needs to complete commands and options",
        run_completion},
       {"help", kRest, "list the commands, or describe one: grappa help COMMAND", run_help}});
  return all;
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> all = make_commands();
  return all;
}

}  // namespace grappa::cli
