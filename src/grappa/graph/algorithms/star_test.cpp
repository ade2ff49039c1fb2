// Every kernel on a star with a million leaves, where all work is one vertex's: with the hub as the
// first, a middle and the last vertex, on 1, 2 and 16 locales. What is quadratic in a degree, or
// sends what belongs to one row to one core in pieces, does not end here within the time limit. The
// answers are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/algorithms/coloring/coloring.hpp"
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/vertex_order.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

constexpr auto kLeaves = static_cast<VertexId>(grappa::test::tasks(1'000'000));
constexpr VertexId kVertices = kLeaves + 1;
constexpr VertexId kMiddle = kLeaves / 2;
constexpr Engine kEngines[] = {Engine::kSynchronous, Engine::kAsynchronous};

enum class Arms { kUndirected, kOutwards, kInwards };

struct Star {
  Graph graph;
  VertexId hub = 0;

  VertexId first_leaf() const { return hub == 0 ? 1 : 0; }
  VertexId last_leaf() const { return hub == kLeaves ? kLeaves - 1 : kLeaves; }
};

/// Of the edge between a leaf and the hub, in weighted stars.
double weight_of(VertexId leaf) { return leaf % 251; }

struct StarOptions {
  Arms arms = Arms::kUndirected;
  bool weighted = false;
};

Graph build_star(VertexId hub, const StarOptions& options) {
  EdgeList list = test::make_list(kVertices, options.arms != Arms::kUndirected, {});
  for (VertexId v = 0; v < kVertices; ++v) {
    if (v == hub) continue;
    list.edges.push_back(options.arms == Arms::kInwards ? Edge{v, hub} : Edge{hub, v});
    if (options.weighted) list.weights.push_back(weight_of(v));
  }
  return build_graph(list, {.in_edges = true});
}

/// body(const Star&) inside a run, for several shapes of it and of the star.
template <class F>
void for_stars(const StarOptions& options, F body) {
  const std::pair<Config, VertexId> cases[] = {{grappa::test::threads(1), 0},
                                               {grappa::test::threads(2), kMiddle},
                                               {grappa::test::cluster(2, 2), kLeaves},
                                               {grappa::test::cluster(16, 1), 0}};
  for (const auto& [config, hub] : cases) {
    SCOPED_TRACE(fmt::format("{}, hub {}", grappa::test::describe(config), hub));
    run(config, [&] {
      Star star{build_star(hub, options), hub};
      body(star);
      star.graph.destroy();
    });
  }
}
template <class F>
void for_stars(F body) {
  for_stars({}, body);
}

/// The hub has one value, and all others have the other.
template <class T>
void expect_values(const Star& star, const GlobalArray<T>& array, T hub, T leaf) {
  const std::vector<T> values = collect(array, kVertices);
  EXPECT_EQ(values[star.hub], hub);
  EXPECT_EQ(std::ranges::count(values, leaf), kLeaves + (hub == leaf ? 1 : 0));
}

void expect_search(const Star& star, VertexId source, BfsResult result) {
  const std::vector<std::int32_t> depth = collect(*result.depth, kVertices);
  const std::vector<VertexId> parent = collect(*result.parent, kVertices);
  const bool from_hub = source == star.hub;
  EXPECT_EQ(result.reached, kVertices);
  EXPECT_EQ(result.levels, from_hub ? 2 : 3);
  EXPECT_EQ(depth[source], 0);
  EXPECT_EQ(parent[source], source);
  EXPECT_EQ(std::ranges::count(depth, from_hub ? 1 : 2), kLeaves - (from_hub ? 0 : 1));
  EXPECT_EQ(std::ranges::count(parent, star.hub), from_hub ? kVertices : kLeaves - 1);
  if (!from_hub) {
    EXPECT_EQ(depth[star.hub], 1);
    EXPECT_EQ(parent[star.hub], source);
  }
}

TEST(Star, Bfs) {
  for_stars([](const Star& star) {
    const VertexId leaf = star.last_leaf();
    expect_search(star, star.hub, bfs(star.graph, star.hub));
    expect_search(star, leaf, bfs(star.graph, leaf));
    expect_search(star, leaf, bfs(star.graph, leaf, {.bottom_up = false}));
    for (const Engine engine : kEngines)
      expect_search(star, leaf, bfs_program(star.graph, leaf, engine));
  });
}

// Directed: all leaves are next to the hub, or nothing is.
TEST(Star, BfsAlongAndAgainstTheArms) {
  for_stars({.arms = Arms::kOutwards},
            [](const Star& star) { expect_search(star, star.hub, bfs(star.graph, star.hub)); });
  for_stars({.arms = Arms::kInwards}, [](const Star& star) {
    for (const VertexId source : {star.hub, star.last_leaf()}) {
      BfsResult result = bfs(star.graph, source);
      EXPECT_EQ(result.reached, source == star.hub ? 1 : 2);
    }
  });
}

void expect_paths(const Star& star, VertexId source, SsspResult result) {
  const std::vector<double> distance = collect(*result.distance, kVertices);
  const auto arm = [&](VertexId v) { return v == star.hub ? 0 : weight_of(v); };
  for (VertexId v = 0; v < kVertices; ++v)
    ASSERT_EQ(distance[v], v == source ? 0 : arm(source) + arm(v)) << v;
  EXPECT_EQ(result.reached, kVertices);
}

TEST(Star, Sssp) {
  for_stars({.weighted = true}, [](const Star& star) {
    const VertexId leaf = star.last_leaf();
    expect_paths(star, leaf, sssp(star.graph, leaf));
    for (const Engine engine : kEngines)
      expect_paths(star, leaf, sssp_program(star.graph, leaf, engine));
  });
}

TEST(Star, ShortestPathTree) {
  for_stars({.weighted = true}, [](const Star& star) {
    const VertexId source = star.last_leaf();
    SsspResult paths = sssp(star.graph, source);
    const Owned tree = shortest_path_tree(star.graph, source, *paths.distance);
    const std::vector<VertexId> parent = collect(*tree, kVertices);
    EXPECT_EQ(parent[star.hub], source);
    EXPECT_EQ(parent[source], source);
    EXPECT_EQ(std::ranges::count(parent, star.hub), kLeaves - 1);
  });
}

TEST(Star, ConnectedComponents) {
  for_stars([](const Star& star) {
    ComponentsResult components = connected_components(star.graph);
    expect_values(star, *components.label, VertexId{0}, VertexId{0});
    // Asynchronously, a hub passes on to all leaves each smaller label that it happens to hear of.
    components = components_program(star.graph, Engine::kSynchronous);
    expect_values(star, *components.label, VertexId{0}, VertexId{0});
  });
}

/// The ranks of the hub and of a leaf after some iterations, the leaves being all alike.
std::pair<double, double> ranks_after(std::int64_t iterations, double damping) {
  constexpr double kSize = kVertices;
  double hub = 1 / kSize;
  for (std::int64_t i = 0; i < iterations; ++i) hub = (1 - damping) / kSize + damping * (1 - hub);
  return {hub, (1 - hub) / kLeaves};
}

void expect_ranks(const Star& star, PageRankResult result, std::pair<double, double> expected,
                  double most_in_all) {
  const std::vector<double> rank = collect(*result.rank, kVertices);
  double off = 0;
  for (VertexId v = 0; v < kVertices; ++v)
    off += std::abs(rank[v] - (v == star.hub ? expected.first : expected.second));
  EXPECT_LE(off, most_in_all);
}

TEST(Star, PageRank) {
  for_stars([](const Star& star) {
    const PageRankOptions five{.tolerance = 0, .max_iterations = 5};
    expect_ranks(star, pagerank(star.graph, five), ranks_after(5, five.damping), 1e-9);
    // An iteration changes a star's ranks by the damping times what the last one has, so with more
    // there are too many. All that are left out change less than the first of them by 1/(1 - it).
    const PageRankOptions until{.damping = 0.3, .tolerance = 1e-3, .max_iterations = 1000};
    for (const Engine engine : kEngines) {
      PageRankResult result = pagerank_program(star.graph, until, engine);
      EXPECT_TRUE(result.converged);
      expect_ranks(star, std::move(result), ranks_after(1000, until.damping),
                   until.tolerance / (1 - until.damping));
    }
  });
}

TEST(Star, Triangles) {
  for_stars([](const Star& star) {
    for (const bool per_vertex : {true, false}) {
      TriangleResult result = triangles(star.graph, {.per_vertex = per_vertex});
      EXPECT_EQ(result.total, 0);
      const Clustering clustering = clustering_of(star.graph, result);
      EXPECT_EQ(clustering.wedges, std::uint64_t{kLeaves} * (kLeaves - 1) / 2);
      if (per_vertex) expect_values<std::uint64_t>(star, *result.count, 0, 0);
    }
  });
}

TEST(Star, LocalClustering) {
  for (const Arms arms : {Arms::kUndirected, Arms::kOutwards, Arms::kInwards}) {
    for_stars({.arms = arms}, [](const Star& star) {
      LccResult result = local_clustering(star.graph);
      EXPECT_EQ(result.average, 0);
      expect_values(star, *result.coefficient, 0.0, 0.0);
    });
  }
}

TEST(Star, LabelPropagation) {
  for_stars([](const Star& star) {
    // All the hub sees at first is there once, so the smallest is its next; then it sees its own.
    LabelPropagationResult result = label_propagation(star.graph, {.iterations = 1});
    expect_values(star, *result.label, star.first_leaf(), star.hub);
    result = label_propagation(star.graph, {.iterations = 2});
    expect_values(star, *result.label, star.hub, star.first_leaf());
  });
}

TEST(Star, IndependentSet) {
  // It is the hub alone if the order has that before all leaves.
  const auto comes_before_all = [](VertexId hub) {
    for (VertexId v = 0; v < kVertices; ++v) {
      if (random_rank(v) > random_rank(hub)) return false;
    }
    return true;
  };
  for_stars([&](const Star& star) {
    IndependentSetResult result = maximal_independent_set(star.graph);
    const bool hub = comes_before_all(star.hub);
    EXPECT_EQ(result.size, hub ? 1 : kLeaves);
    expect_values<std::uint8_t>(star, *result.in_set, hub, !hub);
  });
}

TEST(Star, Coloring) {
  for_stars([](const Star& star) {
    ColoringResult result = color(star.graph);
    EXPECT_EQ(result.colors, 2);
    expect_values(star, *result.color, 0U, 1U);
  });
}

TEST(Star, CoreNumbers) {
  for_stars([](const Star& star) {
    CoreNumbersResult result = core_numbers(star.graph);
    EXPECT_EQ(result.degeneracy, 1);
    EXPECT_EQ(result.innermost, kVertices);
    expect_values<CoreNumber>(star, *result.core, 1, 1);
  });
}

TEST(Star, SpanningForest) {
  for_stars({.weighted = true}, [](const Star& star) {
    double weight = 0;
    for (VertexId v = 0; v < kVertices; ++v) weight += v == star.hub ? 0 : weight_of(v);
    SpanningForestResult result = minimum_spanning_forest(star.graph);
    EXPECT_EQ(result.edges, kLeaves);
    EXPECT_EQ(result.trees, 1);
    EXPECT_EQ(result.weight, weight);
    std::vector<ForestEdge> edges = collect(*result.edge, kVertices);
    std::erase_if(edges, [](const ForestEdge& edge) { return edge.u == kNoVertex; });
    std::ranges::sort(edges, [](const ForestEdge& a, const ForestEdge& b) {
      return std::pair(a.u, a.v) < std::pair(b.u, b.v);
    });
    ASSERT_EQ(edges.size(), kLeaves);
    for (VertexId i = 0; i < kLeaves; ++i) {
      const VertexId leaf = i < star.hub ? i : i + 1;
      ASSERT_EQ(edges[i],
                (ForestEdge{weight_of(leaf), std::min(leaf, star.hub), std::max(leaf, star.hub)}));
    }
  });
}

TEST(Star, DegreeStatistics) {
  for_stars({.arms = Arms::kInwards}, [](const Star& star) {
    const DegreesResult result = degree_statistics(star.graph);
    EXPECT_EQ(result.isolated, 0);
    EXPECT_EQ(result.out.distribution, (std::vector<DegreeCount>{{0, 1}, {1, kLeaves}}));
    EXPECT_EQ(result.in.distribution, (std::vector<DegreeCount>{{0, kLeaves}, {kLeaves, 1}}));
    EXPECT_EQ(result.in.top_fraction, 1);
  });
}

TEST(Star, Betweenness) {
  for_stars([](const Star& star) {
    // The hub is on the paths from two leaves to all others; each counts for half a pair.
    const std::vector<VertexId> sources = {star.hub, star.first_leaf(), star.last_leaf()};
    BetweennessResult result = betweenness(star.graph, sources);
    EXPECT_EQ(result.reached, std::int64_t{3} * kVertices);
    expect_values(star, *result.score, static_cast<double>(kLeaves - 1), 0.0);
  });
}

}  // namespace
}  // namespace grappa::graph
