#include "grappa/graph/hub_rows.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/collect.hpp"
#include "grappa/graph/kernel/bfs.hpp"
#include "grappa/graph/kernel/sssp.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/program/program_kernels.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// What the cores of a locale find in the rows of hubs.
struct HubArc {
  VertexId source;
  VertexId target;
  double weight;
  int core;
  auto operator<=>(const HubArc&) const = default;
};
std::mutex found_mutex;
std::vector<HubArc> found;

std::vector<HubArc> all_hub_rows(const Graph& graph) {
  found.clear();
  on_all_cores([graph] {
    visit_weights(graph.weight_type(), [&]<class W>(W) {
      for (std::size_t hub = 0; hub < graph.hubs().size(); ++hub) {
        const auto [row, weights, mine] = hub_row_here<W>(graph, hub);
        const std::scoped_lock lock(found_mutex);
        for (std::size_t k = mine.first; k < mine.last; ++k)
          found.push_back(
              {graph.hubs()[hub], row[k], static_cast<double>(weights[k]), this_core()});
      }
    });
  });
  std::ranges::sort(found);
  return found;
}

/// What they should find: each out-edge of a hub to another locale, at its target's home.
std::vector<HubArc> expected_rows(const Graph& graph, const SerialGraph& serial,
                                  std::int64_t split_degree) {
  std::vector<HubArc> arcs;
  if (locale_count() == 1) return arcs;
  for (std::int64_t u = 0; u < serial.vertex_count(); ++u) {
    const auto row = serial.neighbors(u);
    if (std::ssize(row) < split_degree) continue;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const int home = graph.home(row[k]);
      if (home / cores_per_locale() == graph.home(u) / cores_per_locale()) continue;
      arcs.push_back({static_cast<VertexId>(u), row[k], serial.weight(u, k), home});
    }
  }
  std::ranges::sort(arcs);
  return arcs;
}

TEST(HubRows, AreTheEdgesToOtherLocalesAtTheirTargets) {
  for_all_graphs([](const TestGraph& test) {
    const TestGraph weighted = test::weighted(test, WeightType::kWord);
    for (const TestGraph* list : {&test, &weighted}) {
      const SerialGraph serial = list->serial();
      for (const std::int64_t split_degree : {1, 3, 200}) {
        Graph graph = list->build({.in_edges = true, .split_degree = split_degree});
        EXPECT_EQ(all_hub_rows(graph), expected_rows(graph, serial, split_degree));
        graph.destroy();
      }
    }
  });
}

TEST(HubRows, NoneAreThereUnlessAskedFor) {
  for_all_graphs([](const TestGraph& test) {
    Graph graph = test.build();
    EXPECT_TRUE(graph.hubs().empty());
    EXPECT_FALSE(graph.is_split(1 << 30));
    graph.destroy();
  });
}

/// A vertex that most of the graph can be reached from.
VertexId source_of(const TestGraph& test) {
  return test.name.find("star") != std::string::npos ? 700 : 1;
}

/// What is found by pushing.
std::vector<std::vector<double>> searches(const Graph& graph, VertexId source) {
  std::vector<std::vector<double>> found_by;
  BfsResult tree = bfs(graph, source);
  const auto depths = collect(*tree.depth, graph);
  found_by.emplace_back(depths.begin(), depths.end());
  const auto add = [&](SsspResult result) { found_by.push_back(collect(*result.distance, graph)); };
  add(sssp(graph, source));
  add(sssp(graph, source, {.delta = 1e6}));  // all in one bucket
  add(sssp_program(graph, source, Engine::kSynchronous));
  add(sssp_program(graph, source, Engine::kAsynchronous));
  return found_by;
}

TEST(HubRows, SearchesFindTheSameThroughThem) {
  for_all_graphs([](const TestGraph& test) {
    if (test.list.vertex_count < 2) return;
    const TestGraph weighted = test::weighted(test, WeightType::kByte);
    Graph whole = weighted.build();
    const auto expected = searches(whole, source_of(test));
    whole.destroy();
    Graph split = weighted.build({.split_degree = 1});
    EXPECT_EQ(searches(split, source_of(test)), expected);
    split.destroy();
  });
}

TEST(HubRows, HubsMayBeRenumberedToo) {
  run(grappa::test::cluster(4, 1), [] {
    const TestGraph test = test::weighted(test::generated("kron:11:8"), WeightType::kByte);
    Graph whole = test.build();
    const auto expected = searches(whole, 1);
    whole.destroy();
    Graph split = test.build({.order = VertexOrder::kByDegree, .split_degree = 16});
    EXPECT_GT(split.hubs().size(), 50u);
    EXPECT_EQ(searches(split, split.vertex(1)), expected);
    split.destroy();
  });
}

TEST(HubRows, ANegativeDegreeIsRefused) {
  run(grappa::test::threads(1), [] {
    const TestGraph test = test::generated("kron:4:4");
    EXPECT_THROW(test.build({.split_degree = -1}), UsageError);
  });
}

}  // namespace
}  // namespace grappa::graph
