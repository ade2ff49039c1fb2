#include "grappa/graph/algorithms/pagerank/pagerank.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// Ranks after a fixed number of iterations are those of a serial run, up to `error` of each, and
/// the same in all shapes.
void expect_serial_ranks(const PageRankOptions& options, double error) {
  std::map<std::string, std::vector<double>> first;
  for_all_graphs([&](const TestGraph& test) {
    Graph graph = test.build({.in_edges = true});
    const SerialGraph serial = test.serial();
    PageRankResult result = pagerank(graph, options);
    EXPECT_EQ(result.iterations, options.max_iterations);
    EXPECT_FALSE(result.converged);
    const auto rank = collect(*result.rank, graph);
    std::vector<double> expected(rank.size(), 1 / static_cast<double>(rank.size()));
    for (std::int64_t i = 0; i < options.max_iterations; ++i)
      expected = next_ranks(serial, options.damping, expected);
    for (std::size_t v = 0; v < rank.size(); ++v)
      ASSERT_NEAR(rank[v] / expected[v], 1, error) << "vertex " << v;
    const auto [place, is_first] = first.try_emplace(test.name, rank);
    EXPECT_EQ(rank, place->second) << "to the last bit";
    const Verification verification = verify(graph, options, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    graph.destroy();
  });
}

TEST(PageRank, EqualsTheSerialIterationAndIsTheSameInAllShapes) {
  expect_serial_ranks({.damping = 0.9, .tolerance = 0, .max_iterations = 7}, 1e-12);
}

TEST(PageRank, SinglePrecisionIsRightToAMillionthAndTheSameInAllShapes) {
  expect_serial_ranks(
      {.tolerance = 0, .max_iterations = 12, .precision = PageRankPrecision::kSingle}, 1e-6);
}

TEST(PageRank, SinglePrecisionAddsUpLongRows) {
  // A hub with many in-edges: naive sums of 32-bit numbers would lose the smallest digits.
  run(grappa::test::threads(2), [] {
    constexpr VertexId kLeaves = 3'000'000;
    EdgeList list;
    list.vertex_count = kLeaves + 1;
    for (VertexId leaf = 1; leaf <= kLeaves; ++leaf) list.edges.push_back({leaf, 0});
    Graph graph = build_graph(list, {.in_edges = true});
    PageRankResult exact = pagerank(graph, {.tolerance = 0, .max_iterations = 3});
    PageRankResult single = pagerank(
        graph, {.tolerance = 0, .max_iterations = 3, .precision = PageRankPrecision::kSingle});
    const double hub = collect(*exact.rank, graph).front();
    EXPECT_GT(hub, 0.1);
    EXPECT_NEAR(collect(*single.rank, graph).front() / hub, 1, 1e-6);
    graph.destroy();
  });
}

TEST(PageRank, StopsWhenTheChangeIsBelowTheTolerance) {
  for_all_graphs([](const TestGraph& test) {
    Graph graph = test.build({.in_edges = true});
    std::vector<double> changes;
    const PageRankOptions options{.tolerance = 1e-3,
                                  .max_iterations = 1000,
                                  .on_iteration = [&](std::int64_t iteration, double change) {
                                    changes.push_back(change);
                                    EXPECT_EQ(iteration, std::ssize(changes));
                                  }};
    PageRankResult result = pagerank(graph, options);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.iterations, std::ssize(changes));
    EXPECT_EQ(result.change, changes.back());
    EXPECT_LT(changes.back(), 1e-3);
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) EXPECT_GE(changes[i], 1e-3);
    const Verification verification = verify(graph, options, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    graph.destroy();
  });
}

TEST(PageRank, KnownValues) {
  run(grappa::test::threads(2), [] {
    // 0 -> 1, and 1 has no out-edge: x0 = 0.075 + 0.425 x1, x1 = x0 + 0.85 x0.
    EdgeList list = test::make_list(2, true, {{0, 1}});
    Graph graph = build_graph(list, {.in_edges = true});
    PageRankResult result = pagerank(graph, {.tolerance = 1e-15, .max_iterations = 500});
    const auto rank = collect(*result.rank, 2);
    EXPECT_NEAR(rank[0], 1 / 2.85, 1e-12);
    EXPECT_NEAR(rank[1], 1.85 / 2.85, 1e-12);
    graph.destroy();
  });
}

TEST(PageRank, NoIterationsLeaveTheStart) {
  run(grappa::test::threads(2), [] {
    EdgeList list = test::make_list(4, false, {{0, 1}, {2, 3}, {1, 2}});
    Graph graph = build_graph(list);
    const PageRankOptions options{.max_iterations = 0};
    PageRankResult result = pagerank(graph, options);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(collect(*result.rank, 4), std::vector<double>(4, 0.25));
    EXPECT_TRUE(verify(graph, options, result).passed());
    graph.destroy();
  });
}

TEST(PageRank, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(2, true, {{0, 1}});
    Graph graph = build_graph(list, {.in_edges = true});
    EXPECT_THROW(pagerank(graph, {.damping = 1.1}), UsageError);
    EXPECT_THROW(pagerank(graph, {.damping = std::nan("")}), UsageError);
    EXPECT_THROW(pagerank(graph, {.tolerance = -1}), UsageError);
    EXPECT_THROW(pagerank(graph, {.max_iterations = -1}), UsageError);
    graph.destroy();
    list = test::make_list(2, true, {{0, 1}});
    graph = build_graph(list);
    EXPECT_THROW(pagerank(graph), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
