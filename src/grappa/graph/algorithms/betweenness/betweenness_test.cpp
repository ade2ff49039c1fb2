#include "grappa/graph/algorithms/betweenness/betweenness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/sample_vertices.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::make_list;
using test::TestGraph;
using ::testing::ElementsAre;
using ::testing::Pointwise;

MATCHER(IsClose, "") {
  const auto [score, expected] = arg;
  return std::abs(score - expected) <= 1e-9 * expected;
}

/// By the definition: a vertex v is on a shortest path from s to t if and only if the distances
/// from s to v and from v to t add up to that from s to t.
std::vector<double> by_definition(const SerialGraph& graph, std::span<const VertexId> sources) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  constexpr std::int64_t kFar = 1 << 30;
  std::vector<std::vector<std::int64_t>> distance(n, std::vector<std::int64_t>(n, kFar));
  std::vector<std::vector<double>> paths(n, std::vector<double>(n));
  for (std::size_t s = 0; s < n; ++s) {
    distance[s][s] = 0;
    paths[s][s] = 1;
    for (std::int64_t d = 0; std::ranges::count(distance[s], d) > 0; ++d) {
      for (std::size_t u = 0; u < n; ++u) {
        if (distance[s][u] != d) continue;
        for (const VertexId v : graph.neighbors(static_cast<std::int64_t>(u))) {
          if (distance[s][v] <= d) continue;
          distance[s][v] = d + 1;
          paths[s][v] += paths[s][u];
        }
      }
    }
  }
  std::vector<double> score(n);
  for (const VertexId s : sources) {
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t v = 0; v < n; ++v) {
        if (v == static_cast<std::size_t>(s) || v == t || distance[s][t] >= kFar) continue;
        if (distance[s][v] + distance[v][t] == distance[s][t])
          score[v] += paths[s][v] * paths[v][t] / paths[s][t] / (graph.is_directed() ? 1 : 2);
      }
    }
  }
  return score;
}

std::vector<double> scores(const Graph& graph, std::span<const VertexId> sources,
                           const BetweennessOptions& options = {}) {
  BetweennessResult result = betweenness(graph, sources, options);
  std::vector<double> score = collect(*result.score, graph);
  const Verification verification = verify(graph, sources, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
  return score;
}

std::vector<VertexId> all_vertices(std::int64_t n) {
  std::vector<VertexId> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), VertexId{0});
  return all;
}

TEST(Betweenness, ScoresAreThoseOfASerialRun) {
  for_all_graphs([](const TestGraph& test) {
    const std::int64_t n = test.list.vertex_count;
    std::vector<VertexId> sources;
    for (std::int64_t source = 0; source < n; source += n / 2 + 1)
      sources.push_back(static_cast<VertexId>(source));
    const std::vector<double> expected = serial_betweenness(test.serial(), sources);
    Graph graph = test.build({.in_edges = true});
    EXPECT_THAT(scores(graph, sources), Pointwise(IsClose(), expected));
    // As much top-down as can be, and always bottom-up; where there are few levels, which are slow
    // on the simulated clusters.
    const bool has_many_levels =
        test.name.starts_with("path") || test.name.starts_with("two rings");
    if (!has_many_levels) {
      EXPECT_THAT(scores(graph, sources, {.alpha = 1}), Pointwise(IsClose(), expected));
      EXPECT_THAT(scores(graph, sources, {.alpha = std::int64_t{1} << 40}),
                  Pointwise(IsClose(), expected));
    }
    graph.destroy();
  });
}

TEST(Betweenness, AllSourcesOfSmallGraphsByTheDefinition) {
  std::vector<TestGraph> graphs = {test::generated("urand:6:2"), test::generated("kron:5:4"),
                                   test::generated("grid:7x9")};
  for (const std::size_t i : {0, 1}) graphs.push_back(test::directed(graphs[i]));
  // Equal edges are paths of their own; self-loops are none.
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {0, 2}, {1, 3}, {2, 3}, {2, 2}, {3, 4}, {5, 5}};
  graphs.push_back({"directed, with duplicates", make_list(7, true, edges)});
  graphs.push_back({"undirected, with duplicates", make_list(7, false, edges)});
  for (const Config& config :
       {grappa::test::threads(1), grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [&] {
      for (const TestGraph& test : graphs) {
        SCOPED_TRACE(test.name);
        const std::vector<VertexId> sources = all_vertices(test.list.vertex_count);
        Graph graph = test.build({.in_edges = true});
        EXPECT_THAT(scores(graph, sources),
                    Pointwise(IsClose(), by_definition(test.serial(), sources)));
        graph.destroy();
      }
    });
  }
}

TEST(Betweenness, KnownScores) {
  run(grappa::test::threads(2), [] {
    EdgeList path = make_list(5, false, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
    Graph graph = build_graph(path);
    EXPECT_THAT(scores(graph, all_vertices(5)), ElementsAre(0, 3, 4, 3, 0));
    EXPECT_THAT(scores(graph, std::vector<VertexId>{0}), ElementsAre(0, 1.5, 1, 0.5, 0));
    EXPECT_THAT(scores(graph, {}), ElementsAre(0, 0, 0, 0, 0));
    graph.destroy();
    EdgeList diamond = make_list(5, true, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
    graph = build_graph(diamond, {.in_edges = true});
    EXPECT_THAT(scores(graph, all_vertices(5)), ElementsAre(0, 1, 1, 3, 0));
    graph.destroy();
  });
}

TEST(Betweenness, FactsOfTheSearches) {
  run(grappa::test::threads(2), [] {
    EdgeList list = make_list(6, true, {{0, 1}, {1, 2}, {3, 4}});
    Graph graph = build_graph(list, {.in_edges = true});
    std::vector<std::int64_t> told;
    BetweennessOptions options;
    options.on_source = [&told](std::int64_t done) { told.push_back(done); };
    BetweennessResult result = betweenness(graph, std::vector<VertexId>{0, 3, 5}, options);
    EXPECT_EQ(result.reached, 3 + 2 + 1);
    EXPECT_EQ(result.levels, 3);
    EXPECT_THAT(told, ElementsAre(1, 2, 3));
    graph.destroy();
  });
}

TEST(Betweenness, LargeLevelsInBothDirections) {
  const TestGraph kron = test::generated("kron:14");
  const TestGraph grid = test::generated("grid:200x200");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      for (const TestGraph* test : {&kron, &grid}) {
        Graph graph = test->build();
        const std::vector<VertexId> sources = sample_sources(graph, 3);
        scores(graph, sources);
        scores(graph, sources, {.alpha = 1});
        graph.destroy();
      }
    });
  }
}

// Each of the diamonds doubles the number of shortest paths.
std::vector<Edge> chain_of_diamonds(VertexId count) {
  std::vector<Edge> edges;
  for (VertexId v = 0; v < 3 * count; v += 3) {
    for (const VertexId side : {v + 1, v + 2}) {
      edges.push_back({v, side});
      edges.push_back({side, v + 3});
    }
  }
  return edges;
}

TEST(Betweenness, MorePathsThanADoubleHolds) {
  constexpr VertexId kDiamonds = 2500;
  constexpr VertexId kVertices = 3 * kDiamonds + 1;
  for (const Config& config :
       {grappa::test::threads(1), grappa::test::threads(2), grappa::test::cluster(3, 1)}) {
    run(config, [] {
      EdgeList list = make_list(kVertices, false, chain_of_diamonds(kDiamonds));
      Graph graph = build_graph(list);
      // The second source finds the arrays as the first has left them, wide.
      const std::vector<double> score = scores(graph, std::vector<VertexId>{0, kVertices - 1});
      // From both ends together, a vertex between two diamonds is passed on the way to all vertices
      // but itself and the source, and a side by half of the paths to those outside its diamond.
      for (VertexId v = 1; v + 1 < kVertices; ++v) {
        const double pairs = v % 3 == 0 ? kVertices - 1 : (kVertices - 4 + 2) / 2.0;
        EXPECT_NEAR(score[v], pairs / 2, 1e-9 * pairs) << v;
      }
      graph.destroy();
    });
  }
}

TEST(Betweenness, HubsThatAreSplitGiveTheirPathsToEachCoreOnce) {
  const TestGraph kron = test::generated("kron:9:8");
  const TestGraph wide{"diamonds", make_list(3001, false, chain_of_diamonds(1000))};
  for (const Config& config : {grappa::test::cluster(4, 1), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      for (const TestGraph* test : {&kron, &wide}) {
        Graph whole = test->build();
        Graph split = test->build({.split_degree = 3});
        EXPECT_FALSE(split.hubs().empty());
        const std::vector<VertexId> sources = {0};
        const BetweennessOptions top_down{.alpha = 1};
        EXPECT_THAT(scores(split, sources, top_down),
                    Pointwise(IsClose(), scores(whole, sources, top_down)));
        whole.destroy();
        split.destroy();
      }
    });
  }
}

TEST(Betweenness, ManyCoresAddToWideCounts) {
  // Behind the diamonds, many vertices lead to few; others are not reached.
  constexpr VertexId kDiamonds = 1000;
  constexpr VertexId kMany = 20'000;
  constexpr VertexId kFew = 50;
  std::vector<Edge> edges = chain_of_diamonds(kDiamonds);
  const VertexId many = 3 * kDiamonds + 1;
  const VertexId few = many + kMany;
  const VertexId rest = few + kFew;
  for (VertexId i = 0; i < kMany; ++i) {
    edges.push_back({many - 1, many + i});
    edges.push_back({many + i, few + i % kFew});
    edges.push_back({many + i, few + (i + 1) % kFew});
  }
  for (VertexId i = 0; i < 2 * kMany; ++i) {
    for (VertexId step = 1; step < 4; ++step)
      edges.push_back({rest + i, rest + (i + step) % (2 * kMany)});
  }
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      EdgeList list = make_list(rest + 2 * kMany, true, edges);
      Graph graph = build_graph(list, {.in_edges = true});
      BetweennessResult result = betweenness(graph, std::vector<VertexId>{0}, {.alpha = 1});
      EXPECT_EQ(result.levels, 2 * kDiamonds + 3);
      const auto score = collect(*result.score, graph);
      // Each of the many is on its fraction of the paths to two of the few.
      for (VertexId i = 0; i < kMany; ++i)
        ASSERT_NEAR(score[many + i], 2 * 1.0 * kFew / (2.0 * kMany), 1e-12);
      graph.destroy();
    });
  }
}

/// `levels` of `width` vertices, each with edges to two of the next level; from vertex 0 to all of
/// the first.
std::vector<Edge> layers(VertexId levels, VertexId width) {
  std::vector<Edge> edges;
  for (VertexId i = 0; i < width; ++i) edges.push_back({0, 1 + i});
  for (VertexId level = 0; level + 1 < levels; ++level) {
    const VertexId first = 1 + level * width;
    for (VertexId i = 0; i < width; ++i) {
      edges.push_back({first + i, first + width + i});
      edges.push_back({first + i, first + width + (i + 1) % width});
    }
  }
  return edges;
}

TEST(Betweenness, LevelsThatCoresDivideInOrder) {
  constexpr VertexId kLevels = 1100;
  constexpr VertexId kWidth = 600;
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [] {
      EdgeList list = make_list(1 + kLevels * kWidth, true, layers(kLevels, kWidth));
      Graph graph = build_graph(list, {.in_edges = true});
      const std::vector<double> score = scores(graph, std::vector<VertexId>{0});
      // All vertices of a level have as many paths to what is behind them.
      for (VertexId v = 1; v < graph.vertex_count(); ++v) {
        const VertexId levels_behind = kLevels - 1 - (v - 1) / kWidth;
        const double behind = levels_behind;
        ASSERT_NEAR(score[v], behind, 1e-9 * behind) << v;
      }
      graph.destroy();
    });
  }
}

TEST(Betweenness, ShortLevelsOfSeveralLocalesGoBySupersteps) {
  const TestGraph grid = test::generated("grid:60x60");
  for (const Config& config :
       {grappa::test::threads(2), grappa::test::cluster(3, 1), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Graph graph = grid.build();
      const test::Growth by_supersteps("graph.superstep_levels");
      BetweennessResult result = betweenness(graph, std::vector<VertexId>{0});
      EXPECT_EQ(result.levels, 119);
      EXPECT_EQ(by_supersteps() > 100, locale_count() > 1) << by_supersteps();
      graph.destroy();
    });
  }
}

TEST(Betweenness, ShortLevelsBeforeAndAfterLongOnes) {
  // A chain, very many edges from all to all, and another chain.
  constexpr VertexId kMany = 300;
  std::vector<Edge> edges = chain_of_diamonds(20);
  const VertexId from = 60;
  const VertexId to = from + 2 * kMany;
  for (VertexId i = 1; i <= kMany; ++i) {
    edges.push_back({from, from + i});
    for (VertexId k = 1; k <= kMany; ++k) edges.push_back({from + i, from + kMany + k});
  }
  for (const Edge& edge : chain_of_diamonds(20))
    edges.push_back({to + edge.source, to + edge.target});
  for (const Config& config : {grappa::test::cluster(2, 1), grappa::test::cluster(3, 2)}) {
    run(config, [&] {
      EdgeList list = make_list(to + 61, false, edges);
      Graph graph = build_graph(list);
      const std::vector<VertexId> sources = {0, from, to + 60};
      const std::vector<double> expected = serial_betweenness(SerialGraph::of(graph), sources);
      EXPECT_THAT(scores(graph, sources), Pointwise(IsClose(), expected));
      graph.destroy();
    });
  }
}

TEST(Betweenness, ALocaleThatHasMuchOfALevelEndsTheRunOfShortOnes) {
  const TestGraph tree = test::tree_of_fours(9);
  const std::vector<VertexId> root = {0};
  for (const Config& config : {grappa::test::cluster(2, 1), grappa::test::cluster(3, 2)}) {
    run(config, [&] {
      Graph graph = tree.build({.in_edges = true});
      const std::vector<double> expected = serial_betweenness(tree.serial(), root);
      EXPECT_THAT(scores(graph, root), Pointwise(IsClose(), expected));
      const test::Growth cut_runs("graph.cut_runs");
      betweenness(graph, root);
      EXPECT_EQ(cut_runs(), 1);
      graph.destroy();
    });
  }
}

TEST(Betweenness, MorePathsThanWideCountsHoldAreRefused) {
  run(grappa::test::threads(2), [] {
    constexpr VertexId kLevels = 263'000;
    EdgeList list = make_list(1 + kLevels * 2, true, layers(kLevels, 2));
    Graph graph = build_graph(list, {.in_edges = true});
    EXPECT_THROW(betweenness(graph, std::vector<VertexId>{0}), UsageError);
    graph.destroy();
  });
}

TEST(Betweenness, ManyVerticesOfALevelAmongVeryMany) {
  // 5,000 leaves: too many for one core, too few to go through all 200,000 vertices.
  std::vector<Edge> edges;
  for (VertexId v = 1; v <= 5000; ++v) {
    edges.push_back({0, v * 3});
    edges.push_back({v * 3, 199'999});
  }
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      EdgeList list = make_list(200'000, true, edges);
      Graph graph = build_graph(list, {.in_edges = true});
      scores(graph, std::vector<VertexId>{0, 3, 0});
      graph.destroy();
    });
  }
}

TEST(Betweenness, SamplesAreTheSameEverywhere) {
  const TestGraph test = test::directed(test::generated("kron:11:8"));
  std::vector<std::vector<VertexId>> samples;
  for (const Config& config : test::all_shapes()) {
    run(config, [&] {
      Graph graph = test.build();
      samples.push_back(sample_sources(graph, 20));
      EXPECT_NE(sample_sources(graph, 20, 7), samples.back());
      const SerialGraph serial = test.serial();
      std::vector<VertexId> all;
      for (VertexId v = 0; v < serial.vertex_count(); ++v) {
        if (!serial.neighbors(v).empty()) all.push_back(v);
      }
      EXPECT_EQ(sample_sources(graph, graph.vertex_count()), all);
      EXPECT_EQ(sample_sources(graph, std::ssize(all)), all);
      EXPECT_TRUE(std::ranges::includes(all, samples.back()));
      EXPECT_EQ(std::ranges::adjacent_find(samples.back()), samples.back().end());
      graph.destroy();
    });
    EXPECT_EQ(samples.back().size(), 20u);
    EXPECT_EQ(samples.back(), samples.front());
  }
}

TEST(Betweenness, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = make_list(3, true, {{0, 1}});
    Graph no_in_edges = build_graph(list);
    EXPECT_THROW(betweenness(no_in_edges, std::vector<VertexId>{0}), UsageError);
    no_in_edges.destroy();
    list = make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list, {.in_edges = true});
    EXPECT_THROW(betweenness(graph, std::vector<VertexId>{0, 3}), UsageError);
    EXPECT_THROW(betweenness(graph, std::vector<VertexId>{0}, {.alpha = 0}), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
