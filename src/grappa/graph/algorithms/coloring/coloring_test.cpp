#include "grappa/graph/algorithms/coloring/coloring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/vertex_order.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// One vertex after the other, in the order that the header promises.
std::vector<std::uint32_t> serial_colors(const SerialGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<VertexId> order(n);
  std::iota(order.begin(), order.end(), VertexId{0});
  std::ranges::sort(order, std::greater<>(), [&](VertexId v) {
    return std::pair(std::bit_width(graph.neighbors(v).size()), random_rank(v));
  });
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> color(n, kNone);
  for (const VertexId v : order) {
    std::vector<bool> taken(graph.neighbors(v).size() + 1);
    for (const VertexId w : graph.neighbors(v)) {
      if (color[w] < taken.size()) taken[color[w]] = true;
    }
    color[v] = static_cast<std::uint32_t>(std::ranges::find(taken, false) - taken.begin());
  }
  return color;
}

TEST(Coloring, IsThatOfTheSerialGreedyAlgorithm) {
  for_all_graphs([](const TestGraph& test) {
    Graph graph = test.build({.symmetrize = true});
    const SerialGraph serial = SerialGraph::of(graph);
    ColoringResult result = color(graph);
    const auto colors = collect(*result.color, graph);
    const auto expected = serial_colors(serial);
    EXPECT_EQ(colors, expected);
    EXPECT_EQ(result.colors, expected.empty() ? 0 : *std::ranges::max_element(expected) + 1);
    const Verification verification = verify(graph, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    graph.destroy();
  });
}

TEST(Coloring, ManyColorsOnSeveralCores) {
  const TestGraph kron = test::generated("kron:13");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Graph graph = kron.build();
      ColoringResult result = color(graph);
      EXPECT_EQ(collect(*result.color, graph), serial_colors(SerialGraph::of(graph)));
      EXPECT_GT(result.colors, 20);
      graph.destroy();
    });
  }
}

// All vertices are of one class, and each one waits for all before it: too much for every locale to
// color it, but small enough to look whether it is.
TEST(Coloring, OfACliqueAllColorsDiffer) {
  constexpr VertexId kSize = 300;
  std::vector<Edge> edges;
  for (VertexId v = 0; v < kSize; ++v) {
    for (VertexId u = 0; u < v; ++u) edges.push_back({u, v});
  }
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 1)}) {
    run(config, [&] {
      EdgeList list = test::make_list(kSize, false, edges);
      Graph graph = build_graph(list);
      ColoringResult result = color(graph);
      EXPECT_EQ(collect(*result.color, graph), serial_colors(SerialGraph::of(graph)));
      EXPECT_EQ(result.colors, kSize);
      graph.destroy();
    });
  }
}

TEST(Coloring, RefusesADirectedGraph) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(color(graph), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
