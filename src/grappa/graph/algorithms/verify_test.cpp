// Verifiers must accept right answers and reject every kind of wrong one; no runtime is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/coloring/coloring.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

using ::testing::HasSubstr;

//   0 - 1 - 3 - 4      6 - 7      8
//    \ 2 /    \ 5
SerialGraph small() {
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {6, 7}};
  return SerialGraph(9, false, edges);
}

struct Tree {
  std::vector<VertexId> parent = {0, 0, 0, 1, 3, 3, kNoVertex, kNoVertex, kNoVertex};
  std::vector<std::int32_t> depth = {0, 1, 1, 2, 3, 3, kUnreached, kUnreached, kUnreached};
  std::string failure(const SerialGraph& graph = small(), VertexId source = 0) const {
    return verify_bfs(graph, source, parent, depth).failure;
  }
};

TEST(VerifyBfs, AcceptsEitherParent) {
  Tree tree;
  EXPECT_EQ(tree.failure(), "");
  EXPECT_NE(verify_bfs(small(), 0, tree.parent, tree.depth).checked, "");
  tree.parent[3] = 2;
  EXPECT_EQ(tree.failure(), "");
}

TEST(VerifyBfs, RejectsAWrongSource) {
  Tree tree;
  EXPECT_THAT(tree.failure(small(), 1), HasSubstr("source 1"));
  tree.depth[0] = 1;
  EXPECT_THAT(tree.failure(), HasSubstr("source 0"));
}

TEST(VerifyBfs, RejectsHalfAnAnswer) {
  Tree tree;
  tree.depth[4] = kUnreached;
  EXPECT_THAT(tree.failure(), HasSubstr("vertex 4"));
  tree = Tree();
  tree.parent[8] = 0;
  EXPECT_THAT(tree.failure(), HasSubstr("vertex 8"));
  tree = Tree();
  tree.parent[4] = 77;
  EXPECT_THAT(tree.failure(), HasSubstr("no vertex"));
}

TEST(VerifyBfs, RejectsACycle) {
  Tree tree;
  tree.parent[6] = 7;
  tree.parent[7] = 6;
  tree.depth[6] = 1;
  tree.depth[7] = 2;
  EXPECT_NE(tree.failure(), "");
}

TEST(VerifyBfs, RejectsAParentWithoutEdge) {
  Tree tree;
  tree.parent[4] = 5;  // depth 3, too
  EXPECT_NE(tree.failure(), "");
  tree = Tree();
  tree.parent[7] = 5;
  tree.depth[7] = 4;
  EXPECT_THAT(tree.failure(), HasSubstr("no edge from 5 to 7"));
}

TEST(VerifyBfs, RejectsAVertexThatIsNotReached) {
  Tree tree;
  tree.parent[5] = kNoVertex;
  tree.depth[5] = kUnreached;
  EXPECT_THAT(tree.failure(), HasSubstr("vertex 5 is not reached"));
}

TEST(VerifyBfs, RejectsALongerPath) {
  // 0 - 1 - 2 - 3 and a short cut from 0 to 3 that the answer does not take.
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  for (const bool directed : {false, true}) {
    Tree tree{.parent = {0, 0, 1, 2}, .depth = {0, 1, 2, 3}};
    EXPECT_THAT(tree.failure(SerialGraph(4, directed, edges)), HasSubstr("goes from depth 0 to 3"));
  }
}

TEST(VerifyBfs, DirectedEdgesBackAreFine) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 0}};
  const SerialGraph graph(5, true, edges);
  EXPECT_EQ(
      (Tree{.parent = {0, 0, 1, 2, kNoVertex}, .depth = {0, 1, 2, 3, kUnreached}}.failure(graph)),
      "");
}

struct Ranks {
  PageRankOptions options{.tolerance = 1e-10, .max_iterations = 1000};
  std::vector<double> rank = std::vector<double>(9, 1.0 / 9);
  std::int64_t iterations = 0;
  double change = 0;

  void iterate(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) {
      const std::vector<double> next = next_ranks(small(), options.damping, rank);
      change = 0;
      for (std::size_t v = 0; v < rank.size(); ++v) change += std::abs(next[v] - rank[v]);
      rank = next;
      ++iterations;
    }
  }
  std::string failure() const {
    return verify_pagerank(small(), options, rank, iterations, change).failure;
  }
};

TEST(VerifyPageRank, AcceptsConvergedAndCountedRuns) {
  Ranks ranks;
  EXPECT_EQ(ranks.failure(), "");
  ranks.iterate(300);
  EXPECT_EQ(ranks.failure(), "");
  Ranks counted;
  counted.options = {.tolerance = 0, .max_iterations = 2};
  counted.iterate(2);
  EXPECT_EQ(counted.failure(), "");
  EXPECT_TRUE(verify_pagerank(SerialGraph(0, true, {}), {}, {}, 3, 0).passed());
}

TEST(VerifyPageRank, RejectsWrongRanks) {
  Ranks ranks;
  ranks.iterate(300);
  const Ranks right = ranks;
  ranks.rank[2] += 1e-6;
  EXPECT_THAT(ranks.failure(), HasSubstr("sum"));
  ranks = right;
  ranks.rank[2] += 1e-6;
  ranks.rank[3] -= 1e-6;
  EXPECT_THAT(ranks.failure(), HasSubstr("one more iteration"));
  ranks = right;
  std::swap(ranks.rank[0], ranks.rank[8]);
  EXPECT_THAT(ranks.failure(), HasSubstr("one more iteration"));
  ranks = right;
  ranks.rank[8] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ranks.failure(), HasSubstr("vertex 8"));
  ranks = right;
  ranks.rank[8] = 0;
  EXPECT_THAT(ranks.failure(), HasSubstr("vertex 8"));
}

TEST(VerifyPageRank, RejectsARunThatEndedEarly) {
  Ranks ranks;
  ranks.iterate(5);
  EXPECT_THAT(ranks.failure(), HasSubstr("ended after 5 iterations"));
  ranks = Ranks();
  ranks.rank[0] += 0.01;
  ranks.rank[1] -= 0.01;
  EXPECT_THAT(ranks.failure(), HasSubstr("starts with"));
}

struct Labels {
  std::vector<VertexId> label = {0, 0, 0, 0, 0, 0, 6, 6, 8};
  std::string failure() const { return verify_components(small(), label).failure; }
};

TEST(VerifyComponents, AcceptsTheRightLabels) { EXPECT_EQ(Labels{}.failure(), ""); }

TEST(VerifyComponents, RejectsWrongLabels) {
  EXPECT_THAT((Labels{{0, 0, 0, 0, 0, 0, 7, 7, 8}}.failure()), HasSubstr("greater label"));
  EXPECT_THAT((Labels{{0, 0, 0, 0, 0, 0, 6, 6, 7}}.failure()), HasSubstr("but has the label"));
  EXPECT_THAT((Labels{{0, 0, 0, 0, 4, 0, 6, 6, 8}}.failure()), HasSubstr("an edge joins"));
  EXPECT_THAT((Labels{{0, 0, 0, 0, 0, 0, 0, 0, 8}}.failure()), HasSubstr("2 labels for 3"));
  EXPECT_THAT((Labels{{0, 0, 0, 0, 0, 0, 6, 6, 6}}.failure()), HasSubstr("2 labels for 3"));
}

TEST(VerifyColoring, RejectsEqualAndNeedlessColors) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 3}};
  const SerialGraph graph(5, false, edges);
  const std::vector<std::uint32_t> right = {1, 2, 0, 1, 0};
  EXPECT_TRUE(verify_coloring(graph, right).passed());
  EXPECT_NE(verify_coloring(graph, right).checked, "");
  const auto failure = [&](std::size_t v, std::uint32_t color) {
    std::vector<std::uint32_t> wrong = right;
    wrong[v] = color;
    return verify_coloring(graph, wrong).failure;
  };
  EXPECT_THAT(failure(0, 2), HasSubstr("joins 0 and 1, both of color 2"));
  EXPECT_THAT(failure(4, 1), HasSubstr("vertex 4 has color 1, but a smaller one is free"));
  EXPECT_THAT(failure(3, 2), HasSubstr("vertex 3"));
  EXPECT_THAT(failure(1, 0xffffffff), HasSubstr("vertex 1"));
}

TEST(VerifyIndependentSet, RejectsNeighborsAndWhatCouldBeAdded) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 3}};
  const SerialGraph graph(5, false, edges);
  const std::vector<std::uint8_t> right = {0, 1, 0, 1, 1};
  EXPECT_TRUE(verify_independent_set(graph, right).passed());
  EXPECT_NE(verify_independent_set(graph, right).checked, "");
  const auto failure = [&](std::size_t v, std::uint8_t in_set) {
    std::vector<std::uint8_t> wrong = right;
    wrong[v] = in_set;
    return verify_independent_set(graph, wrong).failure;
  };
  EXPECT_THAT(failure(0, 1), HasSubstr("joins 0 and 1, both in the set"));
  EXPECT_THAT(failure(4, 0), HasSubstr("vertex 4 could be in the set"));
  EXPECT_THAT(failure(1, 0), HasSubstr("vertex 0 could be in the set"));
  EXPECT_THAT(failure(2, 7), HasSubstr("neither in nor out"));
}

TEST(VerifyLabelPropagation, RejectsALabelThatIsNotTheMostFrequent) {
  const SerialGraph graph = small();
  const std::vector<VertexId> right = serial_label_propagation(graph, 1);
  // 3 is told 1, 2, 4 and 5, each once: the smallest counts.
  EXPECT_EQ(right[3], 1u);
  EXPECT_EQ(right[8], 8u);
  EXPECT_TRUE(verify_label_propagation(graph, 1, right).passed());
  EXPECT_NE(verify_label_propagation(graph, 1, right).checked, "");
  std::vector<VertexId> wrong = right;
  wrong[3] = 2;
  EXPECT_THAT(verify_label_propagation(graph, 1, wrong).failure,
              HasSubstr("vertex 3 has the label 2, it is 1"));
  EXPECT_FALSE(verify_label_propagation(graph, 2, right).passed()) << "of another round";
}

TEST(VerifySssp, RejectsADistanceThatIsNotTheShortest) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 3}};
  const std::vector<double> weights = {1, 2, 4, 0, 0};
  const SerialGraph graph(5, true, edges, weights);
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> right = {0, 1, 3, infinite, infinite};
  EXPECT_TRUE(verify_sssp(graph, 0, right).passed());
  EXPECT_NE(verify_sssp(graph, 0, right).checked, "");
  const auto failure = [&](std::size_t v, double distance) {
    std::vector<double> wrong = right;
    wrong[v] = distance;
    return verify_sssp(graph, 0, wrong).failure;
  };
  EXPECT_THAT(failure(0, 1), HasSubstr("vertex 0 has distance 1, but 0"));
  EXPECT_THAT(failure(2, 4), HasSubstr("vertex 2"));
  EXPECT_THAT(failure(2, 2.5), HasSubstr("vertex 2"));
  EXPECT_THAT(failure(1, infinite), HasSubstr("vertex 1"));
  EXPECT_THAT(failure(2, std::nan("")), HasSubstr("vertex 2"));
  // The two vertices of a cycle that weighs nothing vouch for each other.
  std::vector<double> cycle = right;
  cycle[3] = cycle[4] = 7;
  EXPECT_THAT(verify_sssp(graph, 0, cycle).failure, HasSubstr("vertex 3"));
}

TEST(VerifyCoreNumbers, RejectsWhatIsTooLargeOrTooSmall) {
  // A clique of four with a tail to 4, a triangle of 5, 6 and 7, and 8 alone.
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                   {2, 3}, {3, 4}, {5, 6}, {6, 7}, {7, 5}};
  const SerialGraph graph(9, false, edges);
  const std::vector<CoreNumber> right = {3, 3, 3, 3, 1, 2, 2, 2, 0};
  EXPECT_TRUE(verify_core_numbers(graph, right).passed());
  EXPECT_THAT(verify_core_numbers(graph, right).checked, HasSubstr("9 core numbers up to 3"));
  EXPECT_TRUE(verify_core_numbers(SerialGraph(0, false, {}), {}).passed());
  const auto failure = [&](std::initializer_list<std::size_t> vertices, CoreNumber core) {
    std::vector<CoreNumber> wrong = right;
    for (const std::size_t v : vertices) wrong[v] = core;
    return verify_core_numbers(graph, wrong).failure;
  };
  EXPECT_THAT(failure({4}, 2), HasSubstr("vertex 4 has core number 2, but only 1 neighbors"));
  EXPECT_THAT(failure({8}, 1), HasSubstr("vertex 8 has core number 1, but only 0 neighbors"));
  EXPECT_THAT(failure({3}, 4), HasSubstr("vertex 3"));
  EXPECT_THAT(failure({5, 6, 7}, 1), HasSubstr("vertex 5 has core number 1, but cannot be"));
  EXPECT_THAT(failure({0, 1, 2, 3}, 2), HasSubstr("vertex 0 has core number 2, but cannot be"));
  EXPECT_THAT(failure({4}, 0), HasSubstr("vertex 4 has core number 0, but cannot be"));
  EXPECT_THAT(failure({8}, 0xffffffff), HasSubstr("vertex 8"));
}

TEST(VerifySpanningForest, RejectsWhatIsNoForestOrNotTheLightest) {
  // A square with a diagonal, whose edges 0 - 1 and 2 - 3 weigh the same, another edge, and 6.
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {4, 5}, {6, 6}};
  const std::vector<double> weights = {2, 1, 2, 3, 2, 0.5, -1};
  const SerialGraph graph(7, false, edges, weights);
  const std::vector<ForestEdge> right = {{0.5, 4, 5}, {1, 1, 2}, {2, 2, 3}, {2, 0, 1}};
  EXPECT_TRUE(verify_spanning_forest(graph, right, 5.5).passed());
  EXPECT_THAT(verify_spanning_forest(graph, right, 5.5).checked, HasSubstr("4 edges"));
  EXPECT_THAT(verify_spanning_forest(graph, right, 5.6).failure, HasSubstr("5.5, not to 5.6"));
  EXPECT_FALSE(verify_spanning_forest(graph, right, std::nan("")).passed());
  const auto failure = [&](std::size_t i, ForestEdge edge, double weight) {
    std::vector<ForestEdge> wrong = right;
    wrong[i] = edge;
    return verify_spanning_forest(graph, wrong, weight).failure;
  };
  EXPECT_THAT(failure(1, {1, 1, 3}, 5.5), HasSubstr("no edge between 1 and 3 of weight 1"));
  EXPECT_THAT(failure(1, {0, 1, 2}, 4.5), HasSubstr("no edge between 1 and 2 of weight 0"));
  EXPECT_THAT(failure(1, {1, 1, 77}, 5.5), HasSubstr("no edge between 1 and 77"));
  EXPECT_THAT(failure(0, {2, 0, 2}, 7), HasSubstr("closes a cycle"));
  EXPECT_THAT(failure(0, {-1, 6, 6}, 4), HasSubstr("between 6 and 6 closes a cycle"));
  EXPECT_THAT(failure(2, {3, 0, 3}, 6.5), HasSubstr("the edge between 2 and 3 should be"));
  // As light, but not the one that is preferred.
  EXPECT_THAT(failure(3, {2, 0, 2}, 5.5),
              HasSubstr("the edge between 0 and 1 should be in the forest, and not that between 0 "
                        "and 2"));
  const std::vector<ForestEdge> few(right.begin() + 1, right.end());
  EXPECT_THAT(verify_spanning_forest(graph, few, 5).failure, HasSubstr("does not join 4 and 5"));
}

TEST(VerifyDegreeStatistics, RejectsEveryNumberThatIsWrong) {
  // Degrees 2 2 2 4 1 1 1 1 0; a directed path has 1 1 1 0 and 0 1 1 1.
  DegreesResult right;
  right.out = statistics_of({{0, 1}, {1, 4}, {2, 3}, {4, 1}});
  right.isolated = 1;
  EXPECT_EQ(verify_degree_statistics(small(), right).failure, "");
  EXPECT_THAT(verify_degree_statistics(small(), right).checked, HasSubstr("14 arcs"));
  EXPECT_TRUE(verify_degree_statistics(SerialGraph(0, false, {}), DegreesResult()).passed());
  const auto failure = [&](auto corrupt) {
    DegreesResult wrong = right;
    corrupt(wrong);
    return verify_degree_statistics(small(), wrong).failure;
  };
  using Result = DegreesResult&;
  EXPECT_THAT(failure([](Result r) { r.isolated = 0; }), HasSubstr("1 vertices are isolated"));
  EXPECT_THAT(failure([](Result r) { ++r.out.least; }), HasSubstr("least degree is not 1"));
  EXPECT_THAT(failure([](Result r) { ++r.out.greatest; }), HasSubstr("greatest degree is not 5"));
  EXPECT_THAT(failure([](Result r) { r.out.mean *= 1 + 1e-8; }), HasSubstr("the mean"));
  EXPECT_THAT(failure([](Result r) { r.out.median = 1.5; }), HasSubstr("the median is 1, not 1.5"));
  EXPECT_THAT(failure([](Result r) { r.out.percentile_90 = 2; }), HasSubstr("90th"));
  EXPECT_THAT(failure([](Result r) { r.out.percentile_99 = 3; }), HasSubstr("99th"));
  EXPECT_THAT(failure([](Result r) { r.out.percentile_99 = 5; }), HasSubstr("99th"));
  EXPECT_THAT(failure([](Result r) { r.out.standard_deviation = std::nan(""); }),
              HasSubstr("the standard deviation"));
  EXPECT_THAT(failure([](Result r) { r.out.gini = 0; }), HasSubstr("the Gini coefficient"));
  EXPECT_THAT(failure([](Result r) { r.out.top_fraction = 0.5; }),
              HasSubstr("the fraction of the top"));
  EXPECT_THAT(failure([](Result r) { ++r.out.distribution[1].vertices; }),
              HasSubstr("the distribution"));
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {2, 4}};
  const SerialGraph directed(5, true, edges);
  DegreesResult both{.out = statistics_of({{0, 2}, {1, 2}, {2, 1}}),
                     .in = statistics_of({{0, 1}, {1, 4}}),
                     .isolated = 0};
  EXPECT_EQ(verify_degree_statistics(directed, both).failure, "");
  std::swap(both.in, both.out);
  EXPECT_THAT(verify_degree_statistics(directed, both).failure, HasSubstr("out of vertices"));
  both.out = statistics_of({{0, 2}, {1, 2}, {2, 1}});
  EXPECT_THAT(verify_degree_statistics(directed, both).failure, HasSubstr("into vertices"));
}

struct Scores {
  std::vector<VertexId> sources = {0, 4};
  // From 0, vertices 1 and 2 are each on half of the paths to 3, 4, 5; 3 is on those to 4, 5. From
  // 4, vertex 3 is on all to 0, 1, 2, 5, and 1 and 2 on half of those to 0.
  std::vector<double> score = {0, 1, 1, 3, 0, 0, 0, 0, 0};
  std::string failure() const { return verify_betweenness(small(), sources, score).failure; }
};

TEST(VerifyBetweenness, AcceptsTheRightScores) {
  Scores scores;
  EXPECT_EQ(scores.failure(), "");
  EXPECT_THAT(verify_betweenness(small(), scores.sources, scores.score).checked,
              HasSubstr("9 scores"));
  scores.score[3] *= 1 + 1e-11;
  EXPECT_EQ(scores.failure(), "");
  scores.sources = {};
  scores.score.assign(9, 0);
  EXPECT_EQ(scores.failure(), "");
}

TEST(VerifyBetweenness, RejectsWrongScores) {
  Scores scores;
  scores.score[3] *= 1 + 1e-8;
  EXPECT_THAT(scores.failure(), HasSubstr("vertex 3"));
  scores = Scores();
  scores.score[8] = 1e-12;
  EXPECT_THAT(scores.failure(), HasSubstr("vertex 8"));
  scores = Scores();
  scores.score[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(scores.failure(), HasSubstr("vertex 2"));
  scores = Scores();
  for (double& score : scores.score) score *= 2;  // not halved
  EXPECT_THAT(scores.failure(), HasSubstr("vertex 1"));
  scores = Scores();
  scores.sources = {0};
  EXPECT_NE(scores.failure(), "");
}

TEST(VerifyBetweenness, CountsMorePathsThanADoubleHolds) {
  // 1,200 diamonds, one after the other: the middle vertex of each is passed by all paths beyond.
  std::vector<Edge> edges;
  for (VertexId v = 0; v < 3600; v += 3) {
    for (const VertexId side : {v + 1, v + 2}) {
      edges.push_back({v, side});
      edges.push_back({side, v + 3});
    }
  }
  const SerialGraph chain(3601, true, edges);
  const std::vector<double> score = serial_betweenness(chain, std::vector<VertexId>{0});
  for (VertexId v = 3; v <= 3600; v += 3) ASSERT_NEAR(score[v], 3600 - v, 1e-6) << v;
  for (VertexId v = 1; v <= 3600; v += 3) ASSERT_NEAR(score[v], (3600 - v - 1) / 2.0, 1e-6) << v;
}

}  // namespace
}  // namespace grappa::graph
