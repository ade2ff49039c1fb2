#pragma once

// The shell of `grappa sql`: statements that a person enters, one after the other.
//
//   SqlShell shell(database, interrupts, "auto", quiet);
//   shell.run();                                // until .quit or Ctrl-D
//
// A statement may take several lines, and is executed once it has its semicolon. Its error is
// shown, and the next one comes; Ctrl-C ends the statement, or drops what was entered so far. A
// line that begins with a point is a command of the shell (sql_completion.hpp). Run by the task
// that has the database.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/interrupts.hpp"
#include "cli/line_editor.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/database.hpp"

namespace grappa::cli {

class SqlShell {
 public:
  SqlShell(query::Database& database, Interrupts& interrupts, std::string format, bool quiet);
  void run();

  /// Of all statements.
  std::int64_t rows() const { return rows_; }

 private:
  /// Of a line that was entered or read; what is complete with it, which may be nothing.
  std::string take_line(const std::string& line);
  void obey_or_execute(std::string_view statement);
  void obey(std::string_view line);
  void execute(const std::string& text);
  void compute(const std::string& text);
  /// What `act` throws is shown.
  void try_to(const std::function<void()>& act);
  void forget_interrupt();
  void set_output(const std::string& path);
  void read_file(const std::string& path);
  void show_help() const;
  void show_schema(std::string_view name) const;

  query::Database& database_;
  Interrupts& interrupts_;
  Cancellation cancellation_;
  std::string format_;
  bool quiet_;
  LineEditor editor_;
  std::unique_ptr<io::OutputFile> output_;  // null: standard output
  std::string pending_;                     // the statement so far
  bool shows_time_ = false;
  bool is_over_ = false;
  bool is_cancelled_ = false;  // what was tried last
  int files_being_read_ = 0;
  std::int64_t rows_ = 0;
};

}  // namespace grappa::cli
