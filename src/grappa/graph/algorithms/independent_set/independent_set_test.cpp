#include "grappa/graph/algorithms/independent_set/independent_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/vertex_order.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// One vertex after the other, in the order that the header promises.
std::vector<std::uint8_t> serial_set(const SerialGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<VertexId> order(n);
  std::iota(order.begin(), order.end(), VertexId{0});
  std::ranges::sort(order, std::greater<>(), random_rank);
  std::vector<std::uint8_t> in_set(n);
  for (const VertexId v : order) {
    in_set[v] = std::ranges::none_of(graph.neighbors(v),
                                     [&](VertexId w) { return w != v && in_set[w] == 1; });
  }
  return in_set;
}

void check(const TestGraph& test) {
  Graph graph = test.build({.symmetrize = true});
  IndependentSetResult result = maximal_independent_set(graph);
  const auto in_set = collect(*result.in_set, graph);
  EXPECT_EQ(in_set, serial_set(SerialGraph::of(graph)));
  EXPECT_EQ(result.size, std::ranges::count(in_set, 1));
  const Verification verification = verify(graph, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
  graph.destroy();
}

TEST(IndependentSet, IsThatOfTheSerialGreedyAlgorithm) { for_all_graphs(check); }

TEST(IndependentSet, OfALargerGraphOnSeveralCores) {
  const TestGraph kron = test::generated("kron:14");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)})
    run(config, [&] { check(kron); });
}

TEST(IndependentSet, RefusesADirectedGraph) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(maximal_independent_set(graph), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
