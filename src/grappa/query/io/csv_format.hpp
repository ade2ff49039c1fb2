#pragma once

// How a CSV file is written: what its user says, and the rest by a look at its beginning.
//
//   const auto format = detect_csv(sample, true, {.delimiter = ';'}, "prices.csv");
//   use(format->names, format->has_header);
//
// Of the delimiters , | ; and tab, that is taken by which most rows have the same number of fields,
// and of several such the one that gives most. The first row is a header where all columns are
// texts, or where it does not have the types of the rows below.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/query/io/candidate_types.hpp"
#include "grappa/query/io/csv_rows.hpp"
#include "grappa/query/io/line_fields.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query {

/// What is not given is detected.
struct CsvOptions {
  LineKind lines = LineKind::kCsv;  // of others, what follows is given of CSV only
  std::optional<char> delimiter = {};
  std::optional<char> quote = {};   // 0: none
  std::optional<char> escape = {};  // else the quote, or a backslash where only that fits
  std::optional<bool> header = {};
  std::vector<std::string> names = {};                   // of the columns; of fewer, the first ones
  std::vector<std::pair<std::string, Type>> types = {};  // of the columns of these names
  std::vector<Type> types_in_order = {};                 // of the first columns
  bool all_texts = false;                                // of what neither of them says
  std::string null_text = {};                            // not in quotes: NULL
  std::int64_t skip = 0;                                 // lines at the beginning
  std::size_t piece_bytes = 0;  // that a core loads at a time; 0: what is fast

  bool operator==(const CsvOptions&) const = default;
};

struct CsvFormat {
  CsvDialect dialect;  // of lines that are no CSV: their ends
  bool has_header = false;
  bool ends_with_delimiter = false;  // each row
  std::vector<std::string> names;
  std::vector<CandidateTypes> candidates;  // of the columns, by the sample
  std::vector<std::string> keys;           // of the columns, in lines that are no CSV

  static constexpr auto kMembers =
      std::tuple(&CsvFormat::dialect, &CsvFormat::has_header, &CsvFormat::ends_with_delimiter,
                 &CsvFormat::names, &CsvFormat::candidates, &CsvFormat::keys);
};

/// By the beginning of a file, or all of it; io::kPadding bytes behind that may be read. Nothing
/// where it has no whole row. InputError where there is none in all, or options say what is not so.
std::optional<CsvFormat> detect_csv(std::string_view sample, bool is_all, const CsvOptions& options,
                                    const std::string& file);

/// Whether a field is NULL in a column of the type.
inline bool is_null(const CsvField& field, const Type& type, const CsvOptions& options) {
  if (field.is_quoted && options.lines != LineKind::kCsv) return false;
  if (field.size == 0 && !type.is_text() && type.id != TypeId::kNull) return true;
  return !field.is_quoted && field.raw() == options.null_text;
}

/// Names that differ, in any case: a number in the place of none, and behind those that repeat.
std::vector<std::string> distinct_names(std::vector<std::string> names);

/// Where the rows of a text begin that is a file, or the beginning of one: behind a byte order
/// mark, what is skipped, and the header.
const char* first_row(std::string_view text, const CsvOptions& options, const CsvFormat& format);

/// The first row of a file, where it is its header.
std::vector<std::string> header_of(std::string_view text, const CsvOptions& options,
                                   const CsvFormat& format);

}  // namespace grappa::query
