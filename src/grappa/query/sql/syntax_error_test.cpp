#include "grappa/query/sql/syntax_error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace grappa::query::sql {
namespace {

std::string error_at(std::string_view text, std::size_t offset) {
  return SyntaxError(text, {static_cast<std::uint32_t>(offset)}, "wrong").what();
}

TEST(SyntaxError, ShowsTheLineAndACaret) {
  EXPECT_EQ(error_at("SELECT a\nFROM t x y\nWHERE", 18), "2:10: wrong\nFROM t x y\n         ^");
  EXPECT_EQ(error_at("a b", 0), "1:1: wrong\na b\n^");
  EXPECT_EQ(error_at("a b\r\nc", 2), "1:3: wrong\na b\n  ^");
}

TEST(SyntaxError, MayBeAtTheEnd) {
  EXPECT_EQ(error_at("a", 1), "1:2: wrong\na\n ^");
  EXPECT_EQ(error_at("a\n", 2), "2:1: wrong\n\n^");
  EXPECT_EQ(error_at("", 0), "1:1: wrong\n\n^");
}

TEST(SyntaxError, StandsBelowTabsAndWideCharacters) {
  EXPECT_EQ(error_at("\ta b", 3), "1:4: wrong\n\ta b\n\t  ^");
  EXPECT_EQ(error_at("'é語' b", 8), "1:6: wrong\n'é語' b\n      ^");
  EXPECT_EQ(error_at("'e\u0301' b", 6), "1:6: wrong\n'e\u0301' b\n    ^");
}

TEST(SyntaxError, ShowsWhatIsAroundThePlaceOfALongLine) {
  const std::string x(1000, 'x');
  EXPECT_EQ(error_at(x, 0), "1:1: wrong\n" + std::string(100, 'x') + "…\n^");
  EXPECT_EQ(error_at(x, 500),
            "1:501: wrong\n…" + std::string(100, 'x') + "…\n" + std::string(51, ' ') + "^");
  EXPECT_EQ(error_at(x, 1000),
            "1:1001: wrong\n…" + std::string(100, 'x') + "\n" + std::string(101, ' ') + "^");
}

// A query may hold anything, and terminals obey escape sequences.
TEST(SyntaxError, ShowsNoControlCharacters) {
  EXPECT_EQ(error_at("'\033[2J\x7F' b", 8), "1:9: wrong\n'?[2J?' b\n        ^");
  EXPECT_EQ(error_at("\xE9\xC3 b", 3), "1:4: wrong\n?? b\n   ^");
}

TEST(SyntaxError, EndsAProgramWithStatus2) {
  const SyntaxError error("SELECT", {6}, "wrong");
  EXPECT_EQ(internal::exit_status_of(std::make_exception_ptr(error)), 2);
  EXPECT_EQ(error.line(), 1);
  EXPECT_EQ(error.column(), 7);
  EXPECT_EQ(error.message(), "wrong");
}

}  // namespace
}  // namespace grappa::query::sql
