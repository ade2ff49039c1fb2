// Every graph kernel on one small graph with contention, on real threads, under its verifier:
// little enough to run under the sanitizers, where the tests of the layer take very long to build
// and run.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/coloring/coloring.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/framework/edge_map.hpp"
#include "grappa/graph/framework/internal/test_relax.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"
#include "grappa/graph/framework/vertex_map.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/sample_vertices.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

constexpr Engine kEngines[] = {Engine::kSynchronous, Engine::kAsynchronous};

/// A Kronecker graph, and a star whose hub is every core's neighbor: each seventh of its leaves is
/// joined to the Kronecker graph, too.
test::TestGraph contended_graph() {
  test::TestGraph graph = test::generated("kron:8:8");
  const auto hub = static_cast<VertexId>(graph.list.vertex_count);
  constexpr VertexId kLeaves = 250;
  for (VertexId leaf = 1; leaf <= kLeaves; ++leaf) {
    graph.list.edges.push_back({hub, hub + leaf});
    if (leaf % 7 == 0) graph.list.edges.push_back({leaf, hub + leaf});
  }
  graph.list.vertex_count += 1 + kLeaves;
  return test::weighted(std::move(graph), WeightType::kByte);
}

class GraphRaces : public grappa::test::OnMachines {
 protected:
  /// body(graph, source) inside a run, with the vertices in two orders.
  template <class F>
  static void on_graphs(F body) {
    const test::TestGraph contended = contended_graph();
    run(GetParam().config, [&] {
      for (const VertexOrder order : {VertexOrder::kGiven, VertexOrder::kByDegree}) {
        Graph graph = contended.build({.order = order});
        body(graph, sample_sources(graph, 1).front());
        graph.destroy();
      }
    });
  }
};

// Races are what this looks for, and simulations on one thread have none.
GRAPPA_ON(GraphRaces, testing::Values(grappa::test::Machine{"TwoCores", grappa::test::threads(2)},
                                      grappa::test::Machine{"TwoLocalesOfTwoCores",
                                                            grappa::test::cluster(2, 2)}));

/// verify(what..., result) accepts the result.
template <class Result, class... What>
void expect_verified(const Result& result, const What&... what) {
  const Verification verification = verify(what..., result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
}

TEST_P(GraphRaces, Bfs) {
  on_graphs([](const Graph& graph, VertexId source) {
    expect_verified(bfs(graph, source), graph, source);
    expect_verified(bfs(graph, source, {.bottom_up = false}), graph, source);
  });
}

TEST_P(GraphRaces, Sssp) {
  on_graphs([](const Graph& graph, VertexId source) {
    SsspResult paths = sssp(graph, source);
    const Owned tree = shortest_path_tree(graph, source, *paths.distance);
    const std::vector<VertexId> parent = collect(*tree, graph);
    EXPECT_EQ(std::ranges::count(parent, kNoVertex), graph.vertex_count() - paths.reached);
    expect_verified(paths, graph, source);
  });
}

TEST_P(GraphRaces, PageRank) {
  on_graphs([](const Graph& graph, VertexId) {
    for (const auto precision : {PageRankPrecision::kDouble, PageRankPrecision::kSingle}) {
      const PageRankOptions options{.precision = precision};
      expect_verified(pagerank(graph, options), graph, options);
    }
  });
}

TEST_P(GraphRaces, ConnectedComponents) {
  on_graphs(
      [](const Graph& graph, VertexId) { expect_verified(connected_components(graph), graph); });
}

TEST_P(GraphRaces, Betweenness) {
  on_graphs([](const Graph& graph, VertexId) {
    const std::vector<VertexId> sources = sample_sources(graph, 3);
    expect_verified(betweenness(graph, sources), graph, sources);
  });
}

/// Many levels that the cores divide in the order of the queue, and components that are merged at
/// the border of the locales.
TEST_P(GraphRaces, LevelsOfGraphsThatAreMostlyLocal) {
  const test::TestGraph test = test::mostly_local(4000, 40'000, false);
  run(GetParam().config, [&] {
    Graph graph = test.build({.in_edges = true});
    const std::vector<VertexId> sources = sample_sources(graph, 2);
    BfsResult tree = bfs(graph, sources.front(), {.bottom_up = false});
    EXPECT_GT(tree.levels, 5);
    expect_verified(tree, graph, sources.front());
    expect_verified(betweenness(graph, sources, {.alpha = 1}), graph, sources);
    expect_verified(connected_components(graph), graph);
    graph.destroy();
  });
}

TEST_P(GraphRaces, Triangles) {
  on_graphs([](const Graph& graph, VertexId) {
    for (const bool per_vertex : {true, false}) {
      // By degree or not, and with rows of the other locales in several blocks.
      const TriangleOptions options{
          .per_vertex = per_vertex, .rows_above = per_vertex ? 0. : 1e9, .block_edges = 500};
      expect_verified(triangles(graph, options), graph);
    }
  });
}

TEST_P(GraphRaces, LocalClustering) {
  on_graphs([](const Graph& graph, VertexId) { expect_verified(local_clustering(graph), graph); });
}

TEST_P(GraphRaces, CoreNumbers) {
  on_graphs([](const Graph& graph, VertexId) { expect_verified(core_numbers(graph), graph); });
}

TEST_P(GraphRaces, IndependentSet) {
  on_graphs(
      [](const Graph& graph, VertexId) { expect_verified(maximal_independent_set(graph), graph); });
}

TEST_P(GraphRaces, Coloring) {
  on_graphs([](const Graph& graph, VertexId) { expect_verified(color(graph), graph); });
}

TEST_P(GraphRaces, LabelPropagation) {
  on_graphs([](const Graph& graph, VertexId) {
    constexpr std::int64_t kIterations = 5;
    expect_verified(label_propagation(graph, {.iterations = kIterations}), graph, kIterations);
  });
}

TEST_P(GraphRaces, SpanningForest) {
  on_graphs(
      [](const Graph& graph, VertexId) { expect_verified(minimum_spanning_forest(graph), graph); });
}

TEST_P(GraphRaces, DegreeStatistics) {
  on_graphs([](const Graph& graph, VertexId) { expect_verified(degree_statistics(graph), graph); });
}

TEST_P(GraphRaces, EdgeMap) {
  on_graphs([](const Graph& graph, VertexId source) {
    for (const Direction direction : {Direction::kPush, Direction::kPull}) {
      auto distance = graph.make_vertex_array_for_overwrite<double>();
      {
        Frontiers frontiers(graph);
        vertex_map(frontiers.all(), [source, distance = VertexView(distance)](VertexId v) {
          distance[v] = v == source ? 0 : std::numeric_limits<double>::infinity();
        });
        Frontier frontier = frontiers.of(source);
        while (!frontier.empty()) {
          frontier =
              edge_map(frontier, test::Relax{VertexView(distance)}, {.direction = direction});
        }
      }
      expect_verified(SsspResult{.distance = distance}, graph, source);
    }
  });
}

TEST_P(GraphRaces, SearchPrograms) {
  on_graphs([](const Graph& graph, VertexId source) {
    for (const Engine engine : kEngines) {
      expect_verified(bfs_program(graph, source, engine), graph, source);
      expect_verified(sssp_program(graph, source, engine), graph, source);
    }
  });
}

TEST_P(GraphRaces, ComponentsPrograms) {
  on_graphs([](const Graph& graph, VertexId) {
    for (const Engine engine : kEngines) expect_verified(components_program(graph, engine), graph);
  });
}

TEST_P(GraphRaces, PageRankPrograms) {
  on_graphs([](const Graph& graph, VertexId) {
    // Little is passed on for long: asynchronously each vertex is applied again for each change.
    const PageRankOptions options{.damping = 0.3, .tolerance = 1e-2};
    for (const Engine engine : kEngines)
      expect_verified(pagerank_program(graph, options, engine), graph, options);
  });
}

}  // namespace
}  // namespace grappa::graph
