#include "grappa/graph/algorithms/connected_components/connected_components.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

/// Smallest vertex of each component, by repeated passes over all edges.
std::vector<VertexId> serial_labels(const SerialGraph& graph) {
  std::vector<VertexId> label;
  for (std::int64_t v = 0; v < graph.vertex_count(); ++v) label.push_back(static_cast<VertexId>(v));
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId v = 0; v < graph.vertex_count(); ++v) {
      for (const VertexId w : graph.neighbors(v)) {
        changed |= label[v] != label[w];
        label[v] = label[w] = std::min(label[v], label[w]);
      }
    }
  }
  return label;
}

void check(const Graph& graph, const SerialGraph& serial, const ComponentsOptions& options) {
  ComponentsResult result = connected_components(graph, options);
  const auto label = collect_vertices(*result.label, graph);
  EXPECT_EQ(label, serial_labels(serial));
  const Verification verification = verify(graph, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;

  std::map<VertexId, std::int64_t> sizes;
  for (const VertexId l : label) ++sizes[l];
  const std::vector<Component> table = component_table(graph, *result.label);
  EXPECT_EQ(table.size(), sizes.size());
  EXPECT_TRUE(std::ranges::is_sorted(table, [](const Component& a, const Component& b) {
    return a.size != b.size ? a.size > b.size : a.label < b.label;
  }));
  for (const Component& component : table) EXPECT_EQ(component.size, sizes[component.label]);
}

TEST(ConnectedComponents, LabelsAreTheSmallestVertices) {
  for_all_graphs([](const TestGraph& test) {
    const SerialGraph serial = test.serial();
    for (const bool in_edges : {false, true}) {
      Graph graph = test.build({.in_edges = in_edges});
      check(graph, serial, {});
      graph.destroy();
    }
  });
}

TEST(ConnectedComponents, AnyNumberOfRounds) {
  for_all_graphs([](const TestGraph& test) {
    const SerialGraph serial = test.serial();
    Graph graph = test.build({.in_edges = true});
    for (const std::int64_t rounds : {0, 1, 100}) check(graph, serial, {.neighbor_rounds = rounds});
    graph.destroy();
  });
}

TEST(ConnectedComponents, ComponentsThatCrossLocalesInDisorder) {
  // A ring through all vertices in pseudo-random order, so that every locale's own part is pieces;
  // the second ring has the odd vertices.
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < 2048; ++i) {
    const auto vertex = [](std::uint32_t k) { return (k % 2048 * 1365) % 2048 * 2; };
    edges.push_back({vertex(i), vertex(i + 1)});
    edges.push_back({vertex(i) + 1, vertex(i + 1) + 1});
  }
  const TestGraph rings{"rings", test::make_list(4096, false, edges)};
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      Graph graph = rings.build();
      check(graph, rings.serial(), {.neighbor_rounds = 0});
      check(graph, rings.serial(), {});
      graph.destroy();
    });
  }
}

TEST(ConnectedComponents, ComponentsOfGraphsThatAreMostlyLocal) {
  for (const std::uint32_t edges : {5000U, 9000U, 30'000U}) {
    for (const bool directed : {false, true}) {
      const TestGraph test = test::mostly_local(10'000, edges, directed);
      const SerialGraph serial = test.serial();
      for (const Config& config : {grappa::test::cluster(2, 1), grappa::test::cluster(3, 2),
                                   grappa::test::cluster(8, 1)}) {
        SCOPED_TRACE(fmt::format("{} edges, {}", edges, grappa::test::describe(config)));
        run(config, [&] {
          Graph graph = test.build({.in_edges = true});
          EXPECT_TRUE(is_mostly_local(graph));
          for (const std::int64_t rounds : {0, 1, 2})
            check(graph, serial, {.neighbor_rounds = rounds});
          const test::Growth border_merges("graph.border_merges");
          connected_components(graph);
          EXPECT_EQ(border_merges(), 1);
          graph.destroy();
        });
      }
    }
  }
}

TEST(ConnectedComponents, LooksAtFewEdgesOfALargeComponent) {
  const TestGraph kron = test::generated("kron:12");
  run(grappa::test::threads(2), [&] {
    Graph graph = kron.build();
    ComponentsResult result = connected_components(graph);
    EXPECT_LT(result.arcs_linked, graph.arc_count() / 4);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
