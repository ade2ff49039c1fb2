#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "grappa/base/error.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::all_shapes;
using test::for_all_graphs;
using test::TestGraph;

/// Kruskal's algorithm: all edges in their order, each taken unless it closes a cycle.
std::vector<ForestEdge> serial_forest(const SerialGraph& graph) {
  std::vector<ForestEdge> edges;
  for (VertexId u = 0; u < graph.vertex_count(); ++u) {
    const std::span<const VertexId> row = graph.neighbors(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (u < row[i]) edges.push_back({graph.weight(u, i), u, row[i]});
    }
  }
  std::ranges::sort(edges, &ForestEdge::is_lighter_than);
  std::vector<VertexId> set(static_cast<std::size_t>(graph.vertex_count()));
  std::iota(set.begin(), set.end(), VertexId{0});
  const auto set_of = [&set](VertexId v) {
    while (set[v] != v) v = set[v] = set[set[v]];
    return v;
  };
  std::vector<ForestEdge> forest;
  for (const ForestEdge& edge : edges) {
    const VertexId a = set_of(edge.u);
    const VertexId b = set_of(edge.v);
    if (a == b) continue;
    set[a] = b;
    forest.push_back(edge);
  }
  std::ranges::sort(forest, {}, [](const ForestEdge& e) { return std::pair(e.u, e.v); });
  return forest;
}

void expect_forest(const TestGraph& test) {
  Graph graph = test.build({.symmetrize = true});
  const std::vector<ForestEdge> expected = serial_forest(SerialGraph::of(graph));
  SpanningForestResult result = minimum_spanning_forest(graph);
  EXPECT_EQ(forest_edges(graph, result), expected);
  EXPECT_EQ(result.edges, std::ssize(expected));
  EXPECT_EQ(result.trees, graph.vertex_count() - std::ssize(expected));
  const double weight =
      std::accumulate(expected.begin(), expected.end(), 0.0,
                      [](double sum, const ForestEdge& edge) { return sum + edge.weight; });
  EXPECT_NEAR(result.weight, weight, 1e-9 * weight);
  const Verification verification = verify(graph, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
  graph.destroy();
}

TEST(SpanningForest, IsKruskalsWithoutWeights) {
  for_all_graphs([](const TestGraph& test) { expect_forest(test); });
}

TEST(SpanningForest, IsKruskalsWithWeightsOfEveryKind) {
  for (const WeightType type : {WeightType::kByte, WeightType::kWord, WeightType::kDouble})
    for_all_graphs([type](const TestGraph& test) { expect_forest(test::weighted(test, type)); });
}

/// Weights that ascend or descend along a path make one chain of all its choices; equal ones make
/// as many rounds as there can be where they halve the components.
TEST(SpanningForest, OfPathsWhoseChoicesAreLongChains) {
  constexpr VertexId kLength = 30'000;
  const auto path = [](auto weight_of) {
    TestGraph graph{"path", test::make_list(kLength, false, {})};
    for (VertexId v = 1; v < kLength; ++v) {
      graph.list.edges.push_back({v - 1, v});
      graph.list.weights.push_back(weight_of(v));
    }
    return graph;
  };
  const std::vector<TestGraph> paths = {
      path([](VertexId v) { return v; }), path([](VertexId v) { return -0.5 * v; }),
      path([](VertexId v) { return std::countr_zero(static_cast<std::uint64_t>(v)); })};
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      for (const TestGraph& test : paths) {
        Graph graph = test.build();
        SpanningForestResult result = minimum_spanning_forest(graph);
        EXPECT_EQ(result.edges, kLength - 1);
        EXPECT_EQ(result.trees, 1);
        const Verification verification = verify(graph, result);
        EXPECT_TRUE(verification.passed()) << verification.failure;
        graph.destroy();
      }
    });
  }
}

/// Equal edges of different weights, in both directions: the lightest counts.
TEST(SpanningForest, OfEqualEdges) {
  TestGraph test{"equal edges", test::make_list(3, true, {{0, 1}, {1, 0}, {0, 1}, {2, 1}, {2, 2}})};
  test.list.weights = {7, 3, 5, 2, 0};
  for (const Config& config : all_shapes()) {
    run(config, [&] {
      Graph graph = test.build({.symmetrize = true});
      SpanningForestResult result = minimum_spanning_forest(graph);
      const std::vector<ForestEdge> expected = {{3, 0, 1}, {2, 1, 2}};
      EXPECT_EQ(forest_edges(graph, result), expected);
      EXPECT_EQ(result.weight, 5);
      graph.destroy();
    });
  }
}

TEST(SpanningForest, OfAGraphWithHubsOnSeveralCores) {
  const TestGraph kron = test::weighted(test::generated("kron:13"), WeightType::kByte);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] { expect_forest(kron); });
  }
}

TEST(SpanningForest, RefusesADirectedGraph) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(minimum_spanning_forest(graph), UsageError);
    graph.destroy();
  });
}

TEST(SpanningForest, RefusesWeightsWhoseSumIsGreaterThanAnyNumber) {
  run(grappa::test::threads(2), [] {
    EdgeList list = test::make_list(3, false, {{0, 1}, {1, 2}});
    list.weights.assign({1e308, 1e308});
    Graph graph = build_graph(list);
    EXPECT_THROW(minimum_spanning_forest(graph), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
