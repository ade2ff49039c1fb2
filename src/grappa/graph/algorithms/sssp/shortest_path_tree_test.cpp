#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// By vertex: the least in-neighbor that explains its distance and is nearer; kNoVertex if none.
std::vector<VertexId> nearer_neighbors(const SerialGraph& graph,
                                       const std::vector<double>& distance) {
  std::vector<VertexId> nearer(distance.size(), kNoVertex);
  for (std::size_t u = distance.size(); u-- > 0;) {
    const std::span<const VertexId> row = graph.neighbors(static_cast<std::int64_t>(u));
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (distance[u] < distance[row[i]] &&
          distance[u] + graph.weight(static_cast<std::int64_t>(u), i) == distance[row[i]])
        nearer[row[i]] = static_cast<VertexId>(u);
    }
  }
  return nearer;
}

bool explains(const SerialGraph& graph, const std::vector<double>& distance, VertexId u,
              VertexId v) {
  const std::span<const VertexId> row = graph.neighbors(u);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == v && distance[u] + graph.weight(u, i) == distance[v]) return true;
  }
  return false;
}

/// Whether the parents of all vertices that have one lead to the source.
bool all_lead_to(VertexId source, const std::vector<VertexId>& parent) {
  std::vector<bool> leads(parent.size());
  leads[source] = true;
  for (VertexId v = 0; v < std::ssize(parent); ++v) {
    std::vector<VertexId> chain;
    for (VertexId u = v; u != kNoVertex && !leads[u] && chain.size() <= parent.size();
         u = parent[u])
      chain.push_back(u);
    if (chain.size() > parent.size()) return false;
    for (const VertexId u : chain) leads[u] = parent[u] != kNoVertex;
  }
  return true;
}

void check(const Graph& graph, const SerialGraph& serial, VertexId source) {
  SsspResult paths = sssp(graph, source);
  const Owned tree = shortest_path_tree(graph, source, *paths.distance);
  const std::vector<VertexId> parent = collect(*tree, graph);
  const std::vector<double> distance = collect(*paths.distance, graph);
  const std::vector<VertexId> nearer = nearer_neighbors(serial, distance);
  EXPECT_EQ(parent[source], source);
  for (VertexId v = 0; v < std::ssize(parent); ++v) {
    if (v == source) continue;
    if (std::isinf(distance[v])) {
      ASSERT_EQ(parent[v], kNoVertex) << v;
      continue;
    }
    ASSERT_NE(parent[v], kNoVertex) << v;
    ASSERT_TRUE(nearer[v] == kNoVertex || parent[v] == nearer[v]) << v;
    ASSERT_TRUE(explains(serial, distance, parent[v], v)) << parent[v] << " to " << v;
  }
  EXPECT_TRUE(all_lead_to(source, parent));
}

void check(const TestGraph& test) {
  if (test.list.vertex_count == 0) return;
  Graph graph = test.build({.in_edges = true});
  check(graph, test.serial(), static_cast<VertexId>(test.list.vertex_count / 2));
  graph.destroy();
}

TEST(ShortestPathTree, LeadsEveryVertexToTheSource) {
  std::size_t graphs = 0;
  for_all_graphs([&](const TestGraph& test) {
    constexpr WeightType kTypes[] = {WeightType::kByte, WeightType::kWord, WeightType::kDouble};
    const std::size_t type = graphs++ % 4;
    if (type == 3) {
      check(test);
    } else {
      check(test::weighted(test, kTypes[type]));
    }
  });
}

// No vertex has a nearer neighbor: the tree grows by rounds, and without cycles.
TEST(ShortestPathTree, EdgesOfNoLengthMakeNoCycles) {
  for_all_graphs([](const TestGraph& test) {
    TestGraph flat{test.name, test::copy_of(test.list)};
    flat.list.weights.assign(flat.list.edges.size(), 0);
    if (test.name.starts_with("path")) return;  // 1,500 rounds
    check(flat);
  });
}

TEST(ShortestPathTree, ADistanceOfNoPathHasNoParent) {
  run(grappa::test::threads(2), [] {
    Graph graph = TestGraph{"", test::make_list(4, false, {{0, 1}, {1, 2}, {2, 3}})}.build();
    SsspResult paths = sssp(graph, 0);
    paths.distance->locale_part()[2] = 1.5;
    const Owned tree = shortest_path_tree(graph, 0, *paths.distance);
    EXPECT_EQ(collect(*tree, 4), (std::vector<VertexId>{0, 0, kNoVertex, kNoVertex}));
    graph.destroy();
  });
}

TEST(ShortestPathTree, RefusesWhatItCannotDo) {
  run(grappa::test::threads(1), [] {
    Graph graph = TestGraph{"", test::make_list(2, true, {{0, 1}})}.build();
    SsspResult paths = sssp(graph, 0);
    EXPECT_THROW(shortest_path_tree(graph, 0, *paths.distance), UsageError);
    EXPECT_THROW(shortest_path_tree(graph, 2, *paths.distance), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
