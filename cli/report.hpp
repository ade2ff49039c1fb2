#pragma once

// What a command or a benchmark found, said once: lines and tables for people, one JSON object for
// programs (--json), a figure (--plot), and how far the work has come.
//
//   Report report(silent, quiet);
//   report.line("Rate", "{:.1f} M/s, {}", fact("million_per_second", rate), "binned");
//   report.set("checked", true);                             // in the JSON object only
//   Table rows(report, "top", {{"Vertex"}, {"Rank", "{:.6g}"}});
//   for (const auto& [v, rank] : ranks) rows.add(fact("vertex", v), fact("rank", rank));
//   rows.print();
//   report.progress().show("building");
//
// OutputOptions::commit(report) writes the object and the figure.
//
// A fact is a member of `result` in the JSON object; a name that begins with / is a path from the
// object itself, such as "/ratio" or "/baseline/name". Lines "Label:  value", their values in one
// column, appear at once, so that a person sees them before a long computation begins. One thread
// at a time.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/plot.hpp"
#include "cli/progress.hpp"

namespace grappa::cli {

/// Something to be formatted that has a name in the JSON object, too.
template <class Value, class Shown>
struct Fact {
  std::string name;
  Value value;
  Shown shown;  // in its place in text
};

template <class Value>
Fact<Value, Value> fact(std::string name, Value value) {
  return {std::move(name), value, std::move(value)};
}
template <class Value, class Shown>
Fact<Value, Shown> fact(std::string name, Value value, Shown shown) {
  return {std::move(name), std::move(value), std::move(shown)};
}

class Report {
 public:
  /// silent: nothing is printed. quiet: no progress is shown. Values stand in column `column`.
  Report(bool silent, bool quiet, std::size_t column = 16)
      : silent_(silent), column_(column), progress_(quiet) {}
  /// Nothing is printed, and progress is shown there.
  explicit Report(Progress::Sink sink) : silent_(true), column_(0), progress_(std::move(sink)) {}

  bool silent() const { return silent_; }

  template <class... Args>
  void line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
    (take(args), ...);
    if (!silent_) write_line(label, fmt::format(format, std::forward<Args>(args)...));
  }

  void set(std::string_view name, nlohmann::json value) { at(name) = std::move(value); }
  /// The place of a fact, which may be an array to add to.
  nlohmann::json& at(std::string_view name);
  const nlohmann::json& json() const { return json_; }

  Progress& progress() { return progress_; }
  /// What --plot draws.
  Chart& chart() { return chart_; }
  const Chart& chart() const { return chart_; }

 private:
  template <class T>
  void take(const T&) {}
  template <class Value, class Shown>
  void take(const Fact<Value, Shown>& fact) {
    set(fact.name, fact.value);
  }
  void write_line(std::string_view label, const std::string& value) const;

  bool silent_;
  std::size_t column_;
  Progress progress_;
  Chart chart_;
  nlohmann::json json_ = nlohmann::json::object();
};

struct Column {
  std::string head;
  std::string format = "{}";  // of the cells
  /// At least. Where all columns have one each row is printed at once.
  std::size_t width = 0;
  bool left = false;  // else to the right
};

/// Rows, in the JSON object an array of objects.
class Table {
 public:
  /// `name`: the fact that the rows are; empty where only people see them.
  Table(Report& report, std::string_view name, std::vector<Column> columns);

  /// A cell for each column: a fact, or what only people want to see. Returns the row in the JSON
  /// object, until the next one.
  template <class... Cells>
  nlohmann::json& add(const Cells&... cells) {
    nlohmann::json& row = new_row();
    add_to(row, cells...);
    return row;
  }
  /// The same, but the facts go into `row`, which may be a part of another one.
  template <class... Cells>
  void add_to(nlohmann::json& row, const Cells&... cells) {
    (take(row, cells), ...);
    if (report_.silent()) return;
    std::size_t column = 0;
    write({fmt::format(fmt::runtime(columns_[column++].format), cells)...});
  }
  /// A row of the JSON object without cells, to be added to.
  nlohmann::json& new_row();
  /// A row that only people see.
  void write(std::vector<std::string> cells);
  /// The whole table, where it is not printed row by row; nothing if there are no rows.
  void print();

 private:
  template <class T>
  static void take(nlohmann::json&, const T&) {}
  template <class Value, class Shown>
  static void take(nlohmann::json& row, const Fact<Value, Shown>& fact) {
    row[fact.name] = fact.value;
  }
  void print_row(const std::vector<std::string>& cells) const;

  Report& report_;
  std::string name_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // still to be printed
  nlohmann::json unseen_;                       // the row where no program sees it
  bool has_head_ = false;
};

/// 0 of nothing.
double median(std::vector<double> values);

/// "0.0123 s", "12.3 s": three significant digits.
std::string format_seconds(double seconds);
inline Fact<double, std::string> seconds_fact(std::string name, double seconds) {
  return {std::move(name), seconds, format_seconds(seconds)};
}

}  // namespace grappa::cli

template <class Value, class Shown>
struct fmt::formatter<grappa::cli::Fact<Value, Shown>> : fmt::formatter<Shown> {
  auto format(const grappa::cli::Fact<Value, Shown>& fact, auto& context) const {
    return fmt::formatter<Shown>::format(fact.shown, context);
  }
};
