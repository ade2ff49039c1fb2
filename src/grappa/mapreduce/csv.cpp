#include "grappa/mapreduce/csv.hpp"

#include <fmt/format.h>

#include <string>

#include "grappa/io/text/parse_number.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::mapreduce {

std::string_view text_at(const CsvRow& row, std::size_t column) {
  if (column >= row.size()) {
    throw BadRecord(fmt::format("has no column {}, only {}", column + 1, row.size()));
  }
  return row[column];
}

double number_of(std::string_view text) {
  using Form = io::TextNumber::Form;
  const auto [form, value] = io::number_in(text);
  if (form == Form::kFinite) [[likely]]
    return value;
  const std::string word = io::quoted(text);
  if (form == Form::kNone) throw BadRecord(fmt::format("expected a number, found {}", word));
  throw BadRecord(fmt::format(
      "{} is {}", word, form == Form::kNotFinite ? "not finite" : "no number that a double holds"));
}

double number_at(const CsvRow& row, std::size_t column) { return number_of(text_at(row, column)); }

Dataset<CsvRow, detail::CsvSource> read_csv(const std::vector<std::string>& paths,
                                            CsvOptions options) {
  detail::Resources resources(options.skip_bad_records);
  const auto files = resources.own(detail::open_text_files(paths, {.header = options.header}));
  return {{{resources.errors(), files}, options.separator}, resources};
}

}  // namespace grappa::mapreduce
