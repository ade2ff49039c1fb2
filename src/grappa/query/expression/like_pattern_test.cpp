#include "grappa/query/expression/like_pattern.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "grappa/base/error.hpp"

namespace grappa::query {
namespace {

bool matches(std::string_view text, std::string_view pattern, char escape = 0, bool any = false) {
  return LikePattern(pattern, escape, any).matches(text);
}

TEST(LikePattern, PercentIsAnyTextAndUnderscoreACharacter) {
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("", "%"));
  EXPECT_FALSE(matches("", "_"));
  EXPECT_TRUE(matches("abc", "a%c"));
  EXPECT_TRUE(matches("ac", "a%c"));
  EXPECT_FALSE(matches("acd", "a%c"));
  EXPECT_TRUE(matches("日本", "__"));
  EXPECT_FALSE(matches("日本", "______"));
  EXPECT_TRUE(matches("日本語", "%本_"));
}

TEST(LikePattern, EscapesAndCase) {
  EXPECT_TRUE(matches("a%c", "a\\%c", '\\'));
  EXPECT_FALSE(matches("abc", "a\\%c", '\\'));
  EXPECT_TRUE(matches("!", "!!", '!'));
  EXPECT_FALSE(matches("ABC", "abc"));
  EXPECT_TRUE(matches("aBC", "%Bc", 0, true));
  EXPECT_THROW(matches("a", "a!", '!'), UsageError);
}

/// As it is defined, by trying every end of a %.
bool defined(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    for (std::size_t n = 0; n <= text.size(); ++n)
      if (defined(text.substr(n), pattern.substr(1))) return true;
    return false;
  }
  return !text.empty() && (pattern[0] == '_' || pattern[0] == text[0]) &&
         defined(text.substr(1), pattern.substr(1));
}

TEST(LikePattern, AsItIsDefined) {
  std::mt19937 random(1);
  const auto some = [&](std::string_view from, std::size_t most) {
    std::string made(random() % (most + 1), ' ');
    for (char& c : made) c = from[random() % from.size()];
    return made;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = some("ab", 8);
    const std::string pattern = some("ab_%%", 6);
    ASSERT_EQ(matches(text, pattern), defined(text, pattern)) << text << " LIKE " << pattern;
  }
}

TEST(LikePattern, FindsBytesAnywhereInTextsOfAnyLength) {
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 120, 'a');
    for (char& c : text) c = static_cast<char>(random() % 8 == 0 ? 'b' : 'a');
    std::string needle(1 + random() % 6, 'a');
    for (char& c : needle) c = static_cast<char>(random() % 3 == 0 ? 'b' : 'a');
    ASSERT_EQ(matches(text, "%" + needle + "%"), text.find(needle) != std::string::npos)
        << text << " LIKE %" << needle << "%";
    const std::size_t first = text.find(needle);
    const bool twice =
        first != std::string::npos && text.find("bb", first + needle.size()) != std::string::npos;
    ASSERT_EQ(matches(text, "%" + needle + "%bb%"), twice) << text << " " << needle;
  }
}

}  // namespace
}  // namespace grappa::query
