#include "cli/bench_program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <string_view>

#include "cli/completion.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/error.hpp"

namespace grappa::cli {
namespace {

// Of the program, seen from the folder of the tool.
constexpr const char* kPlaces[] = {GRAPPA_BENCH_FROM_TOOL_BUILD, GRAPPA_BENCH_FROM_TOOL_INSTALL};

std::string folder_of_tool() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string_view whole(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return std::string(whole.substr(0, whole.rfind('/') + 1));
}

// Returns where it cannot be run.
void replace_by_program(Arguments arguments) {
  arguments.insert(arguments.begin(), "grappa-bench");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  for (const char* place : kPlaces) execv((folder_of_tool() + place).c_str(), words.data());
}

bool asks_for_help(const std::string& word) {
  return word == "help" || word == "--help" || word == "-h";
}

// The tables of the benchmarks; without the program there is nothing to complete.
void print_completion_tables() {
  standard_output().flush();
  const pid_t child = fork();
  if (child == 0) {
    replace_by_program({std::string(kCompletionTable)});
    print_completion_table("bench", {}, false);
    standard_output().flush();
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    throw Error("bench: the program of the benchmarks did not print its options");
}

}  // namespace

void become_bench_program(const Arguments& arguments) {
  const bool help = !arguments.empty() && asks_for_help(arguments.front());
  const std::size_t name = help ? 1 : 0;
  if (arguments.size() <= name || arguments[name] != "bench") return;
  if (help && arguments.size() > 3) return;  // which is refused
  Arguments rest(arguments.begin() + static_cast<std::ptrdiff_t>(name) + 1, arguments.end());
  if (help) rest.emplace_back("--help");
  replace_by_program(std::move(rest));
}

int run_bench(const Arguments& arguments) {
  if (arguments.size() != 1 || arguments.front() != kCompletionTable) {
    throw UsageError(fmt::format(
        "bench: the benchmarks are a program of their own, and there is none at {}{}; from a "
        "clone, './grappa bench' builds it",
        folder_of_tool(), kPlaces[0]));
  }
  print_completion_tables();
  return 0;
}

}  // namespace grappa::cli
