#include "cli/sql_completion.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include "cli/sql_answers.hpp"
#include "grappa/query/exec/aggregate_function.hpp"
#include "grappa/query/expression/function.hpp"
#include "grappa/query/sql/keywords.hpp"
#include "grappa/query/sql/name.hpp"

namespace grappa::cli {
namespace {

using namespace std::literals;

constexpr std::array kShellCommands = {
    ShellCommand{".help", "", "this list", "grappa sql --help"},
    ShellCommand{".mode", "auto|box|csv|tsv|json|jsonl|parquet", "how answers are written",
                 "--output"},
    ShellCommand{".output", "[FILE]", "where answers go; without a file, here",
                 "-o FILE, or COPY (query) TO 'file'"},
    ShellCommand{".quit", "", "the end; so is Ctrl-D", "the end of the text"},
    ShellCommand{".read", "FILE", "what is in the file, as if it were entered", "-f FILE"},
    ShellCommand{".schema", "[NAME]", "what the tables and views are like", "DESCRIBE name"},
    ShellCommand{".tables", "", "the names of the tables and views", "SHOW TABLES"},
    ShellCommand{".timer", "on|off", "whether the time of each statement is shown",
                 "EXPLAIN ANALYZE, or --json FILE"},
};

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

/// Where the quote begins that is open at the end; npos: none is.
std::size_t open_quote(std::string_view text) {
  std::size_t open = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (open == std::string_view::npos) {
      if (text[i] == '\'' || text[i] == '"') open = i;
    } else if (text[i] == text[open]) {
      open = std::string_view::npos;
    }
  }
  return open;
}

/// `behind_file` is put behind the name of what is no folder.
Completions complete_file(std::string_view written, std::string_view behind_file) {
  namespace fs = std::filesystem;
  Completions made{.prefix_bytes = written.size()};
  const std::size_t slash = written.rfind('/') + 1;  // npos + 1 is 0
  const std::string_view folder = written.substr(0, slash);
  const std::string_view begun = written.substr(slash);
  std::error_code error;
  for (fs::directory_iterator each(folder.empty() ? fs::path(".") : fs::path(folder), error), end;
       !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with(begun) || (begun.empty() && name.starts_with('.'))) continue;
    std::error_code unknown;
    const bool is_folder = each->is_directory(unknown);
    made.words.push_back(std::string(folder) + name + (is_folder ? "/" : std::string(behind_file)));
  }
  std::ranges::sort(made.words);
  return made;
}

/// Those that begin as `written` does, in whichever case: what is added is as it was begun.
template <class Words>
void add_words(std::string_view written, const Words& words, std::set<std::string>& to) {
  const bool is_lower = std::ranges::none_of(
      written, [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
  for (const std::string_view word : words) {
    if (word.size() <= written.size() ||
        !query::sql::equal_folded(word.substr(0, written.size()), written))
      continue;
    std::string completed(written);
    for (const char c : word.substr(written.size()))
      completed += is_lower ? query::sql::folded(c)
                            : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    to.insert(completed);
  }
}

Completions complete_command(std::string_view text, const std::vector<std::string>& names) {
  const std::size_t blank = text.find(' ');
  Completions made{.prefix_bytes = text.size()};
  if (blank == std::string_view::npos) {
    for (const ShellCommand& command : kShellCommands)
      if (command.name.starts_with(text)) made.words.emplace_back(command.name);
    return made;
  }
  const std::string_view command = text.substr(0, blank);
  const std::string_view argument =
      text.substr(text.find_first_not_of(' ', blank) == std::string_view::npos
                      ? text.size()
                      : text.find_first_not_of(' ', blank));
  if (command == ".read" || command == ".output") return complete_file(argument, "");
  made.prefix_bytes = argument.size();
  std::vector<std::string> words;
  if (command == ".mode") words = kSqlFormats;
  if (command == ".timer") words = {"on", "off"};
  if (command == ".schema") words = names;
  std::ranges::copy_if(words, std::back_inserter(made.words),
                       [&](const std::string& word) { return word.starts_with(argument); });
  return made;
}

}  // namespace

std::span<const ShellCommand> shell_commands() { return kShellCommands; }

Completions complete_sql(std::string_view text, const std::vector<std::string>& names) {
  if (text.starts_with('.')) return complete_command(text, names);
  if (const std::size_t open = open_quote(text); open != std::string_view::npos) {
    if (text[open] == '\'') return complete_file(text.substr(open + 1), "'");
    return {};
  }
  std::size_t begin = text.size();
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  const std::string_view written = text.substr(begin);
  if (written.empty()) return {};
  std::set<std::string> words;
  add_words(written, query::sql::reserved_words(), words);
  add_words(written, query::sql::statement_keywords(), words);
  add_words(written, query::sql::clause_keywords(), words);
  add_words(written, query::function_names(), words);
  add_words(written, query::aggregate_names(), words);
  for (const std::string& name : names) {
    if (name.size() > written.size() &&
        query::sql::equal_folded(std::string_view(name).substr(0, written.size()), written))
      words.insert(std::string(written) + name.substr(written.size()));
  }
  return {written.size(), {words.begin(), words.end()}};
}

}  // namespace grappa::cli
