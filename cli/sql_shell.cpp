#include "cli/sql_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "cli/sql_answers.hpp"
#include "cli/sql_completion.hpp"
#include "cli/sql_progress.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/output_check.hpp"
#include "grappa/query/sql/lexer.hpp"
#include "grappa/query/sql/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::cli {
namespace {

constexpr int kMostNestedFiles = 20;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  try {
    for (const query::sql::Token& token : query::sql::tokenize(text))
      words.push_back(query::sql::written(text, token));
  } catch (const query::sql::SyntaxError&) {
    words.clear();
  }
  return words;
}

/// In one line, if that is the same statement: a comment or a text may have a line break of its
/// own.
std::vector<std::string> entries_of(const std::string& text) {
  if (trimmed(text).empty()) return {};
  std::string one = text;
  std::ranges::replace(one, '\n', ' ');
  if (words_of(one) == words_of(text)) return {std::string(trimmed(one))};
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

SqlShell::SqlShell(query::Database& database, Interrupts& interrupts, std::string format,
                   bool quiet)
    : database_(database),
      interrupts_(interrupts),
      cancellation_(interrupts.asked()),
      format_(std::move(format)),
      quiet_(quiet),
      editor_(interrupts, HistoryFile("sql_history"), [this](std::string_view before) {
        return complete_sql(pending_ + std::string(before), database_.names());
      }) {}

void SqlShell::run() {
  if (!quiet_)
    standard_output().write("Statements end with a semicolon; .help shows what else there is.\n");
  for (std::string line; !is_over_;) {
    standard_output().flush();
    const LineEditor::Outcome outcome = editor_.read(pending_.empty() ? "sql> " : "...> ", line);
    if (outcome == LineEditor::kEnd) {
      standard_output().write("\n");
      break;
    }
    if (outcome == LineEditor::kInterrupted) {
      pending_.clear();
      forget_interrupt();
      standard_output().write("\n");
      continue;
    }
    const std::string statement = take_line(line);
    for (const std::string& entry : entries_of(statement)) editor_.remember(entry);
    obey_or_execute(statement);
  }
  try_to([this] { set_output(""); });
}

std::string SqlShell::take_line(const std::string& line) {
  const bool is_first = pending_.empty();
  if (is_first && trimmed(line).starts_with('.')) return line;
  pending_ += line;
  // Most lines of a long statement end none.
  const bool may_end = is_first || line.find(';') != std::string::npos;
  if (may_end && query::sql::is_complete(pending_)) return std::exchange(pending_, {});
  pending_ += '\n';
  return {};
}

void SqlShell::obey_or_execute(std::string_view statement) {
  statement = trimmed(statement);
  if (statement.starts_with('.')) {
    try_to([&] { obey(statement); });
  } else if (!statement.empty()) {
    execute(std::string(statement));
  }
}

void SqlShell::obey(std::string_view line) {
  const std::size_t blank = line.find_first_of(" \t");
  const std::string name(line.substr(0, blank));
  const std::string argument(blank == std::string_view::npos ? std::string_view()
                                                             : trimmed(line.substr(blank)));
  const auto one_of = [&](const std::vector<std::string>& words) -> const std::string& {
    if (std::ranges::find(words, argument) != words.end()) return argument;
    throw UsageError(fmt::format("{}: {} was expected", name, fmt::join(words, ", ")));
  };
  if (name == ".quit") {
    is_over_ = true;
  } else if (name == ".help") {
    show_help();
  } else if (name == ".tables") {
    compute("SHOW TABLES");
  } else if (name == ".schema") {
    show_schema(argument);
  } else if (name == ".timer") {
    shows_time_ = one_of({"on", "off"}) == "on";
  } else if (name == ".mode") {
    format_ = one_of(kSqlFormats);
  } else if (name == ".output") {
    set_output(argument);
  } else if (name == ".read") {
    read_file(argument);
  } else {
    std::vector<std::string_view> names;
    for (const ShellCommand& command : shell_commands()) names.push_back(command.name);
    throw UsageError(fmt::format("{}: no such command{} (.help lists all)", name,
                                 internal::nearest_hint(name, names)));
  }
}

void SqlShell::execute(const std::string& text) {
  const std::uint64_t start = internal::now_ns();
  try_to([&] { compute(text); });
  if (!shows_time_) return;
  const double seconds = static_cast<double>(internal::now_ns() - start) * 1e-9;
  standard_output().print("Time: {:.3f} s\n", seconds);
}

void SqlShell::compute(const std::string& text) {
  SqlProgress progress(database_.progress(), quiet_);
  try {
    database_.execute(text, [&](query::Answer& answer) {
      rows_ += show_answer(answer, sql_writer(format_, output_.get(), progress).get());
    });
  } catch (...) {
    if (output_ != nullptr && output_->bytes() > 0) {
      internal::log_info("{}: is not written, as its answers are not complete", output_->path());
      output_.reset();
    }
    throw;
  }
  // The next statement of a file may take long.
  standard_output().flush();
}

void SqlShell::try_to(const std::function<void()>& act) {
  is_cancelled_ = false;
  try {
    act();
  } catch (const UsageError& error) {
    standard_output().flush();
    print_sql_error(error);
  } catch (const Error& error) {
    is_cancelled_ = dynamic_cast<const Cancelled*>(&error) != nullptr;
    standard_output().flush();
    internal::log_info("{}", error.what());
  } catch (const std::bad_alloc&) {
    standard_output().flush();
    internal::log_info("out of memory");
  }
  forget_interrupt();
}

void SqlShell::forget_interrupt() {
  cancellation_.clear();
  interrupts_.clear();
}

void SqlShell::set_output(const std::string& path) {
  const std::unique_ptr<io::OutputFile> last = std::move(output_);
  const auto check = [this](const std::string& name) {
    io::check_outputs({{".output", name}}, database_.files());
  };
  if (last != nullptr) {
    check(last->path());
    last->commit();
  }
  check(path);
  if (!path.empty()) output_ = std::make_unique<io::OutputFile>(path);
}

void SqlShell::read_file(const std::string& path) {
  if (path.empty()) throw UsageError(".read: FILE was expected");
  if (files_being_read_ == kMostNestedFiles)
    throw UsageError(fmt::format(".read: more than {} files within files", kMostNestedFiles));
  io::Input input = io::Input::open(path);
  if (!input.whole()) input.read_all();
  const std::string text(*input.whole());
  ++files_being_read_;
  for (std::size_t at = 0; at < text.size() && !is_over_ && !is_cancelled_;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    obey_or_execute(take_line(text.substr(at, end - at)));
    at = end + 1;
  }
  --files_being_read_;
  // The last one may have no semicolon.
  const std::string rest = std::exchange(pending_, {});
  if (!is_over_ && !is_cancelled_) obey_or_execute(rest);
}

void SqlShell::show_help() const {
  for (const ShellCommand& command : shell_commands()) {
    standard_output().print("{:<36}{}\n", fmt::format("{} {}", command.name, command.arguments),
                            command.help);
  }
}

void SqlShell::show_schema(std::string_view name) const {
  for (const std::string& statement : database_.schema(name))
    standard_output().print("{}\n", statement);
}

}  // namespace grappa::cli
