#pragma once

// Names of tables, columns and functions, and where in the text they stand.
//
//   Name name{"Price", {17}};
//   name == Name{"PRICE", {0}};  // true: neither the case nor the place makes a difference
//   folded("Price");             // "price", the key of a map of names
//
// As in DuckDB, names keep the letters that were written, with or without quotes, and are compared
// without regard to case. Only ASCII has cases here.
// Thread and task safety: values; pure functions.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace grappa::query::sql {

/// Bytes from the beginning of the text. Nodes that differ in nothing else are equal.
struct Position {
  std::uint32_t offset = 0;
  friend bool operator==(Position, Position) { return true; }
};

inline char folded(char c) noexcept { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

inline char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; }

inline std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = upper(c);
  return result;
}

inline std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = folded(c);
  return result;
}

inline bool equal_folded(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return folded(x) == folded(y); });
}

struct Name {
  std::string text;
  Position position;
  friend bool operator==(const Name& a, const Name& b) { return equal_folded(a.text, b.text); }
};

}  // namespace grappa::query::sql
