#include "grappa/graph/framework/edge_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <queue>

#include "grappa/base/error.hpp"
#include "grappa/graph/framework/internal/test_relax.hpp"
#include "grappa/graph/framework/vertex_map.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::Relax;
using test::TestGraph;

// Looking at a set costs a message a vertex, and paths have a thousand rounds.
bool is_looked_at(std::size_t round) { return round < 8 || round % 256 == 0; }

constexpr Direction kDirections[] = {Direction::kAutomatic, Direction::kPush, Direction::kPull};

/// What serial rounds of breadth-first search find: the vertices of each level, ascending.
std::vector<std::vector<VertexId>> serial_levels(const SerialGraph& graph, VertexId source) {
  std::vector<bool> seen(static_cast<std::size_t>(graph.vertex_count()));
  seen[source] = true;
  std::vector<std::vector<VertexId>> levels{{source}};
  for (;;) {
    std::vector<VertexId> next;
    for (const VertexId u : levels.back()) {
      for (const VertexId v : graph.neighbors(u)) {
        if (seen[v]) continue;
        seen[v] = true;
        next.push_back(v);
      }
    }
    if (next.empty()) return levels;
    std::ranges::sort(next);
    levels.push_back(std::move(next));
  }
}

SerialGraph reversed(const SerialGraph& graph) {
  std::vector<Edge> edges;
  for (std::int64_t u = 0; u < graph.vertex_count(); ++u) {
    for (const VertexId v : graph.neighbors(u)) edges.push_back({v, static_cast<VertexId>(u)});
  }
  return {graph.vertex_count(), true, edges};
}

/// Breadth-first search without values. Without update(): pulling uses update_atomic, too.
struct TakeParent {
  VertexView<VertexId> parent;
  void bind() { parent.bind(); }
  bool cond(VertexId v) const { return load_shared(parent[v]) == kNoVertex; }
  bool update_atomic(VertexId v, const auto& arc) const {
    return claim_shared(parent[v], kNoVertex, arc.source);
  }
};

TEST(EdgeMap, LevelsOfASearch) {
  for_all_graphs([](const TestGraph& test) {
    const std::int64_t n = test.list.vertex_count;
    if (n == 0) return;
    const SerialGraph serial = test.serial();
    const SerialGraph turned = reversed(serial);
    const Owned<Graph> graph = test.build({.in_edges = true, .split_degree = 8});
    // Now along the edges, now against them: with the same memory.
    for (const auto& [direction, against] :
         {std::pair(Direction::kAutomatic, false), std::pair(Direction::kAutomatic, true),
          std::pair(Direction::kPush, true), std::pair(Direction::kPush, false),
          std::pair(Direction::kPull, false), std::pair(Direction::kPull, true)}) {
      const auto source = static_cast<VertexId>(n / 2);
      const Owned<GlobalArray<VertexId>> parent =
          graph->make_vertex_array_for_overwrite<VertexId>();
      Frontiers frontiers(*graph);
      vertex_map(frontiers.all(), [source, parent = VertexView(*parent)](VertexId v) {
        parent[v] = v == source ? v : kNoVertex;
      });
      Frontier frontier = frontiers.of(source);
      std::size_t round = 0;
      for (const auto& level : serial_levels(against ? turned : serial, source)) {
        if (is_looked_at(round++)) {
          EXPECT_EQ(frontier.vertices(), level);
        }
        EXPECT_EQ(frontier.size(), std::ssize(level));
        std::int64_t arcs = 0;
        for (const VertexId v : level) arcs += std::ssize(serial.neighbors(v));
        EXPECT_EQ(frontier.arcs(), arcs);
        frontier = edge_map(frontier, TakeParent{VertexView(*parent)},
                            {.direction = direction, .against = against});
      }
      EXPECT_TRUE(frontier.empty());
    }
  });
}

TEST(Frontiers, Joined) {
  for_all_graphs([](const TestGraph& test) {
    const Owned<Graph> graph = test.build();
    Frontiers frontiers(*graph);
    const auto those_with = [&](VertexId remainder) {
      return vertex_filter(frontiers.all(), [remainder](VertexId v) { return v % 3 == remainder; });
    };
    EXPECT_TRUE(frontiers.join(frontiers.none(), frontiers.none()).empty());
    Frontier two = frontiers.join(those_with(0), those_with(1));
    const Frontier same = vertex_filter(frontiers.all(), [](VertexId v) { return v % 3 < 2; });
    EXPECT_EQ(two.size(), same.size());
    EXPECT_EQ(two.arcs(), same.arcs());
    EXPECT_EQ(two.vertices(), same.vertices());
    const Frontier all = frontiers.join(std::move(two), those_with(2));
    EXPECT_EQ(all.size(), graph->vertex_count());
    EXPECT_EQ(all.arcs(), graph->arc_count());
    EXPECT_EQ(frontiers.join(those_with(1), frontiers.all()).size(), graph->vertex_count());
    if (graph->vertex_count() == 0) return;
    EXPECT_EQ(frontiers.join(frontiers.of(0), those_with(0)).vertices(), those_with(0).vertices());
  });
}

// A round uses the distances from before it, so the sets of all rounds are those of serial rounds.
TEST(EdgeMap, RoundsOfShortestPathsAreExact) {
  std::size_t graphs = 0;
  for_all_graphs([&](const TestGraph& plain) {
    constexpr WeightType kTypes[] = {WeightType::kByte, WeightType::kWord, WeightType::kDouble};
    const TestGraph test = graphs % 4 == 3 ? plain : test::weighted(plain, kTypes[graphs % 4]);
    const Direction direction = kDirections[graphs++ % 3];
    const std::int64_t n = test.list.vertex_count;
    if (n == 0) return;
    const SerialGraph serial = test.serial();
    const Owned<Graph> graph = test.build({.in_edges = true});
    const auto source = static_cast<VertexId>(n / 3);
    const Owned<GlobalArray<double>> distance = graph->make_vertex_array_for_overwrite<double>();
    Frontiers frontiers(*graph);
    vertex_map(frontiers.all(), [source, distance = VertexView(*distance)](VertexId v) {
      distance[v] = v == source ? 0 : std::numeric_limits<double>::infinity();
    });
    std::vector<double> expected(static_cast<std::size_t>(n),
                                 std::numeric_limits<double>::infinity());
    expected[source] = 0;
    std::vector<VertexId> active{source};
    Frontier frontier = frontiers.of(source);
    // The first rounds have every case.
    for (int round = 0; round < 12; ++round) {
      EXPECT_EQ(frontier.vertices(), active);
      frontier = edge_map(frontier, Relax{VertexView(*distance)}, {.direction = direction});
      const std::vector<double> before = expected;
      std::vector<bool> changed(static_cast<std::size_t>(n));
      for (const VertexId u : active) {
        for (std::size_t i = 0; i < serial.neighbors(u).size(); ++i) {
          const VertexId v = serial.neighbors(u)[i];
          const double d = before[u] + serial.weight(u, i);
          if (d >= expected[v]) continue;
          expected[v] = d;
          changed[v] = true;
        }
      }
      active.clear();
      for (std::int64_t v = 0; v < n; ++v) {
        if (changed[static_cast<std::size_t>(v)]) active.push_back(static_cast<VertexId>(v));
      }
    }
    EXPECT_EQ(frontier.vertices(), active);
    EXPECT_EQ(collect(*distance, n), expected);
  });
}

/// Adds up what all in-edges bring, at once where that is possible.
struct Sum {
  struct Pair {
    float odd;
    std::uint32_t even;
    std::uint32_t one;
  };
  using Value = Pair;
  VertexView<std::int64_t> sum;
  Value value(VertexId u) const {
    return u % 2 == 1 ? Value{static_cast<float>(u % 1000), 0, 1}
                      : Value{0, static_cast<std::uint32_t>(u), 1};
  }
  static std::int64_t number(const Value& value) {
    return static_cast<std::int64_t>(value.odd) + value.even + 1000000 * value.one;
  }
  bool pull(VertexId v, const auto& arcs) const {
    std::int64_t all = 0;
    arcs.for_each([&](const auto& arc) {
      all += number(arc.value);
      return true;
    });
    sum[v] += all;
    return all != 0;
  }
  bool update_atomic(VertexId v, const auto& arc) const {
    return combine_shared(sum[v], number(arc.value), std::plus<>());
  }
};

/// Adds what the out-edges of some vertices bring; returns the vertices that these reach.
std::vector<VertexId> bring(const SerialGraph& graph, const std::vector<VertexId>& members,
                            std::vector<std::int64_t>& sums) {
  std::vector<VertexId> reached;
  for (const VertexId u : members) {
    for (const VertexId v : graph.neighbors(u)) {
      sums[v] += Sum::number(Sum().value(u));
      reached.push_back(v);
    }
  }
  std::ranges::sort(reached);
  reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
  return reached;
}

TEST(EdgeMap, SumsOverAllAndSomeVertices) {
  for_all_graphs([](const TestGraph& test) {
    const std::int64_t n = test.list.vertex_count;
    const SerialGraph serial = test.serial();
    const SerialGraph turned = reversed(serial);
    const Owned<Graph> graph = test.build({.in_edges = true, .split_degree = 8});
    // Now along the edges, now against them: with the same memory.
    for (const auto& [direction, against] :
         {std::pair(Direction::kAutomatic, false), std::pair(Direction::kAutomatic, true),
          std::pair(Direction::kPush, true), std::pair(Direction::kPush, false),
          std::pair(Direction::kPull, false), std::pair(Direction::kPull, true)}) {
      const Owned<GlobalArray<std::int64_t>> sum = graph->make_vertex_array<std::int64_t>();
      Frontiers frontiers(*graph);
      Frontier all = frontiers.all();
      EXPECT_EQ(all.size(), n);
      EXPECT_EQ(all.arcs(), graph->arc_count());
      Frontier third = vertex_filter(all, [](VertexId v) { return v % 3 == 0; });
      EXPECT_EQ(third.size(), (n + 2) / 3);
      Frontier ninth = vertex_filter(third, [](VertexId v) { return v % 9 == 0; });
      const Sum program{VertexView(*sum)};
      std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
      for (Frontier* set : {&all, &third, &ninth}) {
        const auto members = set->vertices();
        EXPECT_EQ(std::ssize(members), set->size());
        const Frontier touched = edge_map(*set, program, {.direction = direction});
        EXPECT_EQ(touched.vertices(), bring(serial, members, expected));
      }
      EXPECT_EQ(collect(*sum, n), expected);
    }
  });
}

/// The same with values that have no effect for vertices outside the set; or all that and no
/// update_atomic().
struct SumOfAll : Sum {
  static Value nothing() { return {}; }
};
struct PulledSum {
  using Value = Sum::Value;
  Sum sum;
  VertexView<std::int64_t> looked;  // at so many edges
  static Value nothing() { return {}; }
  Value value(VertexId u) const { return sum.value(u); }
  bool pull(VertexId v, const auto& arcs) const {
    arcs.for_each([&](const auto&) {
      ++looked[v];
      return true;
    });
    return sum.pull(v, arcs);
  }
};

TEST(EdgeMap, ValuesWithoutEffect) {
  for_all_graphs([](const TestGraph& test) {
    const std::int64_t n = test.list.vertex_count;
    const SerialGraph serial = test.serial();
    const Owned<Graph> graph = test.build({.in_edges = true});
    const Owned<GlobalArray<std::int64_t>> sum = graph->make_vertex_array<std::int64_t>();
    const Owned<GlobalArray<std::int64_t>> looked = graph->make_vertex_array<std::int64_t>();
    Frontiers frontiers(*graph);
    const Sum program{VertexView(*sum)};
    std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
    std::vector<std::int64_t> in_degrees(static_cast<std::size_t>(n));
    for (std::int64_t u = 0; u < n; ++u) {
      for (const VertexId v : serial.neighbors(u)) ++in_degrees[v];
    }
    const auto check = [&](Frontier set, auto edges) {
      const auto reached = bring(serial, set.vertices(), expected);
      const Frontier touched = edges(set);
      EXPECT_EQ(touched.vertices(), reached);
    };
    for (const VertexId every : {1, 3, 200}) {
      const auto is_member = [every](VertexId v) { return v % every == 0; };
      for (const Direction direction : kDirections) {
        check(vertex_filter(frontiers.all(), is_member), [&](Frontier& set) {
          return edge_map(set, SumOfAll{program}, {.direction = direction});
        });
      }
      vertex_map(frontiers.all(), [looked = VertexView(*looked)](VertexId v) { looked[v] = 0; });
      check(vertex_filter(frontiers.all(), is_member),
            [&](Frontier& set) { return edge_map(set, PulledSum{program, VertexView(*looked)}); });
      if (n > 0) {
        EXPECT_EQ(collect(*looked, n), in_degrees);
      }
    }
    EXPECT_EQ(collect(*sum, n), expected);
  });
}

// Rounds large enough for all cores, on graphs whose vertices differ much, and sets used again.
TEST(EdgeMap, LargeSetsOfSeveralCores) {
  const TestGraph kron = test::generated("kron:14");
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      const Owned<Graph> graph = kron.build();
      const SerialGraph serial = SerialGraph::of(*graph);
      const Owned<GlobalArray<VertexId>> parent =
          graph->make_vertex_array_for_overwrite<VertexId>();
      Frontiers frontiers(*graph);
      for (const Direction direction : kDirections) {
        vertex_map(frontiers.all(), [parent = VertexView(*parent)](VertexId v) {
          parent[v] = v == 1 ? v : kNoVertex;
        });
        Frontier frontier = frontiers.of(1);
        for (const auto& level : serial_levels(serial, 1)) {
          EXPECT_EQ(frontier.vertices(), level);
          frontier = edge_map(frontier, TakeParent{VertexView(*parent)}, {.direction = direction});
        }
        EXPECT_TRUE(frontier.empty());
      }
    });
  }
}

/// A program that refers to what lies on a stack.
struct CountOnAStack {
  std::int64_t& count;
  bool update_atomic(VertexId, const auto&) const { return ++count > 0; }
};

TEST(EdgeMap, WhatFailsLeavesNothingBehind) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [] {
      const Owned<Graph> graph = test::generated("grid:12x12").build();
      const Owned<GlobalArray<std::int64_t>> sum = graph->make_vertex_array<std::int64_t>();
      grappa::test::expect_nothing_left_behind([&] {
        Frontiers frontiers(*graph);
        Frontier all = frontiers.all();
        const Frontier touched = edge_map(all, Sum{VertexView(*sum)});
        EXPECT_EQ(touched.size(), graph->vertex_count());
      });
    });
  }
}

TEST(EdgeMap, RefusesReferencesToAStack) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 1)}) {
    run(config, [] {
      EdgeList list = test::make_list(3, true, {{0, 1}});
      const Owned<Graph> graph = build_graph(list);
      Frontiers frontiers(*graph);
      Frontier all = frontiers.all();
      std::int64_t count = 0;
      const auto expect_refused = [](const auto& call) {
        try {
          call();
          ADD_FAILURE() << "was not refused";
        } catch (const UsageError& error) {
          EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("edge_map_test.cpp:"),
                                                   testing::HasSubstr("as [&] captures it")));
        }
      };
      expect_refused([&] { vertex_map(all, [&](VertexId) { ++count; }); });
      expect_refused([&] { vertex_filter(all, [&](VertexId) { return ++count > 0; }); });
      expect_refused([&] { edge_map(all, CountOnAStack{count}); });
      EXPECT_EQ(count, 0);
    });
  }
}

TEST(EdgeMap, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    EdgeList list = test::make_list(3, true, {{0, 1}});
    const Owned<Graph> graph = build_graph(list);
    const Owned<GlobalArray<VertexId>> parent = graph->make_vertex_array<VertexId>();
    Frontiers frontiers(*graph);
    EXPECT_THROW(frontiers.of(3), UsageError);
    Frontier frontier = frontiers.of(0);
    const TakeParent visit{VertexView(*parent)};
    EXPECT_THROW(edge_map(frontier, visit, {.direction = Direction::kPull}), UsageError);
    EXPECT_THROW(edge_map(frontier, visit, {.dense_divisor = 0}), UsageError);
    const Owned<GlobalArray<std::int64_t>> sum = graph->make_vertex_array<std::int64_t>();
    const PulledSum pulled{Sum{VertexView(*sum)}, VertexView(*sum)};
    EXPECT_THROW(edge_map(frontier, pulled), UsageError);  // there are no in-edges
    EXPECT_THROW(edge_map(frontier, pulled, {.direction = Direction::kPush}), UsageError);
    Frontier none = frontiers.none();
    EXPECT_TRUE(edge_map(none, visit).empty());
    EXPECT_TRUE(vertex_filter(none, [](VertexId) { return true; }).empty());
    EXPECT_TRUE(none.vertices().empty());
  });
}

}  // namespace
}  // namespace grappa::graph
