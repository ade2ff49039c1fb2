#pragma once

// Output for people: lines "Label:  value", their values in one column, and small tables.
//
//   Report report(quiet);
//   report.line("Vertices", "{}", n);
//   report.table({"Vertex", "Rank"}, rows);
//
// Lines appear at once, so that a person sees them before a long computation begins. One thread at
// a time.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace grappa::cli {

class Report {
 public:
  explicit Report(bool quiet) : quiet_(quiet) {}

  bool quiet() const { return quiet_; }

  template <class... Args>
  void line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) const {
    if (!quiet_) write_line(label, fmt::format(format, std::forward<Args>(args)...));
  }

  /// Columns as wide as their widest cell, numbers and heads to the right, after an empty line.
  void table(const std::vector<std::string>& head,
             const std::vector<std::vector<std::string>>& rows) const;

 private:
  static void write_line(std::string_view label, const std::string& value);

  bool quiet_;
};

/// "0.0123 s", "12.3 s": three significant digits.
std::string format_seconds(double seconds);

}  // namespace grappa::cli
