#pragma once

// Lines that a person enters: edited, with a history, and completed by Tab.
//
//   LineEditor editor(interrupts, HistoryFile("sql_history"), complete);
//   for (std::string line; editor.read("sql> ", line) != LineEditor::kEnd;) use(line);
//
// Standard input and output are a terminal. Without libedit, lines are read as the terminal gives
// them, and there is neither history nor completion. While it waits the thread sleeps, which the
// runtime knows to be no stall (base/external_wait.hpp). One thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/history_file.hpp"
#include "cli/interrupts.hpp"

namespace grappa::cli {

/// What the end of a text may go on as: words that begin with its last `prefix_bytes`.
struct Completions {
  std::size_t prefix_bytes = 0;
  std::vector<std::string> words{};
};
using Complete = std::function<Completions(std::string_view before_cursor)>;

class LineEditor {
 public:
  LineEditor(const Interrupts& interrupts, HistoryFile history, Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum Outcome : std::uint8_t {
    kLine,
    kInterrupted,  // by Ctrl-C: what was entered is gone
    kEnd,          // of the input, Ctrl-D
  };
  /// The line without its line break.
  Outcome read(const std::string& prompt, std::string& line);
  /// For this and later sessions; an entry is a line.
  void remember(const std::string& entry);

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace grappa::cli
