// The command-line tool: finds the command and runs it.

#include <fmt/format.h>

#include <algorithm>

#include "cli/bench_program.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/version.hpp"
#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::cli {
namespace {

const Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_command(const Arguments& arguments) {
  const std::string& name = arguments.front();
  if (name.starts_with('-')) {
    const auto command = std::find_if(arguments.begin(), arguments.end(),
                                      [](const auto& word) { return find_command(word); });
    throw UsageError(
        fmt::format("{}: options follow the command: grappa {} ... {} ... (grappa help lists all)",
                    name, command == arguments.end() ? "COMMAND" : *command, name));
  }
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  throw UsageError(fmt::format("{}: no such command{} (grappa help lists all)", name,
                               internal::nearest_hint(name, names)));
}

int run_command(const Arguments& arguments) {
  if (arguments.empty()) return run_help({});
  const std::string& first = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (first == "--version" || first == "-V") {
    if (!rest.empty()) throw UsageError(fmt::format("{}: takes no argument: {}", first, rest[0]));
    standard_output().print("grappa {} ({}, {}-bit vertices)\n", version(), build_description(),
                            graph::kVertexBits);
    return 0;
  }
  if (first == "--help" || first == "-h") return run_help(rest);
  if (const Command* command = find_command(first)) return command->run(rest);
  refuse_command(arguments);
}

}  // namespace
}  // namespace grappa::cli

int main(int argc, char** argv) {
  const grappa::cli::Arguments arguments(argv + 1, argv + argc);
  grappa::cli::become_bench_program(arguments);
  return grappa::cli::run_program(arguments, grappa::cli::run_command);
}
