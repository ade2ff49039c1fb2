#include "grappa/graph/build/internal/renumber.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/build/internal/degree_classes.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/sample_vertices.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::expect_same;
using test::for_all_graphs;
using test::TestGraph;

constexpr VertexOrder kOrders[] = {VertexOrder::kByDegree, VertexOrder::kRandom,
                                   VertexOrder::kStriped};

TEST(Renumber, IsThePermutationThatTheGraphTells) {
  for_all_graphs([](const TestGraph& test) {
    for (const VertexOrder order : kOrders) {
      Graph graph = test.build({.order = order});
      EXPECT_EQ(graph.is_reordered(), order != VertexOrder::kStriped || locale_count() > 1);
      std::vector<VertexId> vertices;
      for (VertexId given = 0; given < graph.vertex_count(); ++given) {
        vertices.push_back(graph.vertex(given));
        ASSERT_EQ(graph.given(vertices.back()), given);
      }
      std::ranges::sort(vertices);
      for (std::size_t v = 0; v < vertices.size(); ++v) ASSERT_EQ(vertices[v], v);
      graph.destroy();
    }
  });
}

TEST(Renumber, TheEdgesAreTheSame) {
  for_all_graphs([](const TestGraph& test) {
    const TestGraph weighted = test::weighted(test, WeightType::kWord);
    for (const VertexOrder order : kOrders) {
      for (const TestGraph* list : {&test, &weighted}) {
        Graph graph = list->build({.in_edges = true, .order = order});
        expect_same(SerialGraph::of(graph), list->serial());
        graph.destroy();
      }
    }
  });
}

TEST(Renumber, ByDegreeTheLargestComeFirst) {
  const TestGraph test = test::generated("kron:11:8");
  run(grappa::test::threads(2), [&] {
    Graph graph = test.build({.order = VertexOrder::kByDegree});
    const Adjacency out = graph.out();
    // Degrees of the list count duplicates, which a generated graph loses: hence no strict order.
    EXPECT_GT(out.degree(0), 20 * out.degree(graph.vertex_count() / 2));
    for (std::int64_t v = 0; v + 256 < graph.vertex_count(); v += 64)
      EXPECT_GE(out.degree(v) * 5 / 4 + 4, out.degree(v + 256)) << v;
    EXPECT_EQ(out.degree(graph.vertex_count() - 1), 0);
    graph.destroy();
  });
}

/// Of the locale with most arcs, how many times the mean.
double greatest_share(const TestGraph& test, VertexOrder order) {
  Graph graph = test.build({.order = order});
  std::int64_t most = 0;
  for (const std::int64_t arcs : gather_locales([graph] {
         const std::int64_t begin = graph.locale_begin();
         return graph.locale_end() == begin
                    ? std::int64_t{0}
                    : static_cast<std::int64_t>(graph.out().offset(graph.locale_end()));
       }))
    most = std::max(most, arcs);
  const double fraction = static_cast<double>(most) * locale_count() / graph.arc_count();
  graph.destroy();
  return fraction;
}

TEST(Renumber, EveryLocaleGetsItsShareOfTheHubs) {
  // The vertices with many edges have small numbers here.
  EdgeList list;
  list.vertex_count = 16'384;
  list.directed = false;
  for (VertexId hub = 0; hub < 2'048; ++hub) {
    for (VertexId v = 1; v <= 32; ++v)
      list.edges.push_back({hub, 2'048 + (hub * 7 + v * 391) % 14'336});
  }
  const TestGraph test{.name = "hubs first", .list = std::move(list)};
  run(grappa::test::cluster(4, 1), [&] {
    EXPECT_GT(greatest_share(test, VertexOrder::kGiven), 1.5);
    EXPECT_LT(greatest_share(test, VertexOrder::kByDegree), 1.1);
    EXPECT_LT(greatest_share(test, VertexOrder::kRandom), 1.2);
  });
}

TEST(Renumber, StripesShareOutAWaveAndKeepNeighborsTogether) {
  const TestGraph grid = test::generated("grid:400x100");
  for (const int locales : {2, 3}) {
    run(grappa::test::cluster(locales, 1), [&] {
      Graph graph = grid.build({.order = VertexOrder::kStriped});
      // Any tenth of the rows, one after the other, is shared evenly, if not exactly.
      for (VertexId row = 0; row < 400; row += 40) {
        std::vector<std::int64_t> at(static_cast<std::size_t>(locale_count()));
        for (VertexId v = row * 100; v < (row + 40) * 100; ++v)
          ++at[static_cast<std::size_t>(graph.home(graph.vertex(v)))];
        EXPECT_LT(*std::ranges::max_element(at) * locale_count(), 4000 * 3 / 2) << row;
      }
      std::int64_t cut = 0;
      for (VertexId v = 0; v + 100 < graph.vertex_count(); ++v)
        cut += graph.home(graph.vertex(v)) != graph.home(graph.vertex(v + 100));
      EXPECT_LE(cut, 100 * 16 * locale_count());
      graph.destroy();
    });
  }
}

TEST(Renumber, LabelsAreThoseOfTheGivenNumbers) {
  for_all_graphs([](const TestGraph& test) {
    for (const VertexOrder order : kOrders) {
      Graph graph = test.build({.in_edges = true, .order = order});
      ComponentsResult components = connected_components(graph);
      EXPECT_EQ(verify(graph, components).failure, "");
      LabelPropagationResult communities = label_propagation(graph, {.iterations = 5});
      EXPECT_EQ(verify(graph, 5, communities).failure, "");
      graph.destroy();
    }
  });
}

TEST(Renumber, SourcesAreTheSame) {
  const TestGraph test = test::generated("kron:11:8");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(3, 1)}) {
    run(config, [&] {
      Graph graph = test.build();
      const std::vector<VertexId> sources = sample_sources(graph, 10, 3);
      for (const VertexOrder order : kOrders) {
        Graph reordered = test.build({.order = order});
        std::vector<VertexId> given = sample_sources(reordered, 10, 3);
        for (VertexId& v : given) v = reordered.given(v);
        EXPECT_EQ(given, sources);
        BfsResult result = bfs(reordered, reordered.vertex(sources.front()));
        EXPECT_EQ(verify(reordered, reordered.vertex(sources.front()), result).failure, "");
        reordered.destroy();
      }
      graph.destroy();
    });
  }
}

TEST(Renumber, AForestHasTheGivenNumbers) {
  const TestGraph test = test::weighted(test::generated("urand:10:4"), WeightType::kDouble);
  run(grappa::test::cluster(2, 1), [&] {
    Graph graph = test.build();
    Graph reordered = test.build({.order = VertexOrder::kRandom});
    SpanningForestResult forest = minimum_spanning_forest(graph);
    SpanningForestResult same = minimum_spanning_forest(reordered);
    EXPECT_EQ(verify(reordered, same).failure, "");
    // Among edges of the same weight others may be chosen.
    EXPECT_NEAR(same.weight, forest.weight, 1e-9 * forest.weight);
    EXPECT_EQ(forest_edges(reordered, same).size(), forest_edges(graph, forest).size());
    for (const ForestEdge& edge : forest_edges(reordered, same)) EXPECT_LT(edge.u, edge.v);
    reordered.destroy();
    graph.destroy();
  });
}

TEST(DegreeClass, AscendsWithTheDegreeAndKeepsEighthsApart) {
  for (std::int64_t degree = 1; degree < 4'000'000; degree += 1 + degree / 16) {
    EXPECT_GE(degree_class(degree), degree_class(degree - 1));
    EXPECT_GT(degree_class(degree + degree / 8 + 1), degree_class(degree));
  }
  EXPECT_LT(degree_class(std::int64_t{1} << 32), 256);
}

}  // namespace
}  // namespace grappa::graph
