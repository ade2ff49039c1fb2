#pragma once

// How a file of rows as text is written: CSV, lines of JSON, triples.
//
//   const TextOptions options{.delimiter = ';'};
//   const char* rows = first_row(text, options, format);
//
// csv_format.hpp and line_format.hpp find what a user has not said.

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
#include "grappa/query/io/text_field.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query {

/// What is not given is detected.
struct TextOptions {
  LineKind lines = LineKind::kCsv;  // of others, what follows is given of CSV only
  std::optional<char> delimiter = {};
  std::optional<char> quote = {};   // 0: none
  std::optional<char> escape = {};  // else the quote, or a backslash where only that fits
  std::optional<bool> header = {};
  std::vector<std::string> names = {};                   // of the columns; of fewer, the first ones
  std::vector<std::pair<std::string, Type>> types = {};  // of the columns of these names
  std::vector<Type> types_in_order = {};                 // of the first columns
  std::vector<std::string> type_words = {};              // of all columns, as errors call them
  bool all_texts = false;                                // of what neither of them says
  std::string null_text = {};                            // not in quotes: NULL
  std::int64_t skip = 0;                                 // lines at the beginning
  std::size_t piece_bytes = 0;  // that a core loads at a time; 0: what is fast

  bool operator==(const TextOptions&) const = default;
};

struct TextFormat {
  CsvDialect dialect;  // of lines that are no CSV: their ends
  bool has_header = false;
  bool ends_with_delimiter = false;  // each row
  std::vector<std::string> names;
  std::vector<CandidateTypes> candidates;  // of the columns, by the sample
  std::vector<std::string> keys;           // of the columns, in lines that are no CSV

  static constexpr auto kMembers =
      std::tuple(&TextFormat::dialect, &TextFormat::has_header, &TextFormat::ends_with_delimiter,
                 &TextFormat::names, &TextFormat::candidates, &TextFormat::keys);
};

/// Whether a field is NULL in a column of the type.
inline bool is_null(const TextField& field, const Type& type, const TextOptions& options) {
  if (field.is_quoted && options.lines != LineKind::kCsv) return false;
  if (field.size == 0 && !type.is_text() && type.id != TypeId::kNull) return true;
  return !field.is_quoted && field.raw() == options.null_text;
}

/// Names that differ, in any case: a number in the place of none, and behind those that repeat.
std::vector<std::string> distinct_names(std::vector<std::string> names);

/// Where the rows of a text begin that is a file, or the beginning of one: behind a byte order
/// mark, what is skipped, and the header.
const char* first_row(std::string_view text, const TextOptions& options, const TextFormat& format);

}  // namespace grappa::query
