// The parts of the Graph500 benchmark: input, keys, validation against corrupted results,
// statistics.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "bench/graph500_graph.hpp"
#include "bench/graph500_input.hpp"
#include "bench/graph500_searches.hpp"
#include "bench/graph500_statistics.hpp"
#include "bench/graph500_validator.hpp"
#include "grappa/base/error.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::bench {
namespace {

using graph::Edge;
using graph::EdgeParts;
using graph::Graph;
using graph::kNoVertex;
using graph::VertexId;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// body() in runs of every shape.
void in_every_shape(const std::function<void()>& body) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, body);
  }
}

// ---- input ----

struct ListSum {
  std::int64_t edges = 0;
  std::uint64_t sum = 0;
  double weights = 0;

  void add(std::span<const Edge> some, std::span<const double> weights_of_some) {
    edges += std::ssize(some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double weight = weights_of_some.empty() ? 0 : weights_of_some[i];
      sum +=
          (some[i].source * 1000003ull + some[i].target) * static_cast<std::uint64_t>(weight + 1);
      weights += weight;
    }
  }
  friend bool operator==(const ListSum&, const ListSum&) = default;
};

TEST(Graph500Input, IsTheSameWhoeverMakesWhichPart) {
  const Graph500Input input(9, 100, 7);
  ASSERT_EQ(input.edge_count(), 51200);
  std::vector<Edge> edges(51200);
  std::vector<double> weights(51200);
  input.fill(0, edges, weights);
  ListSum expected;
  expected.add(edges, weights);
  EXPECT_NEAR(expected.weights / 51200, 0x1p23, 0x1p17);
  for (const double weight : weights) {
    ASSERT_GE(weight, 0);
    ASSERT_LT(weight, 0x1p24);
    ASSERT_EQ(weight, std::floor(weight));
  }
  in_every_shape([&] {
    EdgeParts list = input.make_list(true);
    const auto made = gather_cores([part = *list.part] {
      ListSum sum;
      if (this_core() == first_core_of(this_locale())) sum.add(part->edges, part->weights);
      return sum;
    });
    ListSum sum;
    for (const ListSum& of_core : made) {
      sum.edges += of_core.edges;
      sum.sum += of_core.sum;
    }
    EXPECT_EQ(sum.edges, expected.edges);
    EXPECT_EQ(sum.sum, expected.sum);

    auto visited = symmetric_alloc<ListSum>();
    input.visit(true, [visited](auto some, auto of_some) { visited->add(some, of_some); });
    sum = ListSum();
    for (const ListSum& of_core : gather_cores([visited] { return visited.local(); })) {
      sum.edges += of_core.edges;
      sum.sum += of_core.sum;
    }
    EXPECT_EQ(sum.edges, expected.edges);
    EXPECT_EQ(sum.sum, expected.sum);
    symmetric_free(visited);
  });
}

// ---- graph and keys ----

/// A list on locale 0.
EdgeParts list_of(const std::vector<Edge>& edges, const std::vector<double>& weights = {}) {
  EdgeParts list = EdgeParts::create();
  list.directed = false;
  list.edge_count = std::ssize(edges);
  graph::EdgeList& mine = **list.part;
  mine.edges.assign(edges.begin(), edges.end());
  mine.weights.assign(weights.begin(), weights.end());
  return list;
}

Graph graph_of(const std::vector<Edge>& edges, const std::vector<double>& weights = {}) {
  EdgeParts list = list_of(edges, weights);
  return graph500_construct(list);
}

TEST(Graph500Keys, HaveAnEdgeToAnotherVertex) {
  in_every_shape([] {
    // 0, 3 and 6 have no edge, 2 and 5 only one to themselves.
    const Owned<Graph> graph = graph_of({{1, 4}, {2, 2}, {4, 1}, {5, 5}, {5, 5}, {7, 8}, {8, 8}});
    EXPECT_EQ(graph->vertex_count(), 9);
    EXPECT_EQ(graph->edge_count(), 2);
    EXPECT_EQ(graph500_keys(*graph, 64, 1), (std::vector<VertexId>{1, 4, 7, 8}));
  });
}

TEST(Graph500Keys, AreDifferentAndGoByTheSeed) {
  in_every_shape([] {
    const Graph500Input input(11, 16, 3);
    EdgeParts list = input.make_list(false);
    const Owned<Graph> graph = graph500_construct(list);
    const auto keys = graph500_keys(*graph, 64, 1);
    EXPECT_EQ(std::set<VertexId>(keys.begin(), keys.end()).size(), 64);
    EXPECT_NE(graph500_keys(*graph, 64, 2), keys);
    EXPECT_EQ(graph500_keys(*graph, 64, 1), keys);
  });
}

TEST(Graph500Keys, OfLoopsThereAreNone) {
  run(test::threads(1), [] {
    const Owned<Graph> graph = graph_of({{3, 3}, {1, 1}});
    EXPECT_TRUE(graph500_keys(*graph, 64, 1).empty());
  });
}

// ---- validation ----

// Two components and a vertex alone, with a multiple edge, a loop in each component and one apart:
//
//   0 - 1 - 2 - 4 - 6 (loop)     5 - 7 (loop)     8 (loop)
//    \-- 3 --/
//
const std::vector<Edge> kEdges = {{0, 1}, {1, 2}, {1, 0}, {3, 2}, {0, 3}, {2, 4},
                                  {4, 6}, {6, 6}, {5, 7}, {7, 7}, {8, 8}, {2, 1}};
// The lighter one of two equal edges counts. 4 - 6 weighs nothing.
const std::vector<double> kWeights = {0.5, 0.25,  0.75, 0.125, 0.0625, 0.5,
                                      0,   0.875, 0.5,  0.5,   0.5,    0.875};
constexpr std::int64_t kEdgesFrom0 = 9;

/// A result, to be corrupted.
struct Result {
  std::vector<VertexId> parent;
  std::vector<double> distance;
};
const Result kLevels = {{0, 0, 1, 0, 2, kNoVertex, 4, kNoVertex, kNoVertex},
                        {0, 1, 2, 1, 3, kInfinite, 4, kInfinite, kInfinite}};
const Result kPaths = {
    {0, 2, 3, 0, 2, kNoVertex, 4, kNoVertex, kNoVertex},
    {0, 0.4375, 0.1875, 0.0625, 0.6875, kInfinite, 0.6875, kInfinite, kInfinite}};

template <class T, class U>
Owned<GlobalArray<T>> array_of(const Graph& graph, const std::vector<U>& values) {
  Owned<GlobalArray<T>> array = graph.make_vertex_array<T>();
  for (std::size_t v = 0; v < values.size(); ++v) {
    const bool none = std::is_integral_v<T> && values[v] == static_cast<U>(kInfinite);
    delegate::write((*array)[static_cast<std::int64_t>(v)],
                    none ? static_cast<T>(-1) : static_cast<T>(values[v]));
  }
  return array;
}

template <class Distance>
Graph500Validation validate(const Graph& graph, const Result& result) {
  constexpr bool kIsWeighted = std::is_floating_point_v<Distance>;
  const Owned<GlobalArray<VertexId>> parent = graph.make_vertex_array<VertexId>();
  for (std::size_t v = 0; v < result.parent.size(); ++v)
    delegate::write((*parent)[static_cast<std::int64_t>(v)], result.parent[v]);
  const Owned<GlobalArray<Distance>> distance = array_of<Distance>(graph, result.distance);
  const Owned<Graph500Validator> owned = Graph500Validator::create(graph.vertex_count());
  const Graph500Validator& validator = *owned;
  validator.take(graph, *parent, *distance);
  on_all_cores([validator] {
    const auto first = kEdges.size() * static_cast<std::size_t>(this_core()) /
                       static_cast<std::size_t>(core_count());
    const auto last = kEdges.size() * static_cast<std::size_t>(this_core() + 1) /
                      static_cast<std::size_t>(core_count());
    std::span<const double> weights;
    if (kIsWeighted) weights = std::span(kWeights).subspan(first, last - first);
    validator.check(std::span(kEdges).subspan(first, last - first), weights);
  });
  return validator.finish(graph, 0);
}

TEST(Graph500Validator, AcceptsResultsAndCountsTheirEdges) {
  in_every_shape([] {
    const Owned<Graph> graph = graph_of(kEdges, kWeights);
    for (const Graph500Validation& found :
         {validate<std::int32_t>(*graph, kLevels), validate<double>(*graph, kPaths)}) {
      EXPECT_EQ(found.failure, "");
      EXPECT_EQ(found.edges, kEdgesFrom0);
    }
  });
}

struct Corruption {
  std::string rule;
  std::function<void(Result&)> corrupt;
};

template <class Distance>
void expect_rejected(const Result& result, const std::vector<Corruption>& corruptions) {
  in_every_shape([&] {
    const Owned<Graph> graph = graph_of(kEdges, kWeights);
    for (const Corruption& corruption : corruptions) {
      Result wrong = result;
      corruption.corrupt(wrong);
      const Graph500Validation found = validate<Distance>(*graph, wrong);
      EXPECT_TRUE(found.failure.find(corruption.rule) != std::string::npos)
          << corruption.rule << " was to be broken; found: " << found.failure;
    }
  });
}

TEST(Graph500Validator, RejectsEveryKindOfWrongSearch) {
  expect_rejected<std::int32_t>(
      kLevels, {
                   {"rule 1: the source 0 has parent 1", [](Result& r) { r.parent[0] = 1; }},
                   {fmt::format("rule 1: vertex 6 has parent {}", kNoVertex),
                    [](Result& r) { r.parent[6] = kNoVertex; }},
                   {"rule 1: vertex 6 has parent 99", [](Result& r) { r.parent[6] = 99; }},
                   // A cycle of parents cannot keep to the levels.
                   {"rule 2", [](Result& r) { r.parent[2] = 4; }},
                   {"rule 2", [](Result& r) { r.parent[6] = 6; }},
                   {"rule 3",
                    [](Result& r) {  // the long way round
                      r.parent[3] = 2;
                      r.distance[3] = 3;
                    }},
                   {"rule 4",
                    [](Result& r) {  // its end is missing
                      r.parent[6] = kNoVertex;
                      r.distance[6] = kInfinite;
                    }},
                   // Another component, hung on.
                   {"rule 5",
                    [](Result& r) {
                      r.parent[5] = 0;
                      r.distance[5] = 1;
                      r.parent[7] = 5;
                      r.distance[7] = 2;
                    }},
               });
}

TEST(Graph500Validator, RejectsEveryKindOfWrongPaths) {
  expect_rejected<double>(
      kPaths,
      {
          {"rule 1: the source 0 has parent 0, at distance 1",
           [](Result& r) { r.distance[0] = 1; }},
          {fmt::format("rule 1: vertex 6 has parent {}", kNoVertex),
           [](Result& r) { r.parent[6] = kNoVertex; }},
          {"rule 1: the parents of vertex",
           [](Result& r) {  // 4 - 6 weighs nothing: they could vouch for each other
             r.parent[4] = 6;
             r.distance[4] = r.distance[6] = 0.5;
           }},
          {"rule 2", [](Result& r) { r.parent[3] = 2; }},
          {"rule 3", [](Result& r) { r.distance[1] = 0.5, r.parent[1] = 0; }},  // the direct way
          {"rule 4",
           [](Result& r) {
             r.parent[6] = kNoVertex;
             r.distance[6] = kInfinite;
           }},
          {"rule 5", [](Result& r) { r.parent[4] = 3; }},
          // By an edge of the input, but it is longer than that.
          {"rule 5", [](Result& r) { r.parent[1] = 0; }},
          {"rule 5", [](Result& r) { r.distance[1] = 0.4; }},
      });
}

// ---- searches ----

/// One vertex is said to be a level farther than it is, or to be reached.
struct WrongOnce : BreadthFirst {
  void run(const Graph& graph, VertexId key) {
    BreadthFirst::run(graph, key);
    const auto depth = (*result.depth)[(key + 1) % graph.vertex_count()];
    delegate::write(depth, delegate::read(depth) + 1);
  }
};

/// body(graph, input, keys, validator) in runs of every shape.
template <class F>
void with_a_graph(F body) {
  in_every_shape([&] {
    const Graph500Input input(10, 8, 5);
    EdgeParts list = input.make_list(true);
    const Owned<Graph> graph = graph500_construct(list);
    const Owned<Graph500Validator> validator = Graph500Validator::create(graph->vertex_count());
    body(*graph, input, graph500_keys(*graph, 3, 1), *validator);
  });
}

TEST(Graph500Searches, AreValidAndTraverseTheComponent) {
  with_a_graph([](const Graph& graph, const Graph500Input& input, const std::vector<VertexId>& keys,
                  const Graph500Validator& validator) {
    const auto levels = graph500_search<BreadthFirst>(graph, input, keys, validator);
    const auto paths = graph500_search<ShortestPaths>(graph, input, keys, validator);
    EXPECT_EQ(levels.seconds.size(), 3);
    EXPECT_EQ(levels.edges, paths.edges);
    // A graph without duplicates has fewer edges than that.
    for (const double edges : levels.edges) EXPECT_GT(edges, graph.edge_count());
  });
}

TEST(Graph500Searches, AWrongOneIsAnError) {
  with_a_graph([](const Graph& graph, const Graph500Input& input, const std::vector<VertexId>& keys,
                  const Graph500Validator& validator) {
    try {
      graph500_search<WrongOnce>(graph, input, keys, validator);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("bfs from {}: rule", keys.front())),
                std::string::npos)
          << error.what();
    }
  });
}

// ---- statistics ----

TEST(Graph500Statistics, OfNumbersByHand) {
  const auto s = Graph500Statistics::of({4, 1, 2, 8, 16});
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.first_quartile, 2);
  EXPECT_EQ(s.median, 4);
  EXPECT_EQ(s.third_quartile, 8);
  EXPECT_EQ(s.max, 16);
  EXPECT_DOUBLE_EQ(s.mean, 6.2);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(148.8 / 4));
  const auto even = Graph500Statistics::of({8, 1, 4, 2});
  EXPECT_EQ(even.first_quartile, 1.5);
  EXPECT_EQ(even.median, 3);
  EXPECT_EQ(even.third_quartile, 6);
  const auto alone = Graph500Statistics::of({3});
  EXPECT_EQ(alone.first_quartile, 3);
  EXPECT_EQ(alone.third_quartile, 3);
  EXPECT_EQ(alone.deviation, 0);
}

TEST(Graph500Statistics, OfRatesAreHarmonic) {
  // Rates 1, 2 and 4: the inverse ones 1, 1/2 and 1/4 have the mean 7/12, and differ from it by
  // 5/12, -1/12 and -4/12.
  const auto rates = graph500_rates({10, 20, 20}, {10, 10, 5});
  EXPECT_DOUBLE_EQ(rates.min, 1);
  EXPECT_DOUBLE_EQ(rates.median, 2);
  EXPECT_DOUBLE_EQ(rates.max, 4);
  EXPECT_DOUBLE_EQ(rates.mean, 12.0 / 7);
  EXPECT_DOUBLE_EQ(rates.deviation, std::sqrt(42.0) / 12 / 2 * (12.0 / 7) * (12.0 / 7));
  // The quartile of the slow ones is the slower one.
  const auto four = graph500_rates({1, 1, 1, 1}, {1, 2, 4, 8});
  EXPECT_DOUBLE_EQ(four.first_quartile, 1 / 6.0);
  EXPECT_DOUBLE_EQ(four.third_quartile, 1 / 1.5);
  const auto alone = graph500_rates({6}, {2});
  EXPECT_DOUBLE_EQ(alone.mean, 3);
  EXPECT_EQ(alone.deviation, 0);
}

}  // namespace
}  // namespace grappa::bench
