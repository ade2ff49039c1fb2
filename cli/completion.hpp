#pragma once

// Completion in a shell: a table of what each command takes.
//
//   print_completion_table("bfs", {{"--engine", "NAME:{direct,sync}", "what computes it"}}, true);
//
// `grappa completion SHELL` prints a script that holds these tables. They come from the options
// themselves: a command that is given kCompletionTable as its only argument prints its table and
// does nothing else, the same way as it prints its help. So does each benchmark.

#include <string>
#include <string_view>
#include <vector>

namespace grappa::cli {

inline constexpr std::string_view kCompletionTable = "--completion-table";

/// One line of a table.
struct CompletionEntry {
  std::string name;   // "--engine", or what stands there: "<GRAPH>", "bfs"
  std::string value;  // as the help shows it: "NAME:{a,b}", "on|off", "FILE"; empty for a switch
  std::string help;
};

/// The `value` of an entry that is the name of a command, which has a table of its own.
inline constexpr std::string_view kCommandValue = "COMMAND";

/// Prints the table of `command`. One that takes the options of the runtime shares theirs.
void print_completion_table(std::string_view command, const std::vector<CompletionEntry>& entries,
                            bool has_runtime_options);

/// The lines alone, as a command of the shell that prints them.
void print_completion_lines(const std::vector<CompletionEntry>& entries);

}  // namespace grappa::cli
