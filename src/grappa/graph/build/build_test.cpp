#include "grappa/graph/build/build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::expect_same;
using test::for_all_graphs;
using test::TestGraph;

TEST(Build, RowsAndCountsAreThoseOfTheList) {
  for_all_graphs([](const TestGraph& test) {
    const Owned<Graph> graph = test.build();
    const SerialGraph expected = test.serial();
    expect_same(SerialGraph::of(*graph), expected);
    EXPECT_EQ(graph->vertex_count(), test.list.vertex_count);
    EXPECT_EQ(graph->arc_count(), expected.arc_count());
    if (!test.list.needs_simplify) {
      EXPECT_EQ(graph->edge_count(), static_cast<std::int64_t>(test.list.edges.size()));
    }
    EXPECT_EQ(graph->has_in_edges(), !test.list.directed);
  });
}

TEST(Build, WeightsStayWithTheirEdges) {
  for_all_graphs([](const TestGraph& test) {
    if (test.list.edges.empty()) return;
    for (const WeightType type : {WeightType::kByte, WeightType::kWord, WeightType::kDouble}) {
      TestGraph weighted = test::weighted(test, type);
      SCOPED_TRACE(weighted.name);
      const Owned<Graph> graph = weighted.build();
      const WeightRange range = range_of(weighted.list.weights);
      EXPECT_EQ(graph->weight_type(), range.type());
      EXPECT_EQ(graph->weight_range().least, range.least);
      EXPECT_EQ(graph->weight_range().greatest, range.greatest);
      expect_same(SerialGraph::of(*graph), weighted.serial());
    }
  });
}

TEST(Build, InEdgesHaveTheWeightsOfTheOutEdges) {
  const TestGraph test =
      test::weighted(test::directed(test::generated("kron:11:8")), WeightType::kWord);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(3, 1)}) {
    run(config, [&] {
      const Owned<Graph> graph = test.build({.in_edges = true});
      const SerialGraph serial = test.serial();
      std::vector<double> sums(static_cast<std::size_t>(graph->vertex_count()));
      const auto sums_here = GlobalAddress<double>::of_local(sums.data());
      on_all_locales([graph = *graph, sums_here] {
        for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
          double sum = 0;
          const auto weights = graph.in().weights<std::uint32_t>(v);
          for (std::size_t i = 0; i < weights.size(); ++i)
            sum += static_cast<double>(weights[i]) * (graph.in().neighbors(v)[i] + 1);
          delegate::async::write(sums_here + v, sum);
        }
      });
      for (std::int64_t u = 0; u < graph->vertex_count(); ++u) {
        for (std::size_t i = 0; i < serial.neighbors(u).size(); ++i)
          sums[serial.neighbors(u)[i]] -= serial.weight(u, i) * static_cast<double>(u + 1);
      }
      EXPECT_TRUE(std::ranges::all_of(sums, [](double sum) { return sum == 0; }));
    });
  }
}

TEST(Build, InEdgesAreTheOutEdgesTurned) {
  for_all_graphs([](const TestGraph& test) {
    const Owned<Graph> graph = test.build({.in_edges = true});
    EXPECT_TRUE(graph->has_in_edges());
    // Every in-edge subtracts what its out-edge adds, in a sum that mixes both ends.
    const auto weight = [](std::uint64_t u, std::uint64_t v) {
      return (u * 1000003 + v) * 0x9E3779B97F4A7C15u ^ (u + 31 * v);
    };
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(locale_count()));
    const auto sums_here = GlobalAddress<std::uint64_t>::of_local(sums.data());
    on_all_locales([graph = *graph, weight, sums_here] {
      std::uint64_t sum = 0;
      for (std::int64_t i = graph.locale_begin(); i < graph.locale_end(); ++i) {
        const auto v = static_cast<std::uint64_t>(i);
        for (const VertexId w : graph.out().neighbors(i)) sum += weight(v, w);
        EXPECT_TRUE(std::ranges::is_sorted(graph.in().neighbors(i)));
        for (const VertexId u : graph.in().neighbors(i)) sum -= weight(u, v);
      }
      delegate::async::write(sums_here + this_locale(), sum);
    });
    std::uint64_t total = 0;
    for (const std::uint64_t sum : sums) total += sum;
    EXPECT_EQ(total, 0u);
  });
}

TEST(Build, SymmetrizeAndSimplify) {
  for_all_graphs([](const TestGraph& test) {
    const Owned<Graph> graph = test.build({.symmetrize = true, .simplify = true});
    EdgeList list = test::copy_of(test.list);
    list.directed = false;
    simplify(list, serial_for());
    EXPECT_FALSE(graph->is_directed());
    EXPECT_EQ(graph->edge_count(), static_cast<std::int64_t>(list.edges.size()));
    EXPECT_EQ(graph->arc_count(), 2 * graph->edge_count());
    expect_same(SerialGraph::of(*graph), SerialGraph(list.vertex_count, false, list.edges));
  });
}

TEST(Build, ConsumesTheEdges) {
  run(grappa::test::threads(2), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    const Owned<Graph> graph = build_graph(list);
    EXPECT_TRUE(list.edges.empty());
  });
}

TEST(Build, AListKeepsItsEdgesIfAsked) {
  for_all_graphs([](const TestGraph& test) {
    EdgeList list = test::copy_of(test.list);
    for (const VertexOrder order : {VertexOrder::kGiven, VertexOrder::kRandom}) {
      const Owned<Graph> graph = build_graph(
          list, {.in_edges = true, .simplify = true, .order = order, .keep_list = true});
      EXPECT_EQ(list.edges, test.list.edges);
      EXPECT_EQ(list.weights, test.list.weights);
    }
    const Owned<Graph> graph = build_graph(list);
    const Owned<Graph> expected = test.build();
    expect_same(SerialGraph::of(*graph), SerialGraph::of(*expected));
  });
}

TEST(Build, VertexArraysAreLaidOutLikeTheGraph) {
  for_all_graphs([](const TestGraph& test) {
    const Owned<Graph> graph = test.build();
    const Owned<GlobalArray<std::int64_t>> array = graph->make_vertex_array<std::int64_t>();
    for (std::int64_t v = 0; v < graph->vertex_count(); ++v)
      ASSERT_EQ(graph->home(v), array->home(v)) << v;
    on_all_locales([graph = *graph, array = *array] {
      for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
        EXPECT_EQ(locale_of(graph.home(v)), this_locale());
        array.locale_part()[static_cast<std::size_t>(v - graph.locale_begin())] = 3 * v;
      }
    });
    const auto all = collect(*array, graph->vertex_count());
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), graph->vertex_count());
    for (std::size_t v = 0; v < all.size(); ++v)
      ASSERT_EQ(all[v], 3 * static_cast<std::int64_t>(v));
  });
}

TEST(Build, MoreBucketsThanOneOnSeveralLocales) {
  const TestGraph large = test::generated("kron:14");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 1)}) {
    run(config, [&] {
      const Owned<Graph> graph = large.build();
      expect_same(SerialGraph::of(*graph), large.serial());
    });
  }
}

/// What the UsageError says with which the list is refused; nothing if it is not.
std::string refusal_of(EdgeList& list, const BuildOptions& options = {}) {
  try {
    const Owned<Graph> graph = build_graph(list, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Build, RefusesListsThatMakeNoSense) {
  using testing::AllOf;
  using testing::HasSubstr;
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [] {
      for (const VertexOrder order : {VertexOrder::kGiven, VertexOrder::kByDegree}) {
        for (const VertexId vertex : {VertexId{4}, static_cast<VertexId>(-1)}) {
          EdgeList list = test::make_list(4, true, {{0, 1}, {2, 3}, {1, vertex}, {3, 0}});
          EXPECT_THAT(
              refusal_of(list, {.order = order}),
              AllOf(HasSubstr("build_test.cpp:"),
                    HasSubstr(std::to_string(vertex) + ", the list says that there are 4")));
          EXPECT_EQ(list.edges.size(), 4u);
        }
        EdgeList list = test::make_list(4, true, {{0, 1}, {2, 3}});
        EXPECT_EQ(refusal_of(list, {.order = order}), "");
        EXPECT_THAT(refusal_of(list),
                    AllOf(HasSubstr("build_test.cpp:"), HasSubstr("keep a copy")));
        list.edges.push_back({0, 1});  // it has edges again
        EXPECT_EQ(refusal_of(list), "");
      }
      for (const std::int64_t vertices : {std::int64_t{-1}, kMaxVertices + 1}) {
        EdgeList list = test::make_list(vertices, true, {});
        EXPECT_THAT(refusal_of(list), HasSubstr("vertices asked, at most"));
      }
      EdgeList none;
      EXPECT_EQ(refusal_of(none), "");
    });
  }
}

TEST(Build, WhatFailsLeavesNothingBehind) {
  const TestGraph test = test::weighted(test::generated("kron:7:4"), WeightType::kByte);
  const TestGraph arcs = test::directed(test);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [&] {
      const std::size_t before = grappa::test::live_allocations();
      EdgeList wrong = test::make_list(4, true, {{0, 1}, {1, 4}});
      EXPECT_NE(refusal_of(wrong), "");
      wrong.edges.pop_back();
      wrong.edges.push_back({2, 3});
      wrong.weights.push_back(1);
      EXPECT_THROW((void)build_graph(wrong), Error) << "only one edge has a weight";
      EXPECT_EQ(grappa::test::live_allocations(), before);
      grappa::test::expect_nothing_left_behind([&] {
        const Owned<Graph> graph =
            test.build({.order = VertexOrder::kByDegree, .split_degree = 20});
      });
      grappa::test::expect_nothing_left_behind([&] {
        const Owned<Graph> graph =
            arcs.build({.in_edges = true, .order = VertexOrder::kRandom, .split_degree = 20});
      });
    });
  }
}

TEST(Collect, RefusesWhatIsNotThere) {
  run(grappa::test::cluster(2, 1), [] {
    EdgeList list = test::make_list(10, true, {{0, 1}});
    EdgeList larger = test::make_list(1000, true, {{0, 1}});
    const Owned<Graph> graph = build_graph(list);
    const Owned<Graph> other = build_graph(larger);
    const Owned<GlobalArray<int>> values = graph->make_vertex_array<int>();
    const Owned<GlobalArray<int>> of_other = other->make_vertex_array<int>();
    EXPECT_EQ(collect(*values, *graph).size(), 10u);
    EXPECT_THROW(collect(*of_other, *graph), UsageError);
    EXPECT_THROW(collect(*values, *other), UsageError);
    EXPECT_THROW(collect(*values, -1), UsageError);
    EXPECT_THROW(collect(*values, values->size() + 1), UsageError);
    EXPECT_EQ(collect(*values, values->size()).size(), static_cast<std::size_t>(values->size()));
  });
}

TEST(Build, TheEstimateCoversTheListAndTheRows) {
  run(grappa::test::threads(1), [] {
    const std::uint64_t m = 1'000'000;
    for (const bool directed : {false, true}) {
      const std::uint64_t bytes =
          build_memory_bytes(1000, m, directed, WeightType::kNone, {.in_edges = true});
      const std::uint64_t keys = 2 * m * sizeof(std::uint64_t);
      EXPECT_GE(bytes, directed ? m * sizeof(Edge) + 2 * m * sizeof(VertexId) : keys);
      EXPECT_LE(bytes, 4 * m * sizeof(Edge));
    }
  });
}

TEST(RuntimeParallelFor, RunsEveryIndexOnce) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [] {
      const ParallelFor parallel = runtime_parallel_for();
      std::vector<std::atomic<int>> seen(1000);
      for (int round = 0; round < 3; ++round) {
        parallel(1000, [&](std::int64_t i) { ++seen[static_cast<std::size_t>(i)]; });
        for (const auto& count : seen) ASSERT_EQ(count, round + 1);
      }
      parallel(0, [&](std::int64_t) { FAIL(); });
    });
  }
}

TEST(RuntimeParallelFor, ErrorsOfPartsComeBack) {
  run(grappa::test::threads(2), [] {
    const ParallelFor parallel = runtime_parallel_for();
    EXPECT_THROW(for_parts(parallel, 10,
                           [](std::int64_t i) {
                             if (i == 3) throw UsageError("three");
                           }),
                 UsageError);
  });
}

}  // namespace
}  // namespace grappa::graph
