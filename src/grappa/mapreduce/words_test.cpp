#include "grappa/mapreduce/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace grappa::mapreduce {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words_of(std::string_view text, const WordRules& rules = {}) {
  std::vector<std::string> words;
  for_each_word(text, rules, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(Words, StandBetweenSpaces) {
  EXPECT_THAT(words_of("the cat, sat\ton  the\x1fmat "),
              ElementsAre("the", "cat,", "sat", "on", "the", "mat"));
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" \r\n"), IsEmpty());
  EXPECT_THAT(words_of("one"), ElementsAre("one"));
}

// Wherever blocks of 64 bytes end.
TEST(Words, OfAnyLengthAtAnyPlace) {
  for (std::size_t front = 0; front < 130; ++front) {
    for (const std::size_t size : {1u, 2u, 62u, 63u, 64u, 65u, 200u}) {
      const std::string word(size, 'x');
      EXPECT_THAT(words_of(std::string(front, ' ') + word), ElementsAre(word));
      EXPECT_THAT(words_of(std::string(front, ' ') + word + " y"), ElementsAre(word, "y"));
    }
  }
}

TEST(Words, SpacesOfUnicode) {
  for (const std::string_view space : {"\u0085", "\u00a0", "\u1680", "\u2000", "\u200a", "\u2028",
                                       "\u2029", "\u202f", "\u205f", "\u3000"}) {
    for (std::size_t front = 0; front < 70; ++front) {
      const std::string word(front + 1, 'x');
      EXPECT_THAT(words_of(word + std::string(space) + "y"), ElementsAre(word, "y")) << front;
    }
  }
  // Neither a joiner nor what only begins like a space, nor what is no UTF-8.
  EXPECT_THAT(words_of("a\u200bb \u2013 \xc2 x\xe2\x80 \xc2\x41"),
              ElementsAre("a\u200bb", "\u2013", "\xc2", "x\xe2\x80", "\xc2\x41"));
}

TEST(Words, InSmallLetters) {
  const WordRules lower{.lower = true};
  EXPECT_THAT(words_of("Der ÄRGER Ωραία ЖУК 北京 \xff"
                       "A",
                       lower),
              ElementsAre("der", "ärger", "ωραία", "жук", "北京",
                          "\xff"
                          "a"));
}

TEST(Words, OfLetters) {
  const WordRules letters{.letters = true};
  EXPECT_THAT(words_of("it's 3 o'clock: Ärger, naïve_x \xff"
                       "a",
                       letters),
              ElementsAre("it", "s", "o", "clock", "Ärger", "naïve", "x", "a"));
  EXPECT_THAT(words_of("end", letters), ElementsAre("end"));
}

// An accent may be a character of its own; so is what makes conjuncts in Devanagari.
TEST(Words, GoOnWithCombiningMarks) {
  const WordRules letters{.letters = true};
  EXPECT_THAT(words_of("cafe\u0301s, e\u0302\u0323\u20dd हिन्दी", letters),
              ElementsAre("cafe\u0301s", "e\u0302\u0323\u20dd", "हिन्दी"));
  EXPECT_THAT(words_of("7\u0301a -\u0301b \u0301", letters), ElementsAre("a", "b"))
      << "what they stand on is no letter";
  for (std::size_t front = 50; front < 70; ++front) {
    const std::string word = std::string(front, 'x') + "\u0301";
    EXPECT_THAT(words_of(word + "y.\u0301z", letters), ElementsAre(word + "y", "z")) << front;
  }
}

// Characters of two to four bytes, across the ends of blocks of 64.
TEST(Words, OfLettersAtAnyPlace) {
  for (std::size_t front = 0; front < 70; ++front) {
    const std::string word = std::string(front, 'x') + "\u00e9\u5317\U0001d400";
    for (const std::string_view other : {"\u2013", "\u00b7", "\U0001f600", "\xe5\x8c", "7"}) {
      EXPECT_THAT(words_of(word + std::string(other) + "y", {.letters = true}),
                  ElementsAre(word, "y"))
          << front;
    }
    EXPECT_THAT(words_of("." + word, {.letters = true}), ElementsAre(word));
    EXPECT_THAT(words_of(word + "\u00c9E", {.lower = true}), ElementsAre(word + "\u00e9" + "e"));
  }
}

TEST(Words, ThatFollowOneAnother) {
  EXPECT_THAT(words_of("a b  c d", {.ngrams = 3}), ElementsAre("a b c", "b c d"));
  EXPECT_THAT(words_of("a b", {.ngrams = 3}), IsEmpty());
  EXPECT_THAT(words_of("To be, or NOT", {.lower = true, .letters = true, .ngrams = 2}),
              ElementsAre("to be", "be or", "or not"));
}

}  // namespace
}  // namespace grappa::mapreduce
