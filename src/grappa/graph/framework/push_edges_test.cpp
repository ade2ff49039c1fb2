#include "grappa/graph/framework/push_edges.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// An edge, and the core that has found it.
struct HomeArc {
  VertexId source;
  VertexId target;
  double weight;
  int core;
  auto operator<=>(const HomeArc&) const = default;
};
std::mutex found_mutex;
std::vector<HomeArc> found;

std::vector<HomeArc> all_hub_rows(const Graph& graph) {
  found.clear();
  on_all_cores([graph] {
    visit_weights(graph.weight_type(), [&]<class W>(W) {
      for (std::size_t hub = 0; hub < graph.hubs().size(); ++hub) {
        const std::scoped_lock lock(found_mutex);
        push_hub_edges<W>(graph, hub, [&](VertexId v, W weight) {
          found.push_back({graph.hubs()[hub], v, static_cast<double>(weight), this_core()});
        });
      }
    });
  });
  std::ranges::sort(found);
  return found;
}

/// What they should find: each out-edge at its target's home.
std::vector<HomeArc> expected_arcs(const Graph& graph, const SerialGraph& serial) {
  std::vector<HomeArc> arcs;
  for (std::int64_t u = 0; u < serial.vertex_count(); ++u) {
    const auto row = serial.neighbors(u);
    for (std::size_t k = 0; k < row.size(); ++k)
      arcs.push_back({static_cast<VertexId>(u), row[k], serial.weight(u, k), graph.home(row[k])});
  }
  std::ranges::sort(arcs);
  return arcs;
}

/// Of these, in rows of hubs: those of hubs to other locales.
std::vector<HomeArc> expected_rows(const Graph& graph, const SerialGraph& serial,
                                   std::int64_t split_degree) {
  if (locale_count() == 1) return {};
  std::vector<HomeArc> arcs = expected_arcs(graph, serial);
  std::erase_if(arcs, [&](const HomeArc& arc) {
    return std::ssize(serial.neighbors(arc.source)) < split_degree ||
           arc.core / cores_per_locale() == graph.home(arc.source) / cores_per_locale();
  });
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

/// All edges as push_edges() brings them, each at the core that updates its target.
std::vector<HomeArc> all_pushed(const Graph& graph) {
  found.clear();
  on_all_cores([graph] {
    visit_weights(graph.weight_type(), [&]<class W>(W) {
      const std::int64_t first = this_core() * graph.vertices_per_core();
      const std::int64_t last = std::min(graph.vertex_count(), first + graph.vertices_per_core());
      const auto note = [](VertexId u, VertexId v, W weight) {
        const std::scoped_lock lock(found_mutex);
        found.push_back({u, v, static_cast<double>(weight), this_core()});
      };
      for (std::int64_t i = first; i < last; ++i) {
        const auto u = static_cast<VertexId>(i);
        push_edges<W>(
            graph, graph.out(), u,
            [&](VertexId v, W weight) {
              delegate::async::call(graph.home(v), [=] { note(u, v, weight); });
            },
            [&](int core, std::uint64_t hub) {
              delegate::async::call(core, [=] {
                push_hub_edges<W>(graph, hub, [&](VertexId v, W weight) { note(u, v, weight); });
              });
            });
      }
    });
  });
  std::ranges::sort(found);
  return found;
}

TEST(PushEdges, BringsEachEdgeOnceToTheHomeOfItsTarget) {
  for_all_graphs([](const TestGraph& test) {
    const TestGraph weighted = test::weighted(test, WeightType::kWord);
    for (const TestGraph* list : {&test, &weighted}) {
      const SerialGraph serial = list->serial();
      for (const std::int64_t split_degree : {0, 1, 3, 200}) {
        Graph graph = list->build({.in_edges = true, .split_degree = split_degree});
        EXPECT_EQ(all_pushed(graph), expected_arcs(graph, serial));
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
