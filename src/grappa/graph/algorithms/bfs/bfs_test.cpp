#include "grappa/graph/algorithms/bfs/bfs.hpp"

#include <gtest/gtest.h>

#include <queue>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

std::vector<std::int32_t> serial_depths(const SerialGraph& graph, VertexId source) {
  std::vector<std::int32_t> depth(static_cast<std::size_t>(graph.vertex_count()), kUnreached);
  std::queue<VertexId> queue({source});
  depth[source] = 0;
  for (; !queue.empty(); queue.pop()) {
    for (const VertexId v : graph.neighbors(queue.front())) {
      if (depth[v] != kUnreached) continue;
      depth[v] = depth[queue.front()] + 1;
      queue.push(v);
    }
  }
  return depth;
}

void check(const Graph& graph, const SerialGraph& serial, VertexId source,
           const BfsOptions& options) {
  BfsResult result = bfs(graph, source, options);
  const auto depth = collect(*result.depth, graph);
  EXPECT_EQ(depth, serial_depths(serial, source)) << "from " << source;
  const Verification verification = verify(graph, source, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
  std::int64_t reached = 0;
  std::int64_t arcs = 0;
  for (std::size_t v = 0; v < depth.size(); ++v) {
    if (depth[v] == kUnreached) continue;
    ++reached;
    arcs += std::ssize(serial.neighbors(static_cast<std::int64_t>(v)));
  }
  EXPECT_EQ(result.reached, reached);
  EXPECT_EQ(result.arcs, arcs);
  EXPECT_EQ(result.edges, graph.is_directed() ? arcs : arcs / 2);
  EXPECT_EQ(result.levels, *std::ranges::max_element(depth) + 1);
}

TEST(Bfs, DepthsAreThoseOfASerialSearch) {
  for_all_graphs([](const TestGraph& test) {
    const std::int64_t n = test.list.vertex_count;
    Graph graph = test.build({.in_edges = true});
    const SerialGraph serial = test.serial();
    for (std::int64_t source = 0; source < n; source += n / 2 + 1)
      check(graph, serial, static_cast<VertexId>(source), {});
    graph.destroy();
  });
}

TEST(Bfs, AlwaysTopDownOrAlmostAlwaysBottomUp) {
  for_all_graphs([](const TestGraph& test) {
    if (test.list.vertex_count == 0) return;
    const SerialGraph serial = test.serial();
    Graph no_in_edges = test.build();
    check(no_in_edges, serial, 0, {});
    no_in_edges.destroy();
    Graph graph = test.build({.in_edges = true});
    // Bottom-up as soon as the frontier has an edge, and as long as it has a vertex.
    check(graph, serial, 0, {.alpha = std::int64_t{1} << 40, .beta = std::int64_t{1} << 40});
    graph.destroy();
  });
}

TEST(Bfs, LargeFrontiersOfSeveralCores) {
  const TestGraph kron = test::generated("kron:14");
  const TestGraph grid = test::generated("grid:150x150");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      for (const TestGraph* test : {&kron, &grid}) {
        Graph graph = test->build();
        const SerialGraph serial = SerialGraph::of(graph);
        for (const VertexId source : {0u, 1u, 2u, 1000u}) {
          check(graph, serial, source, {});
          check(graph, serial, source, {.alpha = 1});
        }
        graph.destroy();
      }
    });
  }
}

TEST(Bfs, ShortLevelsOfSeveralLocalesGoBySupersteps) {
  const TestGraph grid = test::generated("grid:60x60");
  const TestGraph kron = test::generated("kron:12");
  for (const Config& config :
       {grappa::test::threads(2), grappa::test::cluster(3, 1), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      const bool has_locales = locale_count() > 1;
      Graph graph = grid.build();
      test::Growth by_supersteps("graph.superstep_levels");
      BfsResult result = bfs(graph, 0);
      EXPECT_EQ(result.levels, 119);
      // All but the first few and the last, which find nothing or go bottom-up.
      EXPECT_EQ(by_supersteps() > 100, has_locales) << by_supersteps();
      graph.destroy();
      // What split hubs tell their neighbors comes between the steps.
      graph = grid.build({.split_degree = 4});
      EXPECT_EQ(graph.hubs().empty(), !has_locales);
      check(graph, SerialGraph::of(graph), 0, {});
      by_supersteps = test::Growth("graph.superstep_levels");
      bfs(graph, 0);
      EXPECT_EQ(by_supersteps(), 0);
      graph.destroy();
      graph = kron.build();
      VertexId source = 0;
      while (graph.out().degree(source) < 2) ++source;
      result = bfs(graph, source);
      EXPECT_LT(by_supersteps(), result.levels / 2);
      graph.destroy();
    });
  }
}

/// A path of 40 vertices, then 2,000 vertices with edges to 100 each of 2,000 others, the last of
/// which has another path behind it. The many edges are too many for a superstep.
std::vector<Edge> paths_with_many_edges_between() {
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v + 1 < 40; ++v) edges.push_back({v, v + 1});
  const std::uint32_t first = 40;
  const std::uint32_t second = first + 2000;
  const std::uint32_t third = second + 2000;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    edges.push_back({39, first + i});
    for (std::uint32_t k = 0; k < 100; ++k)
      edges.push_back({first + i, second + (i * 7 + k) % 2000});
  }
  edges.push_back({third - 1, third});
  for (std::uint32_t v = third; v + 1 < third + 40; ++v) edges.push_back({v, v + 1});
  return edges;
}

TEST(Bfs, ShortLevelsBeforeAndAfterLongOnes) {
  const TestGraph test{"", test::make_list(4080, false, paths_with_many_edges_between())};
  for (const Config& config : {grappa::test::cluster(2, 1), grappa::test::cluster(3, 2)}) {
    run(config, [&] {
      Graph graph = test.build({.in_edges = true});
      const SerialGraph serial = test.serial();
      for (const VertexId source : {0u, 20u, 39u, 4079u, 4050u}) {
        check(graph, serial, source, {});
        check(graph, serial, source, {.bottom_up = false});
      }
      graph.destroy();
    });
  }
}

TEST(Bfs, ALocaleThatHasMuchOfALevelEndsTheRunOfShortOnes) {
  const TestGraph tree = test::tree_of_fours(9);
  for (const Config& config : {grappa::test::cluster(2, 1), grappa::test::cluster(3, 2)}) {
    run(config, [&] {
      Graph graph = tree.build({.in_edges = true});
      const SerialGraph serial = tree.serial();
      check(graph, serial, 0, {.bottom_up = false});
      const test::Growth cut_runs("graph.cut_runs");
      bfs(graph, 0, {.bottom_up = false});
      EXPECT_EQ(cut_runs(), 1);
      graph.destroy();
    });
  }
}

TEST(Bfs, ChangesDirectionOnAGraphOfSmallDiameter) {
  const TestGraph kron = test::generated("kron:12");
  run(grappa::test::threads(2), [&] {
    Graph graph = kron.build();
    VertexId source = 0;
    while (graph.out().degree(source) < 2) ++source;
    BfsResult result = bfs(graph, source);
    EXPECT_GT(result.bottom_up_levels, 0);
    EXPECT_LT(result.bottom_up_levels, result.levels);
    BfsResult from_above = bfs(graph, source, {.bottom_up = false});
    EXPECT_EQ(from_above.bottom_up_levels, 0);
    EXPECT_EQ(from_above.reached, result.reached);
    graph.destroy();
  });
}

TEST(Bfs, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(bfs(graph, 3), UsageError);
    EXPECT_THROW(bfs(graph, kNoVertex), UsageError);
    EXPECT_THROW(bfs(graph, 0, {.alpha = 0}), UsageError);
    EXPECT_THROW(bfs(graph, 0, {.beta = -1}), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
