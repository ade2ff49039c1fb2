// grappa help: the commands, one of them, or the graphs that they take.

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/help_text.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/io/format.hpp"

namespace grappa::cli {
namespace {

constexpr std::string_view kIntroduction =
    "Grappa programs one machine or a cluster as a single shared memory, for work without "
    "locality: graphs and other irregular things. This tool runs graph algorithms on it.";

constexpr std::string_view kGraphIntroduction =
    "GRAPH is a file, - for standard input (an edge list, unless --format says otherwise), or a "
    "generator. Files may be compressed: .gz or .zst. Vertices are named by whole numbers below "
    "2^63 or, when the file has them, by strings; results use these names. Edges are directed "
    "unless the format says otherwise, or --undirected does.";

constexpr std::string_view kGenerators =
    "  kron:SCALE[:EDGEFACTOR]   2^SCALE vertices, EDGEFACTOR (16) edges each: Kronecker, with "
    "Graph500's parameters\n"
    "  urand:SCALE[:DEGREE]      2^SCALE vertices, DEGREE (16) edges each, both ends uniform\n"
    "  grid:ROWSxCOLS            a rectangle of vertices, each joined to its 4 neighbors\n";

void print_commands() {
  StandardOutput& out = standard_output();
  out.print("Usage: grappa COMMAND [arguments] [options]\n\n{}\n", wrap_text(kIntroduction, 0));
  std::string_view group;
  for (const Command& command : commands()) {
    if (command.group != group) out.print("\n{}\n", command.group);
    group = command.group;
    out.print("  {:<12}{}\n", command.name, command.summary);
  }
  out.print(
      "\ngrappa help COMMAND   its options, with their defaults\n"
      "grappa help graphs    the formats and generators that GRAPH may be\n"
      "grappa --version\n"
      "\nFor a start: grappa pagerank kron:16\n");
}

void print_graphs() {
  StandardOutput& out = standard_output();
  out.print("{}\n\nFormats, told from the extension or named by --format:\n",
            wrap_text(kGraphIntroduction, 0));
  for (const graph::FormatInfo& format : graph::format_names()) {
    out.print("  {:<10}{}\n", format.name, wrap_text(format.description, 12));
  }
  out.print(
      "\nGenerators (undirected, without duplicates and self-loops; --seed N makes another "
      "one):\n{}",
      kGenerators);
  out.print(
      "\nA query (grappa help sql): its first two columns are the ends of edges, integers or "
      "texts, "
      "a third\none the weight; they are directed unless --undirected is given.\n"
      "  sql:QUERY such as \"sql:select caller, callee from 'calls.parquet'\"\n");
}

void print_topics() {
  std::string topics = "graphs";
  for (const Command& command : commands()) topics.append(",").append(command.name);
  print_completion_table("help", {{"<COMMAND>", "{" + topics + "}", "what to describe"}}, false);
}

}  // namespace

int run_help(const Arguments& arguments) {
  if (!arguments.empty() && arguments.front() == kCompletionTable) {
    print_topics();
    return 0;
  }
  if (arguments.empty()) {
    print_commands();
    return 0;
  }
  const std::string& topic = arguments.front();
  const std::size_t most = topic == "bench" ? 2 : 1;  // with the name of a benchmark
  if (arguments.size() > most) {
    throw UsageError(fmt::format(
        "help: {}: a word too many; give one command (grappa help lists all)", arguments[most]));
  }
  if (topic == "-h" || topic == "--help") {
    print_commands();
    return 0;
  }
  if (topic == "graphs") {
    print_graphs();
    return 0;
  }
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == topic; });
  if (found == all.end()) {
    throw UsageError(fmt::format("help: {}: no such command (grappa help lists all)", topic));
  }
  if (found->name == "help") {
    print_commands();
    return 0;
  }
  Arguments rest(arguments.begin() + 1, arguments.end());  // the name of a benchmark
  rest.emplace_back("--help");
  return found->run(rest);
}

}  // namespace grappa::cli
