#include "grappa/io/text/fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace grappa::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> split(const FieldRules& rules, std::string_view line) {
  FieldSplitter splitter(rules);
  EXPECT_EQ(splitter.split(line), "");
  return {splitter.fields().begin(), splitter.fields().end()};
}

const FieldRules kCsv{.separator = ',', .quotes = true, .comments = "#"};

TEST(FieldSplitter, Blanks) {
  EXPECT_THAT(split({}, "  a\tbb   c "), ElementsAre("a", "bb", "c"));
  EXPECT_THAT(split({}, ""), ElementsAre());
}

TEST(FieldSplitter, Tabs) {
  EXPECT_THAT(split({.separator = '\t'}, "Ann Lee\tBob\t"), ElementsAre("Ann Lee", "Bob", ""));
}

TEST(FieldSplitter, Csv) {
  EXPECT_THAT(split(kCsv, "a, b ,,d"), ElementsAre("a", "b", "", "d"));
  EXPECT_THAT(split(kCsv, R"("a,b", "say ""hi""",c"d)"), ElementsAre("a,b", "say \"hi\"", "c\"d"));
  EXPECT_THAT(split(kCsv, R"("","""" ,"x")"), ElementsAre("", "\"", "x"));
  EXPECT_THAT(split(kCsv, "\"a\","), ElementsAre("a", ""));
}

TEST(FieldSplitter, DamagedQuotes) {
  FieldSplitter splitter(kCsv);
  EXPECT_THAT(splitter.split("\"a,b"), HasSubstr("not closed"));
  EXPECT_THAT(splitter.split("\"a\"\""), HasSubstr("not closed"));
  EXPECT_THAT(splitter.split("\"a\"b,c"), HasSubstr("expected ','"));
}

}  // namespace
}  // namespace grappa::io
