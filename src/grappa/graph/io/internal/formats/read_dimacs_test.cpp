#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

constexpr Reading kDimacs{Format::kDimacs};

TEST(ReadDimacs, ShortestPaths) {
  const std::string text = "c 9th challenge\nc\np sp 4 3\nc arcs\na 1 2 17\na 2 1 17\na 3 2 0\n";
  const EdgeList list = kDimacs.read(text, {.want_weights = true});
  EXPECT_TRUE(list.directed);
  EXPECT_EQ(list.vertex_count, 4);
  EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2", 17}, {"2", "1", 17}, {"3", "2", 0}}));
  EXPECT_EQ(named_edges(kDimacs.read(text)), (NamedEdges{{"1", "2"}, {"2", "1"}, {"3", "2"}}));
}

TEST(ReadDimacs, Coloring) {
  for (const char* kind : {"edge", "col"}) {
    const std::string text = std::string("p ") + kind + " 3 2\ne 1 2\ne 3 2\n";
    const EdgeList list = kDimacs.read(text, {.want_weights = true});
    EXPECT_FALSE(list.directed);
    EXPECT_TRUE(list.weights.empty());
    EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2"}, {"3", "2"}}));
    EXPECT_EQ(kDimacs.read(text, {.directed = true}).edges.size(), 4u);
  }
}

TEST(ReadDimacs, BadFiles) {
  kDimacs.expect_bad("c only\n", 1, "the file ends where 'p sp vertices arcs'");
  kDimacs.expect_bad("1 2\n", 1,
                     "expected 'p sp vertices arcs' or 'p edge vertices edges', found '1 2'");
  kDimacs.expect_bad("p max 3 4\n", 1, "found 'p max 3 4'");
  kDimacs.expect_bad("p sp 3\n", 1, "found 'p sp 3'");
  kDimacs.expect_bad("p sp x 1\n", 1, "expected the number of vertices (a number), found 'x'");
  kDimacs.expect_bad("p sp 0 0\n", 1, "a graph without vertices");
  kDimacs.expect_bad("p sp 3 2\na 1 2 3\n", 1, "2 arcs announced here, but the file has 1");
  kDimacs.expect_bad("p edge 3 1\ne 1 2\ne 2 3\n", 1, "1 edge announced here, but the file has 2");
  kDimacs.expect_bad("p sp 3 1\na 1 4 3\n", 2, "vertex 4 is not in 1 ... 3");
  kDimacs.expect_bad("p sp 3 1\na 0 1 3\n", 2, "vertex 0 is not in 1 ... 3");
  kDimacs.expect_bad("p sp 3 1\na 1 2\n", 2, "2 columns, 3 expected");
  kDimacs.expect_bad("p sp 3 1\na 1 2 3 4\n", 2, "4 columns, 3 expected");
  kDimacs.expect_bad("p sp 3 1\n1 2 3\n", 2, "expected a line 'a ...', found '1 2 3'");
  kDimacs.expect_bad("p sp 3 1\ne 1 2\n", 2, "expected a line 'a ...', found 'e 1 2'");
  kDimacs.expect_bad("p sp 3 1\na1 2 3\n", 2, "expected a line 'a ...'");
  kDimacs.expect_bad("p edge 3 1\ne 1 -2\n", 2, "negative");
  kDimacs.expect_bad("p sp 3 1\na 1 2 nan\n", 2, "expected a weight", {.want_weights = true});
}

}  // namespace
}  // namespace grappa::graph
