#pragma once

// What the shell of queries completes.
//
//   complete_sql("select na", names);          // "name", where that is among the names
//   complete_sql("from 'peo", names);          // 'people.csv', where that is a file
//   complete_sql(".out", names);               // .output
//
// Words are keywords, functions and the names of the database; inside single quotes, files.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line_editor.hpp"

namespace grappa::cli {

/// A command of the shell, ".mode box|csv|json".
struct ShellCommand {
  std::string_view name;
  std::string_view arguments;
  std::string_view help;
  std::string_view elsewhere;  // what does that where statements are no dialogue
};
std::span<const ShellCommand> shell_commands();

/// `text` is all of the statement so far, up to the cursor.
Completions complete_sql(std::string_view text, const std::vector<std::string>& names);

}  // namespace grappa::cli
