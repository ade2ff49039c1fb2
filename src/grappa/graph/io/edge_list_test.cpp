#include "grappa/graph/io/edge_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

using testing::ElementsAre;

EdgeList list_of(std::initializer_list<Edge> edges, std::initializer_list<double> weights,
                 bool directed) {
  EdgeList list;
  list.vertex_count = 5;
  list.names = VertexNames::range(0, 5);
  list.edges = edges;
  list.weights = weights;
  list.directed = directed;
  list.needs_simplify = true;
  return list;
}

TEST(EdgeList, SimplifyUndirected) {
  EdgeList list =
      list_of({{3, 1}, {1, 3}, {2, 2}, {0, 4}, {1, 3}, {1, 0}}, {5, 4, 1, 2, 6, 7}, false);
  simplify(list, threaded_for());
  EXPECT_FALSE(list.needs_simplify);
  EXPECT_THAT(list.edges, ElementsAre(Edge{0, 1}, Edge{0, 4}, Edge{1, 3}));
  EXPECT_THAT(list.weights, ElementsAre(7, 2, 4)) << "the smallest weight of duplicates";
}

TEST(EdgeList, SimplifyDirected) {
  EdgeList list = list_of({{3, 1}, {1, 3}, {2, 2}, {3, 1}}, {}, true);
  simplify(list, serial_for());
  EXPECT_THAT(list.edges, ElementsAre(Edge{1, 3}, Edge{3, 1}));
  EXPECT_TRUE(list.weights.empty());
}

TEST(EdgeList, SimplifyNothing) {
  EdgeList list = list_of({}, {}, true);
  simplify(list, serial_for());
  EXPECT_TRUE(list.edges.empty());
}

TEST(EdgeList, MakeDirected) {
  EdgeList list = list_of({{3, 1}, {2, 2}}, {5, 6}, false);
  make_directed(list);
  EXPECT_TRUE(list.directed);
  EXPECT_THAT(list.edges, ElementsAre(Edge{3, 1}, Edge{2, 2}, Edge{1, 3}));
  EXPECT_THAT(list.weights, ElementsAre(5, 6, 5));
  make_directed(list);
  EXPECT_EQ(list.edges.size(), 3u);
}

TEST(EdgeList, Notes) {
  EdgeList list;
  add_note(list, "");
  EXPECT_EQ(list.note, "");
  add_note(list, "a");
  add_note(list, "b");
  EXPECT_EQ(list.note, "a; b");
}

TEST(UninitializedVector, LargeOnesWork) {
  UninitializedVector<Edge> edges(3'000'000);
  edges[2'999'999] = {1, 2};
  edges.resize(6'000'000);
  EXPECT_EQ(edges[2'999'999], (Edge{1, 2}));
  edges.assign(10, Edge{3, 4});
  EXPECT_EQ(edges[9], (Edge{3, 4}));
  edges.shrink_to_fit();
  EXPECT_EQ(edges[9], (Edge{3, 4}));
}

}  // namespace
}  // namespace grappa::graph
