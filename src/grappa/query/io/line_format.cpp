#include "grappa/query/io/line_format.hpp"

#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/io/text/line_reader.hpp"

namespace grappa::query {

std::optional<TextFormat> detect_lines(std::string_view sample, bool is_all,
                                       const TextOptions& options, const std::string& file) {
  TextFormat format;
  format.dialect = {.delimiter = '\n', .quote = 0, .escape = 0};
  // Of the last line there may be a part only.
  const std::string_view whole = is_all ? sample : sample.substr(0, sample.rfind('\n') + 1);
  const auto fields = line_fields(options.lines);
  LineColumns columns({});
  CsvRows lines(whole, first_row(whole, options, format), format.dialect);
  bool has_rows = false;
  TextField line;
  const char* begin = lines.position();
  for (; lines.next(&line, 1, 1) > 0; begin = lines.position()) {
    const auto outcome = fields->cut(line.raw(), [&](std::string_view key, const TextField& field) {
      std::optional<std::size_t> column = columns.find(key);
      if (!column) {
        column = columns.size();
        columns.add(key);
        format.keys.emplace_back(key);
        format.candidates.emplace_back();
      }
      if (!is_null(field, kText, options)) narrow(format.candidates[*column], field, field.raw());
    });
    if (outcome == LineFields::kProblem)
      throw InputError(file, 1 + io::count_line_feeds({sample.data(), begin}), fields->problem());
    if (columns.size() > kMostKeys)
      throw InputError(file, 1 + io::count_line_feeds({sample.data(), begin}), kTooManyKeys);
    has_rows |= outcome == LineFields::kRow;
  }
  if (!has_rows && !is_all) return std::nullopt;
  if (format.keys.empty()) throw InputError(file, 0, "has no rows");
  format.names = distinct_names(format.keys);
  return format;
}

void narrow(CandidateTypes& candidates, const TextField& field, std::string_view text) {
  if (field.is_quoted) candidates.exclude_numbers();
  candidates.narrow(text);
}

}  // namespace grappa::query
