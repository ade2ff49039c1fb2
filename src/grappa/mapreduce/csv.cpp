#include "grappa/mapreduce/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "grappa/io/text/text_line.hpp"

namespace grappa::mapreduce {

std::string_view text_at(const CsvRow& row, std::size_t column) {
  if (column >= row.size()) {
    throw BadRecord(fmt::format("has no column {}, only {}", column + 1, row.size()));
  }
  return row[column];
}

double number_of(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  if (whole && error == std::errc::result_out_of_range)
    throw BadRecord(fmt::format("{} is no number that a double holds", io::quoted(text)));
  if (error != std::errc() || !whole)
    throw BadRecord(fmt::format("expected a number, found {}", io::quoted(text)));
  if (!std::isfinite(value)) throw BadRecord(fmt::format("{} is not finite", io::quoted(text)));
  return value;
}

double number_at(const CsvRow& row, std::size_t column) { return number_of(text_at(row, column)); }

Dataset<CsvRow, detail::CsvSource> read_csv(const std::vector<std::string>& paths,
                                            CsvOptions options) {
  detail::Resources resources(options.skip_bad_records);
  const auto files = resources.own(detail::open_text_files(paths, {.header = options.header}));
  return {{{resources.errors(), files}, options.separator}, resources};
}

}  // namespace grappa::mapreduce
