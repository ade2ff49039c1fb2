#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/label_propagation/internal/label_counts.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::make_list;
using test::TestGraph;
using ::testing::ElementsAre;

/// Round after round, with the labels of a vertex's neighbors sorted.
std::vector<VertexId> by_sorting(const SerialGraph& graph, std::int64_t rounds) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<std::vector<VertexId>> neighbors(n);
  for (VertexId u = 0; u < graph.vertex_count(); ++u) {
    for (const VertexId v : graph.neighbors(u)) {
      neighbors[u].push_back(v);
      if (graph.is_directed()) neighbors[v].push_back(u);
    }
  }
  std::vector<VertexId> label(n);
  for (VertexId v = 0; v < graph.vertex_count(); ++v) label[v] = v;
  for (; rounds > 0; --rounds) {
    const std::vector<VertexId> before = label;
    for (std::size_t v = 0; v < n; ++v) {
      std::vector<VertexId> seen;
      for (const VertexId w : neighbors[v]) seen.push_back(before[w]);
      std::ranges::sort(seen);
      std::ptrdiff_t most = 0;
      for (const VertexId candidate : seen) {
        if (std::ranges::count(seen, candidate) <= most) continue;
        most = std::ranges::count(seen, candidate);
        label[v] = candidate;
      }
    }
  }
  return label;
}

std::vector<VertexId> labels(const Graph& graph, std::int64_t iterations) {
  LabelPropagationResult result = label_propagation(graph, {.iterations = iterations});
  std::vector<VertexId> label = collect_vertices(*result.label, graph);
  const Verification verification = verify(graph, iterations, result);
  EXPECT_TRUE(verification.passed()) << verification.failure;
  return label;
}

TEST(LabelPropagation, LabelsAreThoseOfASerialRun) {
  for_all_graphs([](const TestGraph& test) {
    Graph graph = test.build({.in_edges = true});
    const bool is_star = test.name.starts_with("star");  // sorted again and again
    EXPECT_EQ(labels(graph, is_star ? 2 : 4), by_sorting(test.serial(), is_star ? 2 : 4));
    EXPECT_EQ(labels(graph, 0), by_sorting(test.serial(), 0));
    graph.destroy();
  });
}

TEST(LabelPropagation, KnownLabels) {
  run(grappa::test::threads(2), [] {
    // The two of a pair exchange their labels for ever.
    EdgeList pair = make_list(3, false, {{0, 1}});
    Graph graph = build_graph(pair);
    EXPECT_THAT(labels(graph, 1), ElementsAre(1, 0, 2));
    EXPECT_THAT(labels(graph, 2), ElementsAre(0, 1, 2));
    graph.destroy();
    // Edges both ways count twice: 2 follows 1, not 0; and so do equal edges.
    EdgeList both_ways = make_list(3, true, {{0, 2}, {1, 2}, {2, 1}});
    graph = build_graph(both_ways, {.in_edges = true});
    EXPECT_THAT(labels(graph, 1), ElementsAre(2, 2, 1));
    graph.destroy();
    EdgeList twice = make_list(3, false, {{0, 2}, {1, 2}, {1, 2}});
    graph = build_graph(twice);
    EXPECT_THAT(labels(graph, 1), ElementsAre(2, 2, 1));
    graph.destroy();
  });
}

TEST(LabelPropagation, StopsWhenNothingChanges) {
  run(grappa::test::threads(2), [] {
    EdgeList triangle = make_list(4, false, {{0, 1}, {1, 2}, {0, 2}});
    Graph graph = build_graph(triangle);
    std::vector<std::int64_t> changes;
    LabelPropagationResult result = label_propagation(
        graph, {.iterations = 100, .on_iteration = [&changes](std::int64_t, std::int64_t changed) {
                  changes.push_back(changed);
                }});
    // 1 0 0, then all 0.
    EXPECT_EQ(result.iterations, 3);
    EXPECT_EQ(result.changed, 0);
    EXPECT_THAT(changes, ElementsAre(3, 1, 0));
    EXPECT_THAT(collect(*result.label, 4), ElementsAre(0, 0, 0, 3));
    graph.destroy();
  });
}

TEST(LabelPropagation, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(label_propagation(graph), UsageError);
    graph.destroy();
    list = make_list(3, false, {{0, 1}});
    graph = build_graph(list);
    EXPECT_THROW(label_propagation(graph, {.iterations = -1}), UsageError);
    graph.destroy();
  });
}

TEST(LabelCounts, TheMostFrequentAndOfSeveralTheSmallest) {
  LabelCounts counts;
  counts.start(3);
  EXPECT_EQ(counts.most_frequent(), kNoVertex);
  counts.add(7);
  EXPECT_EQ(counts.most_frequent(), 7u);
  counts.add(3);
  EXPECT_EQ(counts.most_frequent(), 3u);
  counts.add(7);
  EXPECT_EQ(counts.most_frequent(), 7u);
  counts.add(3);
  EXPECT_EQ(counts.most_frequent(), 3u);
  counts.start(3);
  counts.add(9);
  EXPECT_EQ(counts.most_frequent(), 9u) << "nothing is left of the vertex before";
}

TEST(LabelCounts, GrowsWithWhatItIsGiven) {
  LabelCounts counts;
  for (const VertexId distinct : {1u, 100u, 5000u}) {
    counts.start(distinct + 2);
    for (VertexId i = 0; i < distinct; ++i) counts.add((i + 1) * 4096);
    EXPECT_EQ(counts.most_frequent(), 4096u);
    counts.add(distinct * 4096);
    EXPECT_EQ(counts.most_frequent(), distinct * 4096);
    counts.add(4096);
    EXPECT_EQ(counts.most_frequent(), 4096u);
  }
}

}  // namespace
}  // namespace grappa::graph
