#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// By the definition: of the whole graph, vertices with fewer than k neighbors among those that
/// are left go until there are none; who is left then is in the k-core.
std::vector<CoreNumber> serial_core_numbers(const SerialGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<CoreNumber> core(n);
  std::vector<bool> left(n, true);
  for (CoreNumber k = 1; std::ranges::find(left, true) != left.end(); ++k) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t v = 0; v < n; ++v) {
        const auto near = std::ranges::count_if(graph.neighbors(static_cast<std::int64_t>(v)),
                                                [&](VertexId w) { return left[w]; });
        if (!left[v] || static_cast<CoreNumber>(near) >= k) continue;
        left[v] = false;
        changed = true;
      }
    }
    for (std::size_t v = 0; v < n; ++v) core[v] += left[v] ? 1 : 0;
  }
  return core;
}

void expect_core_numbers(const Graph& graph, const std::vector<CoreNumber>& expected) {
  CoreNumbersResult result = core_numbers(graph);
  const auto core = collect(*result.core, graph);
  EXPECT_EQ(core, expected);
  const CoreNumber most = expected.empty() ? 0 : *std::ranges::max_element(expected);
  EXPECT_EQ(result.degeneracy, most);
  EXPECT_EQ(result.innermost, std::ranges::count(expected, most));
  const Verification verification = verify(graph, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
}

TEST(CoreNumbers, AreThoseOfTheDefinition) {
  for_all_graphs([](const TestGraph& test) {
    for (const bool simplify : {true, false}) {
      Graph graph = test.build({.symmetrize = true, .simplify = simplify});
      expect_core_numbers(graph, serial_core_numbers(SerialGraph::of(graph)));
      graph.destroy();
    }
  });
}

/// Cliques of 2, 3, … vertices, whose core numbers are far apart, hung in a chain.
TEST(CoreNumbers, OfCliques) {
  TestGraph cliques{"cliques", test::make_list(0, false, {})};
  std::vector<CoreNumber> expected;
  VertexId first = 0;
  for (const VertexId size : {3u, 10u, 100u, 40u, 2u}) {
    for (VertexId v = first; v < first + size; ++v) {
      for (VertexId w = first; w < v; ++w) cliques.list.edges.push_back({v, w});
    }
    if (first > 0) cliques.list.edges.push_back({first - 1, first});
    expected.insert(expected.end(), size, size - 1);
    first += size;
  }
  cliques.list.vertex_count = first;
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      Graph graph = cliques.build();
      expect_core_numbers(graph, expected);
      graph.destroy();
    });
  }
}

/// Chains of removals longer than what a core follows by itself, and a hub that all lead to.
TEST(CoreNumbers, OfLongChains) {
  constexpr VertexId kLength = 20'000;
  TestGraph path{"path", test::make_list(kLength, false, {})};
  for (VertexId v = 1; v < kLength; ++v) path.list.edges.push_back({v - 1, v});
  TestGraph grid = test::generated("grid:150x200");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      for (const TestGraph* test : {&path, &grid}) {
        Graph graph = test->build();
        expect_core_numbers(graph,
                            std::vector<CoreNumber>(static_cast<std::size_t>(graph.vertex_count()),
                                                    test == &grid ? 2 : 1));
        graph.destroy();
      }
    });
  }
}

TEST(CoreNumbers, OfAGraphWithManyOnSeveralCores) {
  const TestGraph kron = test::generated("kron:13");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Graph graph = kron.build();
      expect_core_numbers(graph, serial_core_numbers(SerialGraph::of(graph)));
      graph.destroy();
    });
  }
}

TEST(CoreNumbers, RefusesADirectedGraph) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(core_numbers(graph), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
