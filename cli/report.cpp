#include "cli/report.hpp"

#include <algorithm>

#include "cli/standard_output.hpp"
#include "grappa/base/printable.hpp"

namespace grappa::cli {
namespace {

constexpr std::size_t kValueColumn = 16;

}  // namespace

void Report::write_line(std::string_view label, const std::string& value) {
  standard_output().print("{:<{}}{}\n", fmt::format("{}: ", label), kValueColumn,
                          internal::printable(value));
  standard_output().flush();
}

void Report::table(const std::vector<std::string>& head,
                   const std::vector<std::vector<std::string>>& rows) const {
  if (quiet_) return;
  std::vector<std::size_t> widths;
  for (const std::string& cell : head) widths.push_back(cell.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += fmt::format("{:>{}}", row[i], widths[i] + 2);
    }
    standard_output().print("{}\n", text);
  };
  standard_output().write("\n");
  print_row(head);
  for (const auto& row : rows) print_row(row);
  standard_output().flush();
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
