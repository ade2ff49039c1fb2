#include "grappa/query/io/json_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace grappa::query {
namespace {

/// In parts of so many bytes.
std::string lines_of(const std::string& text, std::size_t bytes) {
  std::string made(text.size(), '?');
  JsonLines lines;
  for (std::size_t at = 0; at < text.size(); at += bytes)
    lines.put(text.data() + at, made.data() + at, std::min(bytes, text.size() - at));
  return made;
}

TEST(JsonLines, GiveEachObjectALine) {
  for (const std::size_t bytes : {1u, 2u, 3u, 1000u}) {
    EXPECT_EQ(lines_of("[{\"a\": 1},{\"b\": [2,\n3]}]", bytes), "[{\"a\": 1}\n{\"b\": [2, 3]}]");
    EXPECT_EQ(lines_of("{\"a\":\r\n{\"b\": {}}}", bytes), "{\"a\":  {\"b\": {}}}");
    EXPECT_EQ(lines_of("{} {}\n{}", bytes), "{}\n{}\n{}");
    EXPECT_EQ(lines_of(R"([{"a": "}, \"{"},{}])", bytes), "[{\"a\": \"}, \\\"{\"}\n{}]");
    EXPECT_EQ(lines_of(R"([{"a": "\\"},{}])", bytes), "[{\"a\": \"\\\\\"}\n{}]");
  }
}

TEST(JsonLines, AreKnownWhereTheyAreThere) {
  EXPECT_TRUE(JsonLines::are_there("{\"a\": 1}\n{\"a\": {\"b\": 2}}\n"));
  EXPECT_TRUE(JsonLines::are_there("[\n{\"a\": [1, 2]},\n{\"a\": \"{\"}\n]\n"));
  EXPECT_TRUE(JsonLines::are_there("[{\"a\": 1}]"));
  EXPECT_TRUE(JsonLines::are_there("{\"a\": 1"));
  EXPECT_TRUE(JsonLines::are_there(""));
  EXPECT_FALSE(JsonLines::are_there("{\n\"a\": 1}"));
  EXPECT_FALSE(JsonLines::are_there("[{\"a\": 1}, {\"a\": 2}]"));
  EXPECT_FALSE(JsonLines::are_there("[\n  {\n"));
}

TEST(JsonLines, DoNotMindWhatIsNoJson) {
  EXPECT_EQ(lines_of("]}\"", 1), "]}\"");
  EXPECT_EQ(lines_of("}{[}]", 1), "}{[}]");
}

}  // namespace
}  // namespace grappa::query
