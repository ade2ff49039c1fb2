#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using io::ReadOptions;
using testing::HasSubstr;

constexpr Reading kCsv{Format::kCsv};

TEST(ReadCsv, WhatWouldBeLost) {
  kCsv.expect_bad("1,2\n2,3,5\n", 2, "3 columns, 2 expected", {.want_weights = true});
  kCsv.expect_bad("a,b\nb,c,5\n", 2, "3 columns, 2 expected", {.want_weights = true});
  kCsv.expect_bad("a,b\n\"b\tc\",d\n", 2, "a vertex name with a tab in it");
  kCsv.expect_bad("a,b,c\rd,e,f\r", 1, "lines must end with a line feed");
  kCsv.expect_bad("a,b,c\nd,e,f\rg,h,i\n", 2, "lines must end with a line feed");
}

TEST(ReadCsv, WithAndWithoutHeader) {
  const NamedEdges expected = {{"1", "2"}, {"2", "30"}};
  EXPECT_EQ(named_edges(kCsv.read("1,2\n2,30\n")), expected);
  EXPECT_EQ(named_edges(kCsv.read("source,target\n1,2\n2,30\n")), expected);
  EXPECT_EQ(named_edges(kCsv.read("a,b\r\n1, 2 \r\n 2 ,30")), expected);
  EXPECT_EQ(named_edges(kCsv.read("1;2\n2;30\n")), expected);
  EXPECT_EQ(named_edges(kCsv.read("\"1\",\"2\"\n\"2\",\"30\"\n")), expected);
  EXPECT_EQ(named_edges(kCsv.read("# Undirected graph\n\n1,2\n2,30\n")), expected);
  EXPECT_FALSE(kCsv.read("# Undirected graph\n1,2\n").directed);
}

TEST(ReadCsv, Weights) {
  const NamedEdges expected = {{"1", "2", 0.5}, {"2", "30", 4}};
  const ReadOptions weights{.want_weights = true};
  EXPECT_EQ(named_edges(kCsv.read("1,2,0.5\n2,30,4\n", weights)), expected);
  EXPECT_EQ(named_edges(kCsv.read("1,2,0.5,x\n2,30,4,y\n", weights)), expected);
  EXPECT_EQ(named_edges(kCsv.read("\"1\",2,\"0.5\"\n2,30,4\n", weights)), expected);
  EXPECT_EQ(kCsv.read("1,2,0.5\n").note, "column 3 is ignored");
  EXPECT_TRUE(kCsv.read("1,2\n", weights).weights.empty());
}

TEST(ReadCsv, ColumnsByName) {
  const std::string text = "id,Weight,To,From\n7,0.5,2,1\n8,4,30,2\n";
  const EdgeList list = kCsv.read(text, {.want_weights = true});
  EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2", 0.5}, {"2", "30", 4}}));
  EXPECT_THAT(list.note, HasSubstr("column 1 ('id') is ignored"));
  EXPECT_THAT(kCsv.read(text).note, HasSubstr("columns 1 ('id'), 2 ('weight') are ignored"));
  const EdgeList guessed = kCsv.read("source,target,years\n1,2,3\n", {.want_weights = true});
  EXPECT_THAT(guessed.note, HasSubstr("column 3 is taken as the weight"));
}

TEST(ReadCsv, StringsAndQuotes) {
  const EdgeList list =
      kCsv.read("source,target\n\"Smith, J.\",\"say \"\"hi\"\"\"\nbob,\"Smith, J.\"\n");
  EXPECT_EQ(named_edges(list), (NamedEdges{{"Smith, J.", "say \"hi\""}, {"bob", "Smith, J."}}));
  EXPECT_EQ(named_edges(kCsv.read("ann,bob\nbob,carl dean\n")),
            (NamedEdges{{"ann", "bob"}, {"bob", "carl dean"}}));
}

TEST(ReadCsv, LargeIds) {
  EXPECT_EQ(named_edges(kCsv.read("1,9223372036854775807\n")),
            (NamedEdges{{"1", "9223372036854775807"}}));
  EXPECT_EQ(named_edges(kCsv.read("\"1\",9223372036854775807\n")),
            (NamedEdges{{"1", "9223372036854775807"}}));
}

TEST(ReadCsv, BadLines) {
  kCsv.expect_bad("1,2\n3\n", 2, "1 column, 2 expected");
  kCsv.expect_bad("1,2\n3,\n", 2, "expected a vertex id (an integer), found ''");
  kCsv.expect_bad("1,2\n,3\n", 2, "found ''");
  kCsv.expect_bad("1,2\n1,-3\n", 2, "vertex id -3 is negative");
  kCsv.expect_bad("1,2\n1,9223372036854775808\n", 2, "is above");
  kCsv.expect_bad("1,2\n3 4\n", 2, "found '3 4'");
  kCsv.expect_bad("1,2\n3,4 5\n", 2, "found '4 5'");
  kCsv.expect_bad("\"1\",2\n\"3,4\n", 2, "not closed");
  kCsv.expect_bad("\"1\",2\n3\n", 2, "1 column, 2 expected");
  kCsv.expect_bad("ann,bob\nann,\n", 2, "name is empty");
  kCsv.expect_bad("ann,bob\nann,\xff\n", 2, "UTF-8");
  kCsv.expect_bad("#\n", 1, "without any edge");
  kCsv.expect_bad("source,target,weight\n", 1, "without any edge");
  const ReadOptions weights{.want_weights = true};
  kCsv.expect_bad("1,2,3\n1,2\n", 2, "2 columns, 3 expected", weights);
  kCsv.expect_bad("1,2,3\n1,2,\n", 2, "expected a weight", weights);
  kCsv.expect_bad("1,2,3\n1,2,nan\n", 2, "expected a weight", weights);
  kCsv.expect_bad("\"1\",2,3\n1,2,-inf\n", 2, "expected a weight", weights);
  kCsv.expect_bad(std::string("1,2\n\0,3\n", 8), 2, "binary data");
}

}  // namespace
}  // namespace grappa::graph
