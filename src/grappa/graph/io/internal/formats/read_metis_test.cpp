#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using io::ReadOptions;

constexpr Reading kMetis{Format::kMetis};

TEST(ReadMetis, Plain) {
  const std::string text = "% comment\n4 3\n2 3\n% between\n1 3 \n1\t2\n\n";
  for (const std::size_t bytes : {1u, 4u, 9u, 1000u}) {
    for (const ParallelFor& parallel : {serial_for(), backwards_for(), threaded_for()}) {
      const EdgeList list =
          read_string(Format::kMetis, text, {.chunk_bytes = bytes}, 2 * bytes, parallel);
      EXPECT_FALSE(list.directed);
      EXPECT_EQ(list.vertex_count, 4);
      EXPECT_EQ(named_edges(list), (NamedEdges{{"1", "2"}, {"1", "3"}, {"2", "3"}}));
    }
  }
  EXPECT_EQ(kMetis.read(text, {.directed = true}).edges.size(), 6u);
  EXPECT_EQ(named_edges(kMetis.read("2 1\r\n2\r\n1")), (NamedEdges{{"1", "2"}}));
}

TEST(ReadMetis, EdgeWeights) {
  for (const char* flags : {"1", "001"}) {
    const std::string text = std::string("3 2 ") + flags + "\n2 5\n1 5 3 7\n2 7\n";
    EXPECT_EQ(named_edges(kMetis.read(text, {.want_weights = true})),
              (NamedEdges{{"1", "2", 5}, {"2", "3", 7}}));
    EXPECT_EQ(named_edges(kMetis.read(text)), (NamedEdges{{"1", "2"}, {"2", "3"}}));
  }
}

TEST(ReadMetis, VertexWeightsAndSizes) {
  const NamedEdges expected = {{"1", "2", 5}, {"2", "3", 7}};
  const ReadOptions weights{.want_weights = true};
  const EdgeList list = kMetis.read("3 2 11\n9 2 5\n9 1 5 3 7\n9 2 7\n", weights);
  EXPECT_EQ(named_edges(list), expected);
  EXPECT_EQ(list.note, "vertex weights are ignored");
  EXPECT_EQ(named_edges(kMetis.read("3 2 011 2\n9 8 2 5\n9 8 1 5 3 7\n9 8 2 7\n", weights)),
            expected);
  EXPECT_EQ(named_edges(kMetis.read("3 2 111 2\n9 8 7 2 5\n9 8 7 1 5 3 7\n9 8 7 2 7\n", weights)),
            expected);
  EXPECT_EQ(named_edges(kMetis.read("3 2 100\n9 2\n9 1 3\n9 2\n")),
            (NamedEdges{{"1", "2"}, {"2", "3"}}));
}

TEST(ReadMetis, TrailingBlankLinesAreAllowed) {
  EXPECT_EQ(kMetis.read("2 1\n2\n1\n\n  \n% end\n").edges.size(), 1u);
}

TEST(ReadMetis, Headers) {
  kMetis.expect_bad("% only\n", 1, "the file ends where 'vertices edges [fmt [ncon]]' is expected");
  kMetis.expect_bad("3\n", 1, "expected 'vertices edges [fmt [ncon]]', found '3'");
  kMetis.expect_bad("3 1 1 1 1\n", 1, "expected 'vertices edges");
  kMetis.expect_bad("x 1\n", 1, "expected the number of vertices (a number), found 'x'");
  kMetis.expect_bad("3 -1\n", 1, "expected the number of edges (a number), found '-1'");
  kMetis.expect_bad("0 0\n", 1, "a graph without vertices");
  kMetis.expect_bad("3 1 2\n", 1, "expected fmt, up to three digits 0 or 1, found '2'");
  kMetis.expect_bad("3 1 1111\n", 1, "found '1111'");
  kMetis.expect_bad("3 1 10 0\n", 1, "ncon is 0");
  const std::string many = std::to_string(kMaxVertices + 1);
  kMetis.expect_bad(many + " 1\n", 1, many + " vertices");
}

TEST(ReadMetis, BadLines) {
  kMetis.expect_bad("3 1\n2\n1\n", 3, "the file ends after the line of vertex 2 of 3");
  kMetis.expect_bad("2 1\n2\n1\n1\n", 4, "a line behind that of the last of 2 vertices");
  kMetis.expect_bad("2 1\n3\n1\n", 2, "vertex 3 is not in 1 ... 2");
  kMetis.expect_bad("2 1\n2\n0\n", 3, "vertex 0 is not in 1 ... 2");
  kMetis.expect_bad("2 1\n2\n1 x\n", 3, "expected a vertex id (an integer), found 'x'");
  kMetis.expect_bad("2 1\n2\n-1\n", 3, "negative");
  kMetis.expect_bad("2 1\n1 2\n1\n", 2, "vertex 1 is its own neighbor");
  kMetis.expect_bad("2 2\n2\n1\n", 1, "2 edges announced here, but the file has 1");
  kMetis.expect_bad("3 1\n2\n1 3\n\n", 0, "only in the line of one of its ends");
  kMetis.expect_bad("3 1\n2\n3\n\n", 0, "only in the line of one of its ends");
  kMetis.expect_bad("2 1 1\n2 5\n1 6\n", 0, "has two weights", {.want_weights = true});
  kMetis.expect_bad("2 1 1\n2\n1 6\n", 2, "a neighbor without its weight");
  kMetis.expect_bad("2 1 1\n2 nan\n1 nan\n", 2, "expected a weight");
  kMetis.expect_bad("2 1 10\n9 2\n\n", 3,
                    "1 vertex weight expected in front of the neighbors, found 0");
  kMetis.expect_bad("2 1 10\nx 2\n9 1\n", 2, "expected a vertex weight (an integer), found 'x'");
  kMetis.expect_bad(std::string("2 1\n2\n1\0\n", 9), 3, "binary data, not text");
}

TEST(ReadMetis, LongLinesAreAllowed) {
  constexpr int kLeaves = 300000;
  std::string text = std::to_string(kLeaves + 1) + " " + std::to_string(kLeaves) + "\n";
  for (int leaf = 0; leaf < kLeaves; ++leaf) text += std::to_string(leaf + 2) + " ";
  text += "\n";
  for (int leaf = 0; leaf < kLeaves; ++leaf) text += "1\n";
  EXPECT_EQ(read_string(Format::kMetis, text, {}, 1000).edges.size(), kLeaves);
}

}  // namespace
}  // namespace grappa::graph
