#include "grappa/graph/exec/take_vertices.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

TEST(TakeVertices, AsksEachCandidateOnceAndCountsThoseTaken) {
  run(grappa::test::threads(1), [] {
    const Owned<Graph> graph(test::generated("grid:10x20").build());
    const std::array<std::uint64_t, 4> candidates{~std::uint64_t{0}, 0, 0xF0, 1};
    std::vector<VertexId> asked;
    std::vector<std::pair<std::int64_t, std::uint64_t>> marked;
    const Taken taken = take_vertices(
        0, 4, graph->out(),
        [&](std::int64_t word) { return candidates[static_cast<std::size_t>(word)]; },
        [&](VertexId v) {
          asked.push_back(v);
          return v % 3 == 0;
        },
        [&](std::int64_t word, std::uint64_t bits) { marked.emplace_back(word, bits); });

    std::vector<VertexId> expected;
    std::array<std::uint64_t, 4> bits{};
    Taken sum;
    for (VertexId v = 0; v < 200; ++v) {
      if ((candidates[v / 64U] >> (v % 64U) & 1) == 0) continue;
      expected.push_back(v);
      if (v % 3 != 0) continue;
      bits[v / 64U] |= std::uint64_t{1} << (v % 64U);
      ++sum.vertices;
      sum.arcs += graph->out().degree(v);
    }
    EXPECT_EQ(asked, expected);
    EXPECT_EQ(taken.vertices, sum.vertices);
    EXPECT_EQ(taken.arcs, sum.arcs);
    ASSERT_EQ(marked.size(), 4U);  // empty words, too
    for (std::size_t word = 0; word < 4; ++word)
      EXPECT_EQ(marked[word], std::pair(static_cast<std::int64_t>(word), bits[word]));
  });
}

}  // namespace
}  // namespace grappa::graph
