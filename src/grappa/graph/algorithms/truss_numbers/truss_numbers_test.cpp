#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

struct Trusses {
  std::vector<TrussNumber> truss;
  std::vector<TrussEdges> edges;
};

/// By the definition: for each k, edges in fewer than k - 2 triangles of those that are left go
/// until there are none; what is left then is the k-truss.
Trusses serial_truss_numbers(const SerialGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<std::set<VertexId>> near(n);
  std::size_t left = 0;
  for (std::size_t v = 0; v < n; ++v) {
    for (const VertexId w : graph.neighbors(static_cast<std::int64_t>(v))) {
      if (static_cast<std::size_t>(w) != v) near[v].insert(w);
    }
    left += near[v].size();
  }
  Trusses result{.truss = std::vector<TrussNumber>(n), .edges = {}};
  for (TrussNumber k = 2; left > 0; ++k) {
    for (std::size_t v = 0; v < n; ++v) {
      if (!near[v].empty()) result.truss[v] = k;
    }
    TrussEdges removed{.truss = k, .edges = 0};  // who are in no (k + 1)-truss
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t v = 0; v < n; ++v) {
        for (const VertexId w : std::set(near[v])) {
          const auto triangles =
              std::ranges::count_if(near[v], [&](VertexId x) { return near[w].contains(x); });
          if (triangles >= static_cast<std::int64_t>(k) - 1) continue;
          near[v].erase(w);
          near[w].erase(static_cast<VertexId>(v));
          ++removed.edges;
          changed = true;
        }
      }
    }
    left -= 2 * static_cast<std::size_t>(removed.edges);
    if (removed.edges > 0) result.edges.push_back(removed);
  }
  return result;
}

void expect_truss_numbers(const Graph& graph, const Trusses& expected,
                          const TrussOptions& options = {}) {
  TrussNumbersResult result = truss_numbers(graph, options);
  EXPECT_EQ(collect(*result.truss, graph), expected.truss);
  EXPECT_EQ(result.edges, expected.edges);
  const Verification verification = verify(graph, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
}

TEST(TrussNumbers, AreThoseOfTheDefinition) {
  std::map<std::string, Trusses> expected;
  for_all_graphs([&](const TestGraph& test) {
    for (const bool simplify : {true, false}) {
      Graph graph = test.build({.symmetrize = true, .simplify = simplify});
      if (!expected.contains(test.name))
        expected[test.name] = serial_truss_numbers(SerialGraph::of(graph));
      expect_truss_numbers(graph, expected[test.name]);
      graph.destroy();
    }
  });
}

/// Cliques of 2, 3, … vertices, whose truss numbers are far apart, hung in a chain.
TEST(TrussNumbers, OfCliques) {
  TestGraph cliques{"cliques", test::make_list(0, false, {})};
  Trusses expected;
  std::map<TrussNumber, std::int64_t> edges;
  VertexId first = 0;
  for (const VertexId size : {3u, 10u, 100u, 40u, 2u}) {
    for (VertexId v = first; v < first + size; ++v) {
      for (VertexId w = first; w < v; ++w) cliques.list.edges.push_back({v, w});
    }
    edges[size] += size * (size - 1) / 2;
    if (first > 0) {
      cliques.list.edges.push_back({first - 1, first});
      ++edges[2];
    }
    expected.truss.insert(expected.truss.end(), size, size);
    first += size;
  }
  for (const auto& [truss, count] : edges) expected.edges.push_back({truss, count});
  cliques.list.vertex_count = first;
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      Graph graph = cliques.build();
      expect_truss_numbers(graph, expected);
      graph.destroy();
    });
  }
}

/// Rows of others a few at a time, and one at a time where they are long.
TEST(TrussNumbers, InManyBlocks) {
  const TestGraph kron = test::generated("kron:9:8");
  const Trusses expected = serial_truss_numbers(kron.serial());
  for (const Config& config : {grappa::test::cluster(4, 1), grappa::test::deterministic(3, 2)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      Graph graph = kron.build();
      for (const std::int64_t arcs : {1, 200, 5000})
        expect_truss_numbers(graph, expected, {.block_arcs = arcs});
      graph.destroy();
    });
  }
}

TEST(TrussNumbers, OfAStarWithATriangle) {
  constexpr auto kLeaves = static_cast<VertexId>(grappa::test::tasks(300'000));
  TestGraph star{"star", test::make_list(kLeaves + 1, false, {{0, 1}})};
  for (VertexId leaf = 0; leaf < kLeaves; ++leaf) star.list.edges.push_back({leaf, kLeaves});
  Trusses expected{.truss = std::vector<TrussNumber>(kLeaves + 1, 2),
                   .edges = {{2, kLeaves - 2}, {3, 3}}};
  for (const VertexId v : {VertexId{0}, VertexId{1}, kLeaves}) expected.truss[v] = 3;
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      Graph graph = star.build();
      expect_truss_numbers(graph, expected);
      graph.destroy();
    });
  }
}

TEST(TrussNumbers, LeaveNothingBehind) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [] {
      Graph graph = test::generated("kron:8").build();
      grappa::test::expect_nothing_left_behind([&] { truss_numbers(graph); });
      graph.destroy();
    });
  }
}

/// Many edges in each round.
TEST(TrussNumbers, OfAGraphWithManyOnSeveralCores) {
  const TestGraph kron = test::generated("kron:12");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      Graph graph = kron.build();
      const TrussNumbersResult result = truss_numbers(graph);
      const Verification verification = verify(graph, result);
      EXPECT_TRUE(verification.passed()) << verification.failure;
      graph.destroy();
    });
  }
}

TEST(TrussNumbers, VerifierRefusesWhatIsWrong) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}};
  const SerialGraph graph(5, false, edges);
  const std::vector<TrussNumber> truss = {3, 3, 3, 2, 0};
  const std::vector<TrussEdges> counts = {{2, 1}, {3, 3}};
  EXPECT_TRUE(verify_truss_numbers(graph, truss, counts).passed());
  for (std::size_t v = 0; v < truss.size(); ++v) {
    std::vector<TrussNumber> wrong = truss;
    ++wrong[v];
    EXPECT_FALSE(verify_truss_numbers(graph, wrong, counts).passed()) << v;
  }
  const std::vector<TrussEdges> wrong = {{2, 2}, {3, 2}};
  EXPECT_FALSE(verify_truss_numbers(graph, truss, wrong).passed());
  EXPECT_FALSE(verify_truss_numbers(graph, truss, std::span(counts).first(1)).passed());
}

TEST(TrussNumbers, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(truss_numbers(graph), UsageError);
    graph.destroy();
    EXPECT_THROW(truss_numbers(graph), UsageError);
    graph = build_graph(list = test::make_list(3, false, {{0, 1}}));
    EXPECT_THROW(truss_numbers(graph, {.block_arcs = 0}), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
