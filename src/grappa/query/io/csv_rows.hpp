#pragma once

// Rows of CSV (RFC 4180) cut into fields, with no byte copied.
//
//   CsvRows rows(text, text.data(), {.delimiter = ','});
//   std::array<TextField, 3> fields;
//   while (const std::size_t n = rows.next(fields.data(), 1, fields.size())) use(fields, n);
//   if (!rows.problem().empty()) refuse(rows.position(), rows.problem());
//
// Separators are searched 64 bytes at a time. A quote counts where a field begins; a field in
// quotes may have separators and line feeds. A row ends with a line feed, a carriage return before
// it left out, or with the text; io::kPadding bytes behind that may be read. For one core.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "grappa/query/io/text_field.hpp"

namespace grappa::query {

struct CsvDialect {
  char delimiter = ',';  // a line feed: rows have one field
  char quote = '"';      // 0: none
  char escape = '"';     // before a quote, in quotes
};

inline constexpr std::string_view kUnclosedQuote = "a quote is not closed";

/// In `scratch`, without its escapes.
std::string_view unescaped(const TextField& field, const CsvDialect& dialect, std::string& scratch);

/// The text that it stands for; in `scratch` where it has escapes.
inline std::string_view text_of(const TextField& field, const CsvDialect& dialect,
                                std::string& scratch) {
  return field.has_escapes ? unescaped(field, dialect, scratch) : field.raw();
}

class CsvRows {
 public:
  /// From `begin` in the text, where a row begins.
  CsvRows(std::string_view text, const char* begin, const CsvDialect& dialect);

  /// How many fields the next row has; 0 where there is none, or it has a problem. Field i of the
  /// first `most` is put at fields[i * stride].
  std::size_t next(TextField* fields, std::size_t stride, std::size_t most);
  /// Where the next row begins, or what has the problem.
  const char* position() const { return position_; }
  std::string_view problem() const { return problem_; }

 private:
  const char* next_separator();
  void look_from(const char* position);
  /// Puts what is in quotes at `field`; returns what is behind them, or null for a problem.
  const char* take_quoted(const char* begin, TextField& field);
  std::uint64_t separators_at(const char* chunk) const;

  const char* position_;
  const char* end_;
  CsvDialect dialect_;
  int quote_;  // no byte where there is none
  // The separators that were found in 64 bytes and not taken.
  const char* chunk_ = nullptr;
  std::uint64_t separators_ = 0;
  std::string_view problem_;
};

}  // namespace grappa::query
