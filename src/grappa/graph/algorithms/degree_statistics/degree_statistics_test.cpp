#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "grappa/base/error.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

TEST(DegreeStatistics, OfADistribution) {
  // 1 1 1 1 2 2 3 3 3 14
  const DegreeStatistics s = statistics_of({{1, 4}, {2, 2}, {3, 3}, {14, 1}});
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(s.greatest, 14);
  EXPECT_DOUBLE_EQ(s.mean, 3.1);
  EXPECT_DOUBLE_EQ(s.median, 2);
  EXPECT_EQ(s.percentile_90, 3);
  EXPECT_EQ(s.percentile_99, 14);
  EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt(13.89));
  // Half the mean difference of two of the ten, by the mean.
  EXPECT_DOUBLE_EQ(s.gini, 294.0 / (2 * 100 * 3.1));
  EXPECT_DOUBLE_EQ(s.top_fraction, 14.0 / 31);
}

TEST(DegreeStatistics, OfNothingAndOfEqualDegrees) {
  const DegreeStatistics nothing = statistics_of({});
  EXPECT_EQ(nothing.greatest, 0);
  EXPECT_EQ(nothing.mean, 0);
  const DegreeStatistics isolated = statistics_of({{0, 7}});
  EXPECT_EQ(isolated.mean, 0);
  EXPECT_EQ(isolated.gini, 0);
  EXPECT_EQ(isolated.top_fraction, 0);
  const DegreeStatistics regular = statistics_of({{3, 250}});
  EXPECT_EQ(regular.gini, 0);
  EXPECT_EQ(regular.standard_deviation, 0);
  EXPECT_EQ(regular.median, 3);
  EXPECT_DOUBLE_EQ(regular.top_fraction, 3.0 / 250) << "3 vertices of 250";
}

TEST(DegreeStatistics, AreThoseOfTheVertices) {
  for_all_graphs([](const TestGraph& test) {
    Graph graph = test.build({.in_edges = true});
    const SerialGraph serial = test.serial();
    const DegreesResult result = degree_statistics(graph);
    const Verification verification = verify(graph, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    const std::vector<std::int64_t> out = vertex_degrees(graph, DegreeOf::kOut);
    std::vector<std::int64_t> expected_out;
    std::vector<std::int64_t> expected_in(static_cast<std::size_t>(serial.vertex_count()));
    for (std::int64_t v = 0; v < serial.vertex_count(); ++v) {
      expected_out.push_back(std::ssize(serial.neighbors(v)));
      for (const VertexId w : serial.neighbors(v)) ++expected_in[w];
    }
    EXPECT_EQ(out, expected_out);
    EXPECT_EQ(vertex_degrees(graph, DegreeOf::kIn), expected_in);
    EXPECT_EQ(result.in.distribution.empty(), !graph.is_directed() || graph.vertex_count() == 0);
    graph.destroy();
  });
}

/// Degrees beyond what is counted in tables.
TEST(DegreeStatistics, OfHubs) {
  TestGraph hubs{"hubs", test::make_list(5000, false, {})};
  for (VertexId v = 2; v < 5000; ++v) {
    hubs.list.edges.push_back({0, v});
    if (v % 2 == 0) hubs.list.edges.push_back({1, v});
    if (v % 2 == 0) hubs.list.edges.push_back({4999, v});
  }
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      Graph graph = hubs.build();
      const DegreesResult result = degree_statistics(graph);
      const std::vector<DegreeCount> expected = {
          {1, 2498}, {3, 2499}, {2499, 1}, {2500, 1}, {4998, 1}};
      EXPECT_EQ(result.out.distribution, expected);
      EXPECT_EQ(result.isolated, 0);
      EXPECT_TRUE(verify(graph, result).passed());
      graph.destroy();
    });
  }
}

TEST(DegreeStatistics, WantInEdges) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    EXPECT_THROW(degree_statistics(graph), UsageError);
    EXPECT_THROW(vertex_degrees(graph, DegreeOf::kIn), UsageError);
    EXPECT_EQ(vertex_degrees(graph, DegreeOf::kOut), (std::vector<std::int64_t>{1, 0, 0}));
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
