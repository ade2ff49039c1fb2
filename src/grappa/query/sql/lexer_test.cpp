#include "grappa/query/sql/lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

using testing::ElementsAre;

/// The tokens as they are written, without the last, which is empty.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> result;
  for (const Token& token : tokenize(text)) result.emplace_back(written(text, token));
  EXPECT_EQ(result.back(), "");
  result.pop_back();
  return result;
}

std::string string_of(std::string_view text) {
  const std::vector<Token> tokens = tokenize(text);
  EXPECT_EQ(tokens.size(), 2u) << text;
  EXPECT_TRUE(tokens[0].kind == TokenKind::kString || tokens[0].kind == TokenKind::kQuotedName);
  return unquoted(text, tokens[0]);
}

std::string error_in(std::string_view text) {
  try {
    for (const Token& token : tokenize(text)) {
      if (token.kind == TokenKind::kString) unquoted(text, token);
    }
  } catch (const SyntaxError& e) {
    return std::to_string(e.line()) + ":" + std::to_string(e.column()) + ": " + e.message();
  }
  return "no error";
}

TEST(Lexer, SeparatesWordsNumbersAndSymbols) {
  EXPECT_THAT(tokens_of("select a,b_1 from\tt\nwhere x>=.5"),
              ElementsAre("select", "a", ",", "b_1", "from", "t", "where", "x", ">=", ".5"));
  EXPECT_THAT(tokens_of("a<>b!=c||d::int!~*e"),
              ElementsAre("a", "<>", "b", "!=", "c", "||", "d", "::", "int", "!~*", "e"));
  EXPECT_THAT(tokens_of("größe 語 a$1"), ElementsAre("größe", "語", "a$1"));
}

TEST(Lexer, KnowsKindsOfNumbers) {
  const auto kind_of = [](std::string_view text) { return tokenize(text)[0].kind; };
  EXPECT_EQ(kind_of("123456789012345678901234567890"), TokenKind::kInteger);
  EXPECT_EQ(kind_of("1.5"), TokenKind::kDecimal);
  EXPECT_EQ(kind_of("1."), TokenKind::kDecimal);
  EXPECT_EQ(kind_of(".5"), TokenKind::kDecimal);
  EXPECT_EQ(kind_of("1e3"), TokenKind::kDouble);
  EXPECT_EQ(kind_of(".5E-3"), TokenKind::kDouble);
  EXPECT_THAT(tokens_of("1.5.5"), ElementsAre("1.5", ".5"));
  EXPECT_EQ(error_in("select 12ab"), "1:8: expected a number, found 12ab");
  EXPECT_EQ(error_in("1e"), "1:1: expected a number, found 1e");
  EXPECT_EQ(error_in("0x1F"), "1:1: expected a number, found 0x1F");
}

TEST(Lexer, CommentsAreSpace) {
  EXPECT_THAT(tokens_of("a--b\nc -- d"), ElementsAre("a", "c"));
  EXPECT_THAT(tokens_of("a/* b /* c */ d */e/**/"), ElementsAre("a", "e"));
  EXPECT_THAT(tokens_of("1 - -1"), ElementsAre("1", "-", "-", "1"));
  EXPECT_EQ(error_in("a /* b /* c */"), "1:3: the comment is not closed; */ does that");
}

// Queries are pasted from documents, and saved by editors that mark UTF-8.
TEST(Lexer, SpaceOfUnicodeIsSpace) {
  EXPECT_THAT(tokens_of("\uFEFFselect\u00A0a\u3000b\u2009c"), ElementsAre("select", "a", "b", "c"));
}

TEST(Lexer, StringsEndAtASingleQuote) {
  EXPECT_EQ(string_of("'it''s'"), "it's");
  EXPECT_EQ(string_of("''"), "");
  EXPECT_EQ(string_of("''''"), "'");
  EXPECT_EQ(string_of(R"('a\n')"), R"(a\n)");
  EXPECT_EQ(string_of("'a\nb -- c'"), "a\nb -- c");
  EXPECT_EQ(error_in("select 'abc''"), "1:8: the string is not closed; ' does that");
}

TEST(Lexer, NamesInQuotesAreKept) {
  EXPECT_EQ(string_of(R"("a ""b""")"), R"(a "b")");
  EXPECT_EQ(error_in(R"("")"), "1:1: a name is empty");
  EXPECT_EQ(error_in("\"a"), "1:1: the name is not closed; \" does that");
}

TEST(Lexer, EscapesNeedAnE) {
  EXPECT_EQ(string_of(R"(E'a\n\t\\\'''b')"), "a\n\t\\''b");
  EXPECT_EQ(string_of(R"(e'\x41\101\u00E9\U0001F600\é')"), "AAé😀é");
  EXPECT_EQ(error_in(R"(E'\u12')"),
            "1:3: expected \\u and four hexadecimal digits of a character, "
            "or \\U and eight");
  EXPECT_EQ(error_in(R"(E'\uD800')").substr(0, 14), "1:3: expected ");
  EXPECT_EQ(error_in(R"(E'\xE9')"),
            "1:3: expected \\x and one or two digits of an ASCII character; "
            "others are \\u00E9");
  EXPECT_EQ(error_in(R"(E'a\')"), "1:1: the string is not closed; ' does that");
}

TEST(Lexer, DollarsQuoteWithoutEscapes) {
  EXPECT_EQ(string_of("$$it's$$"), "it's");
  EXPECT_EQ(string_of("$a$ $$ $b$ $a$"), " $$ $b$ ");
  EXPECT_EQ(error_in("$a$ $b$"), "1:1: the string is not closed; $a$ does that");
}

TEST(Lexer, RefusesWhatIsNoText) {
  EXPECT_EQ(error_in("a\nb\xE9"), "2:2: expected UTF-8, found the byte 0xE9");
  EXPECT_EQ(error_in("'\xC3'"), "1:2: expected UTF-8, found the byte 0xC3");
  EXPECT_EQ(error_in("a \x01"), "1:3: the character 0x01 is none of SQL's");
  EXPECT_EQ(error_in("a `b`"), "1:3: the character ` is none of SQL's");
  EXPECT_EQ(error_in("X'FF'"), "1:1: bit strings (B'…', X'…') are not supported");
}

}  // namespace
}  // namespace grappa::query::sql
