#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "grappa/base/error.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/framework/programs/program_kernels.hpp"
#include "grappa/graph/framework/run_program.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

constexpr Engine kEngines[] = {Engine::kSynchronous, Engine::kAsynchronous};

/// Alternates, so that each graph meets each engine in one shape or another.
Engine next_engine() {
  static std::size_t runs = 0;
  ++runs;
  return kEngines[(runs + runs / 16) % 2];
}

TEST(Program, BreadthFirstSearch) {
  for_all_graphs([](const TestGraph& test) {
    const std::int64_t n = test.list.vertex_count;
    if (n == 0) return;
    Graph graph = test.build({.in_edges = true});
    const auto source = static_cast<VertexId>(n / 2);
    BfsResult expected = bfs(graph, source);
    BfsResult result = bfs_program(graph, source, next_engine());
    EXPECT_EQ(collect(*result.depth, n), collect(*expected.depth, n));
    EXPECT_EQ(result.reached, expected.reached);
    EXPECT_EQ(result.levels, expected.levels);
    EXPECT_EQ(result.arcs, expected.arcs);
    EXPECT_EQ(result.edges, expected.edges);
    const Verification verification = verify(graph, source, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    graph.destroy();
  });
}

TEST(Program, ShortestPaths) {
  std::size_t graphs = 0;
  for_all_graphs([&](const TestGraph& plain) {
    constexpr WeightType kTypes[] = {WeightType::kByte, WeightType::kWord, WeightType::kDouble};
    const TestGraph test = graphs % 4 == 3 ? plain : test::weighted(plain, kTypes[graphs % 4]);
    ++graphs;
    const std::int64_t n = test.list.vertex_count;
    if (n == 0) return;
    Graph graph = test.build({.in_edges = true});
    const auto source = static_cast<VertexId>(n / 3);
    SsspResult expected = sssp(graph, source);
    SsspResult result = sssp_program(graph, source, next_engine());
    EXPECT_EQ(collect(*result.distance, n), collect(*expected.distance, n));
    EXPECT_EQ(result.reached, expected.reached);
    EXPECT_EQ(result.farthest, expected.farthest);
    const Verification verification = verify(graph, source, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    graph.destroy();
  });
}

TEST(Program, Components) {
  for_all_graphs([](const TestGraph& test) {
    Graph graph = test.build({.symmetrize = true});
    ComponentsResult expected = connected_components(graph);
    ComponentsResult result = components_program(graph, next_engine());
    EXPECT_EQ(collect_vertices(*result.label, graph), collect_vertices(*expected.label, graph));
    const Verification verification = verify(graph, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    graph.destroy();
  });
}

TEST(Program, PageRank) {
  for_all_graphs([](const TestGraph& test) {
    const std::int64_t n = test.list.vertex_count;
    Graph graph = test.build({.in_edges = true});
    const PageRankOptions options{.tolerance = 1e-6, .max_iterations = 1000};
    PageRankResult expected = pagerank(graph, {.tolerance = 1e-12, .max_iterations = 1000});
    PageRankResult result = pagerank_program(graph, options, next_engine());
    EXPECT_TRUE(result.converged);
    const auto ranks = collect(*result.rank, n);
    const auto truth = collect(*expected.rank, n);
    // An iteration takes it nearer by the damping, and there are infinitely many to come.
    double error = 0;
    for (std::size_t v = 0; v < ranks.size(); ++v) error += std::abs(ranks[v] - truth[v]);
    EXPECT_LE(error, options.tolerance * options.damping / (1 - options.damping) + 1e-9);
    const Verification verification = verify(graph, options, result);
    EXPECT_TRUE(verification.passed()) << verification.failure;
    graph.destroy();
  });
}

TEST(Program, PageRankTakesAsManyRoundsAsPowerIteration) {
  const TestGraph graphs[] = {test::generated("kron:12"), test::generated("urand:12"),
                              test::generated("grid:50x50")};
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      for (const TestGraph& test : graphs) {
        Graph graph = test.build();
        PageRankResult power = pagerank(graph, {});
        PageRankResult program = pagerank_program(graph, {}, Engine::kSynchronous);
        EXPECT_LE(program.iterations, power.iterations + 1) << test.name;
        graph.destroy();
      }
    });
  }
}

TEST(Program, PageRankWithoutDampingIsOneRound) {
  const TestGraph kron = test::directed(test::generated("kron:10:8"));
  run(grappa::test::cluster(2, 1), [&] {
    Graph graph = kron.build({.in_edges = true});
    const double all = static_cast<double>(graph.vertex_count());
    PageRankResult result = pagerank_program(graph, {.damping = 0}, Engine::kSynchronous);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.iterations, 1);
    for (const double rank : collect(*result.rank, graph.vertex_count()))
      EXPECT_NEAR(rank, 1 / all, 1e-15);
    graph.destroy();
  });
}

TEST(Program, PageRankThatIsCutShort) {
  const TestGraph kron = test::directed(test::generated("kron:10:8"));
  run(grappa::test::threads(2), [&] {
    Graph graph = kron.build({.in_edges = true});
    for (const std::int64_t rounds : {0, 1, 2, 5, 20}) {
      const PageRankOptions options{.tolerance = 1e-15, .max_iterations = rounds};
      PageRankResult result = pagerank_program(graph, options, Engine::kSynchronous);
      EXPECT_EQ(result.iterations, rounds);
      EXPECT_FALSE(result.converged);
      const Verification verification = verify(graph, options, result);
      EXPECT_TRUE(verification.passed()) << verification.failure;
    }
    graph.destroy();
  });
}

// Also on a graph whose ranks do not change any more after a few rounds.
TEST(Program, PageRankOfToleranceZeroTakesAllItsRounds) {
  for (const char* spec : {"kron:8:8", "grid:1x2"}) {
    const TestGraph input = test::directed(test::generated(spec));
    run(grappa::test::threads(2), [&] {
      Graph graph = input.build({.in_edges = true});
      const PageRankOptions options{.tolerance = 0, .max_iterations = 90};
      PageRankResult result = pagerank_program(graph, options, Engine::kSynchronous);
      EXPECT_EQ(result.iterations, 90);
      EXPECT_FALSE(result.converged);
      const Verification verification = verify(graph, options, result);
      EXPECT_TRUE(verification.passed()) << verification.failure;
      graph.destroy();
    });
  }
}

TEST(Program, LargeGraphsOnSeveralCores) {
  const TestGraph kron = test::weighted(test::generated("kron:14"), WeightType::kByte);
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Graph graph = kron.build();
      for (const Engine engine : kEngines) {
        SsspResult paths = sssp_program(graph, 1, engine);
        EXPECT_TRUE(verify(graph, 1, paths).passed());
        ComponentsResult components = components_program(graph, engine);
        EXPECT_TRUE(verify(graph, components).passed());
        BfsResult search = bfs_program(graph, 1, engine);
        EXPECT_TRUE(verify(graph, 1, search).passed());
        PageRankResult ranks = pagerank_program(graph, {}, engine);
        EXPECT_TRUE(verify(graph, {}, ranks).passed());
      }
      graph.destroy();
    });
  }
}

/// Counts how far a vertex is in steps that are handed on, and notes the order of applications.
struct Ordered {
  using Gather = std::uint32_t;
  static Gather identity() { return 0; }
  static Gather combine(Gather a, Gather b) { return std::max(a, b); }
  GlobalAddress<std::vector<VertexId>> order;
  Gather initial(VertexId v) const { return v == 0 ? 1 : 0; }
  bool apply(VertexId v, Gather) const {
    order.pointer()->push_back(v);
    return v == 0;
  }
  Gather scatter(VertexId) const { return 1; }
  // Even vertices from the last to the first; odd ones never.
  std::int64_t priority(VertexId v, Gather) const {
    return v % 2 == 1 ? kNotNow : -static_cast<std::int64_t>(v);
  }
};

TEST(Program, PrioritiesAreFollowedByACore) {
  run(grappa::test::threads(1), [] {
    std::vector<Edge> star;
    for (VertexId v = 1; v < 10; ++v) star.push_back({0, v});
    EdgeList list = test::make_list(10, true, star);
    Graph graph = build_graph(list);
    std::vector<VertexId> order;
    const auto ran = run_asynchronous(
        graph, Ordered{GlobalAddress<std::vector<VertexId>>::of_local(&order)}, {.source = 0});
    EXPECT_EQ(order, (std::vector<VertexId>{0, 8, 6, 4, 2}));
    EXPECT_EQ(ran.applied, 5);
    graph.destroy();
  });
}

struct Fails {
  using Gather = std::uint32_t;
  static Gather identity() { return 0; }
  static Gather combine(Gather a, Gather b) { return std::max(a, b); }
  bool apply(VertexId v, Gather) const {
    if (v == 3) throw std::runtime_error("vertex 3");
    return true;
  }
  Gather scatter(VertexId) const { return 1; }
};

TEST(Program, ErrorsComeOut) {
  for (const Config& config : test::all_shapes()) {
    run(config, [] {
      EdgeList list = test::make_list(2000, false, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
      Graph graph = build_graph(list);
      EXPECT_THROW(run_synchronous(graph, Fails{}), std::runtime_error);
      EXPECT_THROW(run_asynchronous(graph, Fails{}), RemoteError);
      graph.destroy();
    });
  }
}

TEST(Program, WhatFailsLeavesNothingBehind) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [] {
      EdgeList list = test::make_list(300, true, {{0, 1}, {1, 2}, {4, 5}});
      const Owned<Graph> graph = build_graph(list);
      for (const Engine engine : kEngines) {
        const std::size_t before = grappa::test::live_allocations();
        EXPECT_ANY_THROW(run_program(*graph, Fails{}, engine));
        EXPECT_EQ(grappa::test::live_allocations(), before);
        grappa::test::expect_nothing_left_behind(
            [&] { EXPECT_TRUE(run_program(*graph, Fails{}, engine, {.source = 0}).finished); });
      }
      const std::size_t before = grappa::test::live_allocations();
      EXPECT_THROW(run_synchronous(
                       *graph, Fails{},
                       {.source = 0,
                        .on_round = [](std::int64_t, std::int64_t) -> bool { throw Error("1"); }}),
                   Error);
      EXPECT_EQ(grappa::test::live_allocations(), before);
    });
  }
}

/// Counts on the stack of whoever runs it.
struct CountsOnAStack {
  using Gather = std::uint32_t;
  std::int64_t& count;
  static Gather identity() { return 0; }
  static Gather combine(Gather a, Gather b) { return std::max(a, b); }
  bool apply(VertexId, Gather) const { return ++count > 0; }
  Gather scatter(VertexId) const { return 1; }
};

TEST(Program, RefusesReferencesToAStack) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 1)}) {
    run(config, [] {
      EdgeList list = test::make_list(3, true, {{0, 1}});
      Graph graph = build_graph(list);
      std::int64_t count = 0;
      for (const Engine engine : kEngines) {
        try {
          run_program(graph, CountsOnAStack{count}, engine);
          ADD_FAILURE() << "was not refused";
        } catch (const UsageError& error) {
          EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("program_test.cpp:"),
                                                   testing::HasSubstr("as [&] captures it")));
        }
      }
      EXPECT_EQ(count, 0);
      graph.destroy();
    });
  }
}

TEST(Program, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    Graph graph = build_graph(list);
    for (const Engine engine : kEngines) {
      EXPECT_THROW(bfs_program(graph, 3, engine), UsageError);
      EXPECT_THROW(bfs_program(graph, kNoVertex, engine), UsageError);
      EXPECT_THROW(sssp_program(graph, 3, engine), UsageError);
      EXPECT_THROW(sssp_program(graph, 0, engine, {.delta = -1}), UsageError);
      EXPECT_THROW(components_program(graph, engine), UsageError);
      EXPECT_THROW(pagerank_program(graph, {.damping = 1}, engine), UsageError);
      EXPECT_THROW(pagerank_program(graph, {.tolerance = -1}, engine), UsageError);
      EXPECT_THROW(pagerank_program(graph, {.max_iterations = -1}, engine), UsageError);
      EXPECT_THROW(run_program(graph, Fails{}, engine, {.source = 3}), UsageError);
    }
    EXPECT_THROW(pagerank_program(graph, {.tolerance = 0}, Engine::kAsynchronous), UsageError);
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
