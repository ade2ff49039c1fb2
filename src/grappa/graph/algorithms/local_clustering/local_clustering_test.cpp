#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::make_list;
using test::TestGraph;

/// The definition, by sets of arcs.
std::vector<double> expected_of(const SerialGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::set<std::pair<std::size_t, std::size_t>> arcs;
  std::vector<std::set<std::size_t>> near(n);
  for (std::size_t v = 0; v < n; ++v) {
    for (const VertexId w : graph.neighbors(static_cast<std::int64_t>(v))) {
      if (w == static_cast<VertexId>(v)) continue;
      arcs.insert({v, w});
      near[v].insert(w);
      near[w].insert(v);
    }
  }
  std::vector<double> coefficient(n);
  for (std::size_t v = 0; v < n; ++v) {
    if (near[v].size() < 2) continue;
    double count = 0;
    for (const std::size_t a : near[v]) {
      for (auto arc = arcs.lower_bound({a, 0}); arc != arcs.end() && arc->first == a; ++arc)
        count += near[v].contains(arc->second);
    }
    const auto size = static_cast<double>(near[v].size());
    coefficient[v] = count / (size * (size - 1));
  }
  return coefficient;
}

void check(const Graph& graph, const std::vector<double>& expected,
           const TriangleOptions& options) {
  LccResult result = local_clustering(graph, options);
  const std::vector<double> coefficient = collect(*result.coefficient, graph);
  ASSERT_EQ(coefficient.size(), expected.size());
  for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_DOUBLE_EQ(coefficient[v], expected[v]);
  const double n = std::max(1.0, static_cast<double>(expected.size()));
  EXPECT_NEAR(result.average, std::accumulate(expected.begin(), expected.end(), 0.0) / n, 1e-12);
  const Verification verification = verify(graph, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
}

void check_all_ways(const Graph& graph, const std::vector<double>& expected) {
  check(graph, expected, {});
  check(graph, expected, {.per_vertex = false});  // which lcc cannot do with
  check(graph, expected, {.rows_above = 1e9});
  for (const std::int64_t hubs : {0, 64, 1 << 14})
    check(graph, expected, {.hubs = hubs, .rows_above = 0});
  check(graph, expected, {.hubs = 64, .rows_above = 0, .block_edges = 500});
}

TEST(Lcc, IsWhatTheDefinitionSays) {
  auto expected_of_graph =
      test::once_for_each_graph([](const TestGraph& test) { return expected_of(test.serial()); });
  for_all_graphs([&](const TestGraph& test) {
    Graph graph = test.build({.in_edges = true});
    const std::vector<double>& expected = expected_of_graph(test);
    check(graph, expected, {});
    check(graph, expected, {.hubs = 64, .rows_above = 0, .block_edges = 500});
    graph.destroy();
  });
}

/// Edges in one direction, in the other and in both, of hubs and of others.
TEST(Lcc, DirectionsOfAllSorts) {
  TestGraph kron = test::directed(test::generated("kron:10:24"));
  std::size_t i = 0;
  for (const Edge e : std::vector<Edge>(kron.list.edges.begin(), kron.list.edges.end())) {
    if (i % 3 != 0) kron.list.edges.push_back({e.target, e.source});
    if (i % 3 == 1) kron.list.edges[i] = {e.target, e.source};
    ++i;
  }
  const std::vector<double> expected = expected_of(kron.serial());
  for (const Config& config :
       {grappa::test::threads(2), grappa::test::cluster(2, 2), grappa::test::cluster(8, 1)}) {
    run(config, [&] {
      Graph graph = kron.build({.in_edges = true});
      check_all_ways(graph, expected);
      graph.destroy();
    });
  }
}

/// v = 0 has the neighbors 1, 2, 3; of the six arcs that these could have, three are there.
TEST(Lcc, OfAGraphDoneByHand) {
  const EdgeList list = make_list(
      5, true,
      {{0, 1}, {1, 0}, {2, 0}, {0, 3}, {0, 3}, {1, 2}, {2, 1}, {3, 2}, {3, 3}, {0, 0}, {4, 3}});
  run(grappa::test::threads(1), [&] {
    EdgeList copy = test::copy_of(list);
    Graph graph = build_graph(copy, {.in_edges = true});
    LccResult result = local_clustering(graph);
    const std::vector<double> coefficient = collect(*result.coefficient, 5);
    EXPECT_DOUBLE_EQ(coefficient[0], 3.0 / 6);
    EXPECT_DOUBLE_EQ(coefficient[1], 1.0 / 2);  // of 0 and 2: 2 -> 0
    EXPECT_DOUBLE_EQ(coefficient[2], 3.0 / 6);  // 0 -> 1, 1 -> 0, 0 -> 3
    EXPECT_DOUBLE_EQ(coefficient[3], 1.0 / 6);  // of 0, 2 and 4: 2 -> 0
    EXPECT_DOUBLE_EQ(coefficient[4], 0);
    graph.destroy();
  });
}

TEST(Lcc, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(local_clustering(graph), UsageError);
    graph.destroy();
    list = make_list(3, false, {{0, 1}});
    graph = build_graph(list);
    EXPECT_THROW(local_clustering(graph, {.hubs = -1}), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
