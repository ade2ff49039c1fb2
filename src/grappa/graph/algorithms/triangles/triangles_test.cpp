#include "grappa/graph/algorithms/triangles/triangles.hpp"

#include <gtest/gtest.h>

#include <set>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::make_list;
using test::TestGraph;

/// By sets, without duplicates and self-loops.
struct Expected {
  std::vector<std::uint64_t> count;
  std::uint64_t total = 0;
  std::uint64_t wedges = 0;
  double coefficients = 0;
};
Expected expected_of(const SerialGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<std::set<VertexId>> near(n);
  for (std::size_t v = 0; v < n; ++v) {
    for (const VertexId w : graph.neighbors(static_cast<std::int64_t>(v))) {
      if (w == static_cast<VertexId>(v)) continue;
      near[v].insert(w);
      near[w].insert(static_cast<VertexId>(v));
    }
  }
  Expected expected{.count = std::vector<std::uint64_t>(n)};
  for (std::size_t v = 0; v < n; ++v) {
    for (auto a = near[v].begin(); a != near[v].end(); ++a) {
      for (auto b = std::next(a); b != near[v].end(); ++b)
        expected.count[v] += near[*a].contains(*b);
    }
    expected.total += expected.count[v];
    const std::uint64_t wedges = near[v].size() * (near[v].size() - 1) / 2;
    if (near[v].size() < 2) continue;
    expected.wedges += wedges;
    expected.coefficients += static_cast<double>(expected.count[v]) / static_cast<double>(wedges);
  }
  expected.total /= 3;
  return expected;
}

void check(const Graph& graph, const Expected& expected, TriangleOptions options) {
  TriangleResult result = triangles(graph, options);
  EXPECT_EQ(collect(*result.count, graph), expected.count);
  EXPECT_EQ(result.total, expected.total);
  const Clustering clustering = clustering_of(graph, result);
  EXPECT_EQ(clustering.wedges, expected.wedges);
  const auto divide = [](double a, double b) { return b == 0 ? 0 : a / b; };
  EXPECT_DOUBLE_EQ(clustering.global, divide(3.0 * static_cast<double>(expected.total),
                                             static_cast<double>(expected.wedges)));
  EXPECT_NEAR(clustering.average,
              divide(expected.coefficients, static_cast<double>(graph.vertex_count())), 1e-12);
  const Verification verification = verify(graph, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;

  options.per_vertex = false;
  result = triangles(graph, options);
  EXPECT_EQ(result.total, expected.total);
  EXPECT_TRUE(verify(graph, result).passed());
}

// Every way of counting: in the order of the numbers or of the degrees; without hubs, with some,
// and with nothing else; all rows at a time, or some.
void check_all_ways(const Graph& graph, const Expected& expected) {
  check(graph, expected, {});
  check(graph, expected, {.rows_above = 1e9});
  for (const std::int64_t hubs : {0, 64, 1 << 14})
    check(graph, expected, {.hubs = hubs, .rows_above = 0});
  check(graph, expected, {.hubs = 64, .rows_above = 0, .block_edges = 500});
}

TEST(Triangles, AreThoseOfSets) {
  auto expected_of_graph =
      test::once_for_each_graph([](const TestGraph& test) { return expected_of(test.serial()); });
  for_all_graphs([&](const TestGraph& test) {
    Graph graph = test.build({.symmetrize = true});
    const Expected& expected = expected_of_graph(test);
    check(graph, expected, {});
    check(graph, expected, {.rows_above = 0});
    check(graph, expected, {.hubs = 64, .rows_above = 0, .block_edges = 500});
    graph.destroy();
  });
}

/// Large enough that rows of hubs are intersected, sorted by bitmap, and in several blocks.
TEST(Triangles, ManyHubs) {
  const TestGraph kron = test::generated("kron:11:24");
  const Expected expected = expected_of(kron.serial());
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Graph graph = kron.build();
      check_all_ways(graph, expected);
      check(graph, expected, {.hubs = 1000, .rows_above = 0, .block_edges = 1000});
      graph.destroy();
    });
  }
}

/// Each vertex is joined to those close to it, so the rows of few vertices of other locales are
/// fetched, short and long ones, and triangles lie across two of them.
TEST(Triangles, OfABand) {
  for (const std::uint32_t width : {3, 15}) {
    std::vector<Edge> edges;
    for (std::uint32_t v = 0; v < 4000; ++v) {
      for (std::uint32_t w = v < width ? 0 : v - width; w < v; ++w) edges.push_back({v, w});
    }
    const TestGraph band{.name = "band", .list = make_list(4000, false, edges)};
    const Expected expected = expected_of(band.serial());
    for (const Config& config : test::all_shapes()) {
      SCOPED_TRACE(grappa::test::describe(config));
      run(config, [&] {
        Graph graph = band.build();
        EXPECT_EQ(is_mostly_local(graph), locale_count() > 1);
        check(graph, expected, {});
        graph.destroy();
      });
    }
  }
}

TEST(Triangles, OfACompleteGraph) {
  constexpr std::uint32_t kVertices = 700;
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    for (std::uint32_t w = 0; w < v; ++w) edges.push_back({w, v});
  }
  const EdgeList list = make_list(kVertices, false, edges);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 1)}) {
    run(config, [&] {
      EdgeList copy = test::copy_of(list);
      Graph graph = build_graph(copy);
      for (const std::int64_t hubs : {0, 128, 700}) {
        TriangleResult result = triangles(graph, {.hubs = hubs});
        EXPECT_EQ(result.total, kVertices * (kVertices - 1) * (kVertices - 2) / 6);
        for (const std::uint64_t count : collect(*result.count, kVertices))
          ASSERT_EQ(count, (kVertices - 1) * (kVertices - 2) / 2);
        const Clustering clustering = clustering_of(graph, result);
        EXPECT_DOUBLE_EQ(clustering.global, 1);
        EXPECT_DOUBLE_EQ(clustering.average, 1);
      }
      graph.destroy();
    });
  }
}

/// A hub with more neighbors than any other structure could count pairs of.
TEST(Triangles, AStarWithALoneTriangle) {
  constexpr std::uint32_t kLeaves = 200'000;
  std::vector<Edge> edges;
  for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) edges.push_back({kLeaves, leaf});
  edges.push_back({17, 100'000});
  const EdgeList list = make_list(kLeaves + 1, false, edges);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 1)}) {
    run(config, [&] {
      EdgeList copy = test::copy_of(list);
      Graph graph = build_graph(copy);
      TriangleResult result = triangles(graph);
      EXPECT_EQ(result.total, 1);
      const std::vector<std::uint64_t> count = collect(*result.count, kLeaves + 1);
      EXPECT_EQ(count[17], 1);
      EXPECT_EQ(count[18], 0);
      EXPECT_EQ(count[kLeaves], 1);
      graph.destroy();
    });
  }
}

TEST(Triangles, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = make_list(3, true, {{0, 1}});
    Graph directed = build_graph(list);
    EXPECT_THROW(triangles(directed), UsageError);
    directed.destroy();
    list = make_list(3, false, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(triangles(graph, {.hubs = -1}), UsageError);
    EXPECT_THROW(triangles(graph, {.hubs = std::int64_t{1} << 40}), UsageError);
    EXPECT_THROW(triangles(graph, {.block_edges = 0}), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
