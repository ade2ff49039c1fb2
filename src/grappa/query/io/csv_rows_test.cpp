#include "grappa/query/io/csv_rows.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "grappa/io/input.hpp"

namespace grappa::query {
namespace {

using CutRows = std::vector<std::vector<std::string>>;

/// Rows of the text, or its problem as the only field of a last row that begins with "!".
CutRows rows_of(const std::string& text, const CsvDialect& dialect = {}) {
  std::string padded = text + std::string(io::kPadding, '\0');
  CsvRows rows({padded.data(), text.size()}, padded.data(), dialect);
  std::vector<TextField> fields(3 * 100);
  CutRows found;
  std::string scratch;
  while (const std::size_t n = rows.next(fields.data(), 3, 100)) {
    found.emplace_back();
    for (std::size_t i = 0; i < n; ++i)
      found.back().emplace_back(text_of(fields[3 * i], dialect, scratch));
  }
  if (!rows.problem().empty()) found.push_back({"!" + std::string(rows.problem())});
  return found;
}

TEST(CsvRows, AreCutAsRfc4180Says) {
  EXPECT_EQ(rows_of(""), CutRows{});
  EXPECT_EQ(rows_of("a"), (CutRows{{"a"}}));
  EXPECT_EQ(rows_of("a,b\n"), (CutRows{{"a", "b"}}));
  EXPECT_EQ(rows_of("a,b\r\nc,\r\n"), (CutRows{{"a", "b"}, {"c", ""}}));
  EXPECT_EQ(rows_of("\n\n,"), (CutRows{{""}, {""}, {"", ""}}));
  EXPECT_EQ(rows_of("\"a,b\",\"c\nd\"\r\n\"\"\n"), (CutRows{{"a,b", "c\nd"}, {""}}));
  EXPECT_EQ(rows_of("\"a\"\"b\"\"\",\"\"\"\"\n"), (CutRows{{"a\"b\"", "\""}}));
  EXPECT_EQ(rows_of("a\"b,5\" pipe\n"), (CutRows{{"a\"b", "5\" pipe"}}));
  EXPECT_EQ(rows_of("\"a\"\r"), (CutRows{{"a"}}));
  EXPECT_EQ(rows_of("a\rb,c\r\n"), (CutRows{{"a\rb", "c"}}));
}

TEST(CsvRows, OtherDialects) {
  EXPECT_EQ(rows_of("a|b,c|\n", {.delimiter = '|'}), (CutRows{{"a", "b,c", ""}}));
  EXPECT_EQ(rows_of("'a,b',\"c\n", {',', '\'', '\''}), (CutRows{{"a,b", "\"c"}}));
  EXPECT_EQ(rows_of("\"a\\\"b\\\\\",c\n", {',', '"', '\\'}), (CutRows{{"a\"b\\", "c"}}));
  EXPECT_EQ(rows_of("\"a,b\n", {',', 0, 0}), (CutRows{{"\"a", "b"}}));
  EXPECT_EQ(rows_of("a,b\nc\n", {.delimiter = '\n'}), (CutRows{{"a,b"}, {"c"}}));
}

TEST(CsvRows, SayWhatIsWrong) {
  EXPECT_EQ(rows_of("a\n\"b"), (CutRows{{"a"}, {"!a quote is not closed"}}));
  EXPECT_EQ(rows_of("a\n\"b\\\"", {',', '"', '\\'}), (CutRows{{"a"}, {"!a quote is not closed"}}));
  const std::string follows =
      "!a closing quote is followed by neither a delimiter nor the end of the line";
  EXPECT_EQ(rows_of("\"a\"b\n"), (CutRows{{follows}}));
  EXPECT_EQ(rows_of("\"a\" ,b\n"), (CutRows{{follows}}));
  EXPECT_EQ(rows_of("\"a\"\r,b\n"), (CutRows{{follows}}));
}

/// The state machine of RFC 4180, byte by byte.
CutRows by_the_byte(const std::string& text) {
  CutRows rows;
  std::size_t i = 0;
  while (i < text.size()) {
    rows.emplace_back();
    for (bool more = true; more;) {
      std::string field;
      const bool is_quoted = i < text.size() && text[i] == '"';
      if (is_quoted) {
        for (++i; text[i] != '"' || (i + 1 < text.size() && text[i + 1] == '"'); ++i) {
          if (text[i] == '"') ++i;
          field += text[i];
        }
        ++i;
        if (i < text.size() && text[i] == '\r') ++i;
      } else {
        while (i < text.size() && text[i] != ',' && text[i] != '\n') field += text[i++];
        if (field.ends_with('\r') && (i == text.size() || text[i] == '\n')) field.pop_back();
      }
      rows.back().push_back(field);
      more = i < text.size() && text[i] == ',';
      ++i;
    }
  }
  return rows;
}

TEST(CsvRows, AreThoseOfTheStateMachine) {
  std::mt19937_64 random(7);
  const std::vector<std::string> pieces{"a", "bc", "", "\"", "x\"", "0123456789", "\r", "äöü", " "};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    const std::size_t fields = random() % 40;
    for (std::size_t f = 0; f < fields; ++f) {
      if (random() % 3 == 0) {
        text += '"';
        for (std::size_t k = random() % 5; k > 0; --k) {
          const char* const inside[] = {"a", ",", "\n", "\"\"", "\r\n", "0123456789012345678901"};
          text += inside[random() % std::size(inside)];
        }
        text += '"';
      } else {
        // A quote at the beginning would open.
        text += 'u';
        for (std::size_t k = random() % 4; k > 0; --k) text += pieces[random() % pieces.size()];
      }
      const char* const ends[] = {",", ",", ",", "\n", "\r\n", ""};
      const std::size_t end = random() % (f + 1 == fields ? std::size(ends) : std::size(ends) - 1);
      text += ends[end];
    }
    ASSERT_EQ(rows_of(text), by_the_byte(text)) << text;
  }
}

}  // namespace
}  // namespace grappa::query
