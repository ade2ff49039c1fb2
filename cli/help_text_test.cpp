#include "cli/help_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace grappa::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WrapText, ShortTextStaysAsItIs) {
  EXPECT_EQ(wrap_text("a few words", 10), "a few words");
  EXPECT_EQ(wrap_text("", 10), "");
}

TEST(WrapText, BreaksBeforeTheLimitAndIndents) {
  const std::string word(40, 'x');
  EXPECT_EQ(wrap_text(word + " " + word + " " + word, 2), word + " " + word + "\n  " + word);
}

TEST(WrapText, LongWordsAreNotCut) {
  const std::string word(150, 'x');
  EXPECT_EQ(wrap_text(word + " y", 4), word + "\n    y");
}

TEST(WrapText, KeepsLineBreaksAndEmptyLines) {
  EXPECT_EQ(wrap_text("one\n\ntwo\nthree", 3), "one\n\n   two\n   three");
}

TEST(HelpText, NamesUsageAndGroupsWithTheHelpFlagLast) {
  const std::string text = help_text("grappa it FILE [options]", "What it does.",
                                     {{"Help", "-h, --help", "print this"},
                                      {"", "--secret", "not shown"},
                                      {"Arguments", "FILE", "a file"},
                                      {"Numbers", "-n, --count N", "how many [3]"}});
  EXPECT_THAT(text, HasSubstr("Usage: grappa it FILE [options]\n\nWhat it does.\n"));
  EXPECT_THAT(text, HasSubstr("\nArguments:\n  FILE "));
  EXPECT_THAT(text, HasSubstr("\nNumbers:\n  -n, --count N "));
  EXPECT_THAT(text, HasSubstr("how many [3]\n\nHelp:\n"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace grappa::cli
