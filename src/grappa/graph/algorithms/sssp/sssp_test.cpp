#include "grappa/graph/algorithms/sssp/sssp.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Bellman and Ford's rounds over all edges, until nothing changes.
std::vector<double> serial_distances(const SerialGraph& graph, VertexId source) {
  std::vector<double> distance(static_cast<std::size_t>(graph.vertex_count()), kInfinite);
  distance[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int64_t u = 0; u < graph.vertex_count(); ++u) {
      for (std::size_t i = 0; i < graph.neighbors(u).size(); ++i) {
        const double d = distance[static_cast<std::size_t>(u)] + graph.weight(u, i);
        double& known = distance[graph.neighbors(u)[i]];
        if (d < known) {
          known = d;
          changed = true;
        }
      }
    }
  }
  return distance;
}

void check(const Graph& graph, const SerialGraph& serial, VertexId source,
           const SsspOptions& options) {
  SsspResult result = sssp(graph, source, options);
  const auto distance = collect(*result.distance, graph);
  const auto expected = serial_distances(serial, source);
  EXPECT_EQ(distance, expected) << "from " << source << ", delta " << options.delta;
  std::int64_t reached = 0;
  double farthest = 0;
  for (const double d : expected) {
    if (d == kInfinite) continue;
    ++reached;
    farthest = std::max(farthest, d);
  }
  EXPECT_EQ(result.reached, reached);
  EXPECT_EQ(result.farthest, farthest);
  EXPECT_GT(result.delta, 0);
  const Verification verification = verify(graph, source, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
}

void check_some_sources(const TestGraph& test, const SsspOptions& options) {
  const std::int64_t n = test.list.vertex_count;
  Graph graph = test.build();
  const SerialGraph serial = test.serial();
  for (std::int64_t source = 0; source < n; source += n / 2 + 1)
    check(graph, serial, static_cast<VertexId>(source), options);
  graph.destroy();
}

TEST(Sssp, DistancesAreThoseOfASerialSearch) {
  for_all_graphs([](const TestGraph& test) { check_some_sources(test, {}); });
}

TEST(Sssp, DistancesByWeightsOfEveryType) {
  std::size_t graphs = 0;
  for_all_graphs([&](const TestGraph& test) {
    constexpr WeightType kTypes[] = {WeightType::kByte, WeightType::kWord, WeightType::kDouble};
    const TestGraph weighted = test::weighted(test, kTypes[graphs++ % 3]);
    const std::int64_t n = test.list.vertex_count;
    if (n == 0) return;
    Graph graph = weighted.build();
    check(graph, weighted.serial(), static_cast<VertexId>(n / 3), {});
    graph.destroy();
  });
}

// Narrow ones move the window over the distances many times; in a wide one all is one bucket.
TEST(Sssp, BucketsOfAnyWidth) {
  const TestGraph kron = test::weighted(test::generated("kron:10:8"), WeightType::kWord);
  const TestGraph grid = test::weighted(test::generated("grid:30x30"), WeightType::kDouble);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(3, 1)}) {
    run(config, [&] {
      for (const TestGraph* test : {&kron, &grid}) {
        for (const double delta : {0.01, 1.0, 300.0, 1e9})
          check_some_sources(*test, {.delta = delta});
      }
    });
  }
}

TEST(Sssp, LargeBucketsOfSeveralCores) {
  const TestGraph kron = test::weighted(test::generated("kron:14"), WeightType::kByte);
  const TestGraph grid = test::weighted(test::generated("grid:100x100"), WeightType::kByte);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      for (const TestGraph* test : {&kron, &grid}) check_some_sources(*test, {});
    });
  }
}

TEST(Sssp, ShortRoundsOfSeveralLocalesGoBySupersteps) {
  const TestGraph grid = test::weighted(test::generated("grid:60x60"), WeightType::kByte);
  const TestGraph urand = test::weighted(test::generated("urand:16"), WeightType::kByte);
  for (const Config& config :
       {grappa::test::threads(2), grappa::test::cluster(3, 1), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Graph graph = grid.build();
      test::Growth by_supersteps("graph.superstep_rounds");
      SsspResult result = sssp(graph, 0);
      EXPECT_EQ(by_supersteps() * 2 > result.rounds, locale_count() > 1);
      EXPECT_EQ(by_supersteps() > 0, locale_count() > 1);
      graph.destroy();
      // All vertices are in one bucket, tens of thousands of them at a time.
      graph = urand.build();
      by_supersteps = test::Growth("graph.superstep_rounds");
      result = sssp(graph, 0, {.delta = 1e9});
      EXPECT_LT(by_supersteps(), result.rounds / 2);
      const Verification verification = verify(graph, 0, result);
      EXPECT_TRUE(verification.passed()) << verification.failure;
      graph.destroy();
    });
  }
}

// 2^32 and more, though the weights are words: found out on the way, and begun again with doubles.
TEST(Sssp, PathsLongerThanWords) {
  EdgeList list = test::make_list(4, false, {{0, 1}, {1, 2}, {2, 3}});
  list.weights.assign(3, 4e9);
  const TestGraph test{"long path", std::move(list)};
  for (const Config& config : test::all_shapes()) {
    run(config, [&] {
      Graph graph = test.build();
      EXPECT_EQ(graph.weight_type(), WeightType::kWord);
      SsspResult result = sssp(graph, 0);
      EXPECT_EQ(collect(*result.distance, 4), (std::vector<double>{0, 4e9, 8e9, 12e9}));
      graph.destroy();
    });
  }
}

// Found out when the rounds go by supersteps, on the locale that has the end of the path.
TEST(Sssp, LongPathsLongerThanWords) {
  constexpr std::uint32_t kVertices = 200;
  EdgeList list;
  list.vertex_count = kVertices;
  for (std::uint32_t v = 0; v + 1 < kVertices; ++v) list.edges.push_back({v, v + 1});
  list.weights.assign(kVertices - 1, 1e8);
  const TestGraph test{"longer path", std::move(list)};
  for (const Config& config : {grappa::test::cluster(3, 1), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Graph graph = test.build();
      EXPECT_EQ(graph.weight_type(), WeightType::kWord);
      const test::Growth by_supersteps("graph.superstep_rounds");
      SsspResult result = sssp(graph, 0);
      EXPECT_GT(by_supersteps(), 0);
      const auto distance = collect(*result.distance, kVertices);
      for (std::size_t v = 0; v < kVertices; ++v)
        ASSERT_EQ(distance[v], static_cast<double>(v) * 1e8);
      graph.destroy();
    });
  }
}

TEST(Sssp, EdgesThatWeighNothingOrLeadNowhere) {
  run(grappa::test::threads(2), [] {
    EdgeList list = test::make_list(5, true, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 4}});
    list.weights.assign({0.0, 0.0, 0.0, 1.5, kInfinite});
    Graph graph = build_graph(list);
    SsspResult result = sssp(graph, 0);
    EXPECT_EQ(collect(*result.distance, 5), (std::vector<double>{0, 0, 0, 1.5, kInfinite}));
    EXPECT_EQ(result.reached, 4);
    graph.destroy();
  });
}

TEST(Sssp, RefusesPathsLongerThanDoubles) {
  for (const int cores : {1, 3}) {
    run(grappa::test::threads(cores), [] {
      EdgeList list = test::make_list(4, true, {{0, 1}, {1, 2}, {0, 3}});
      list.weights.assign({1e308, 1e308, 0.5});
      Graph graph = build_graph(list);
      EXPECT_THROW(sssp(graph, 0), UsageError);
      SsspResult near = sssp(graph, 1);
      EXPECT_EQ(near.farthest, 1e308) << "no path is too long";
      graph.destroy();
      EdgeList shorter = test::make_list(4, true, {{0, 1}, {1, 2}, {0, 2}});
      shorter.weights.assign({1e308, 1e308, 0.5});
      graph = build_graph(shorter);
      SsspResult result = sssp(graph, 0);
      EXPECT_EQ(result.reached, 3) << "the long path is not the shortest";
      graph.destroy();
    });
  }
}

TEST(Sssp, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(sssp(graph, 3), UsageError);
    EXPECT_THROW(sssp(graph, kNoVertex), UsageError);
    EXPECT_THROW(sssp(graph, 0, {.delta = -1}), UsageError);
    EXPECT_THROW(sssp(graph, 0, {.delta = kInfinite}), UsageError);
    EXPECT_THROW(sssp(graph, 0, {.delta = 1e-310}), UsageError) << "its reciprocal is infinite";
    graph.destroy();
    EdgeList negative = test::make_list(3, true, {{0, 1}});
    negative.weights.assign({-1.0});
    graph = build_graph(negative);
    EXPECT_THROW(sssp(graph, 0), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
