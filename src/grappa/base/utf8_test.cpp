#include "grappa/base/utf8.hpp"

#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

TEST(Utf8, EncodesAndDecodesAllLengths) {
  for (const std::uint32_t code :
       {0x01u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xD7FFu, 0xE000u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string text = "a";
    append_utf8(code, text);
    const Utf8Character character = decode_utf8(std::string_view(text).substr(1));
    EXPECT_EQ(character.code, code);
    EXPECT_EQ(character.bytes, text.size() - 1);
  }
  std::string text;
  append_utf8(0x20AC, text);
  EXPECT_EQ(text, "€");
}

TEST(Utf8, FindsTheFirstByteThatIsNone) {
  EXPECT_EQ(find_invalid_utf8("aé語😀"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8(std::string_view("\0a", 2)), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("é\x80"), 2u);             // a continuation alone
  EXPECT_EQ(find_invalid_utf8("a\xC3"), 1u);             // cut off
  EXPECT_EQ(find_invalid_utf8("\xC0\x80"), 0u);          // longer than needed
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0u);      // a surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // beyond Unicode
}

TEST(Utf8, KnowsTheColumnsOfATerminal) {
  EXPECT_EQ(display_columns('a'), 1);
  EXPECT_EQ(display_columns(0xE9), 1);
  EXPECT_EQ(display_columns(0x8A9E), 2);   // 語
  EXPECT_EQ(display_columns(0x1F600), 2);  // 😀
  EXPECT_EQ(display_columns(0x301), 0);    // an accent on what is before it
}

}  // namespace
}  // namespace grappa::internal
