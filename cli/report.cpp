#include "cli/report.hpp"

#include <algorithm>

#include "cli/standard_output.hpp"
#include "grappa/base/printable.hpp"

namespace grappa::cli {

nlohmann::json& Report::at(std::string_view name) {
  if (name.starts_with('/')) return json_[nlohmann::json::json_pointer(std::string(name))];
  return json_["result"][std::string(name)];
}

void Report::write_line(std::string_view label, const std::string& value) const {
  standard_output().print("{:<{}}{}\n", fmt::format("{}: ", label), column_,
                          internal::printable(value));
  standard_output().flush();
}

Table::Table(Report& report, std::string_view name, std::vector<Column> columns)
    : report_(report), name_(name), columns_(std::move(columns)) {
  if (!name.empty()) report_.set(name, nlohmann::json::array());
}

nlohmann::json& Table::new_row() {
  if (name_.empty()) return unseen_ = nlohmann::json::object();
  return report_.at(name_).emplace_back(nlohmann::json::object());
}

void Table::write(std::vector<std::string> cells) {
  if (report_.silent()) return;
  for (std::string& cell : cells) cell = internal::printable(cell);
  rows_.push_back(std::move(cells));
  if (std::ranges::all_of(columns_, [](const Column& column) { return column.width > 0; })) print();
}

void Table::print() {
  if (rows_.empty()) return;
  constexpr std::size_t kWidest = 40;  // longer cells stand out
  if (!std::exchange(has_head_, true)) {
    std::vector<std::string> heads;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::size_t& width = columns_[i].width;
      width = std::max(width, columns_[i].head.size());
      for (const auto& row : rows_) width = std::max(width, std::min(kWidest, row[i].size()));
      heads.push_back(columns_[i].head);
    }
    standard_output().write("\n");
    print_row(heads);
  }
  for (const auto& row : rows_) print_row(row);
  rows_.clear();
  standard_output().flush();
}

void Table::print_row(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = columns_[i];
    text += column.left ? fmt::format("  {:<{}}", cells[i], column.width)
                        : fmt::format("{:>{}}", cells[i], column.width + 2);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  standard_output().print("{}\n", text);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string format_seconds(double seconds) {
  if (seconds >= 100) return fmt::format("{:.0f} s", seconds);
  if (seconds >= 10) return fmt::format("{:.1f} s", seconds);
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 0.1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 0.001) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

}  // namespace grappa::cli
