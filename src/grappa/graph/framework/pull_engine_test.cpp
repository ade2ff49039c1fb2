#include "grappa/graph/framework/pull_engine.hpp"
#include "grappa/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
  return x ^ (x >> 29);
}

struct Note {
  std::uint64_t number;
  std::uint32_t times_written;
};

/// Hashes all that it gathers, in order. As wide as may be.
template <Edges kEdges>
struct Everything {
  static constexpr Edges kGathers = kEdges;
  struct Gather {
    std::array<std::uint64_t, 32> hash;

    void add(std::uint64_t x) {
      for (std::size_t i = 0; i < hash.size(); ++i) hash[i] = mix(hash[i] + i, x);
    }
    std::uint64_t all() const {
      std::uint64_t sum = 0;
      for (const std::uint64_t x : hash) sum = mix(sum, x);
      return sum;
    }
  };
  static_assert(sizeof(Gather) == 256);
  using Value = std::array<std::uint64_t, 3>;
  using EdgeValue = Note;
  static constexpr bool kWeighted = true;
  static Gather identity() { return {}; }

  VertexView<std::uint64_t> state;

  void bind() { state.bind(); }
  bool starts(VertexId v) const { return v % 5 != 0; }
  Value value(VertexId u) const { return value_of(u, state[u]); }
  static Value value_of(VertexId u, std::uint64_t state) {
    const auto number = static_cast<std::uint64_t>(u);
    return {state, number, mix(state, number)};
  }
  void gather(Gather& total, const auto& arc) const {
    for (const std::uint64_t x : arc.value) total.add(x);
    total.add(arc.edge.number);
    total.add(arc.edge.times_written);
    total.add(arc.source);
    total.add(arc.target);
    total.add(arc.other);
    total.add(static_cast<std::uint64_t>(static_cast<double>(arc.weight) * 8));
  }
  bool apply(VertexId v, const Gather& total) const {
    state[v] = total.all();
    return state[v] % 4 != 0;
  }
  EdgeValue first_edge_value(const auto& arc) const {
    return {first_number(arc.source, arc.target, static_cast<double>(arc.weight)), 0};
  }
  void scatter(const auto& arc, EdgeValue& value) const {
    const std::uint64_t back = arc.back == nullptr ? 0 : arc.back->number;
    value = {mix(mix(value.number, back), state[arc.source]), value.times_written + 1};
  }
  static std::uint64_t first_number(VertexId u, VertexId v, double weight) {
    return mix(mix(u, v), static_cast<std::uint64_t>(weight * 8));
  }
};

struct Ran {
  std::vector<std::uint64_t> state;
  std::int64_t rounds = 0;
  std::int64_t applied = 0;
  bool operator==(const Ran&) const = default;
};

/// The same, serially and by other data structures: edges know their two ends.
template <Edges kEdges>
Ran expected_of(const SerialGraph& graph, std::int64_t max_rounds) {
  using Program = Everything<kEdges>;
  const bool along_in = kEdges != Edges::kOut || !graph.is_directed();
  const bool along_out = kEdges != Edges::kIn && graph.is_directed();
  struct Arc {
    VertexId source;
    VertexId target;
    double weight;
    Note note;
    Note gathered;
    std::size_t back;
  };
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  std::vector<Arc> arcs;
  std::vector<std::vector<std::size_t>> in(n);
  std::vector<std::vector<std::size_t>> out(n);
  for (std::size_t u = 0; u < n; ++u) {
    const auto row = graph.neighbors(static_cast<std::int64_t>(u));
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double weight = graph.weight(static_cast<std::int64_t>(u), k);
      const auto source = static_cast<VertexId>(u);
      const Note note{Program::first_number(source, row[k], weight), 0};
      in[row[k]].push_back(arcs.size());
      out[u].push_back(arcs.size());
      arcs.push_back({source, row[k], weight, note, note, 0});
    }
  }
  if (!graph.is_directed())
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t k = 0; k < out[u].size(); ++k) arcs[out[u][k]].back = in[u][k];
  Ran ran;
  ran.state.resize(n);
  std::vector<typename Program::Value> value(n);
  std::vector<char> active(n);
  for (std::size_t v = 0; v < n; ++v) {
    value[v] = Program::value_of(static_cast<VertexId>(v), 0);
    active[v] = v % 5 != 0;
  }
  while (std::ranges::count(active, 1) > 0 && ran.rounds < max_rounds) {
    ++ran.rounds;
    std::vector<char> tells(n);
    for (std::size_t v = 0; v < n; ++v) {
      if (active[v] == 0) continue;
      ++ran.applied;
      typename Program::Gather total = Program::identity();
      const auto gather = [&](const Arc& arc, VertexId other) {
        for (const std::uint64_t x : value[other]) total.add(x);
        for (const std::uint64_t x :
             {arc.note.number, std::uint64_t{arc.note.times_written},
              static_cast<std::uint64_t>(arc.source), static_cast<std::uint64_t>(arc.target),
              static_cast<std::uint64_t>(other), static_cast<std::uint64_t>(arc.weight * 8)})
          total.add(x);
      };
      if (along_in) {
        for (const std::size_t e : in[v]) {
          arcs[e].gathered = arcs[e].note;
          gather(arcs[e], arcs[e].source);
        }
      }
      if (along_out) {
        for (const std::size_t e : out[v]) gather(arcs[e], arcs[e].target);
      }
      ran.state[v] = total.all();
      tells[v] = ran.state[v] % 4 != 0;
    }
    std::ranges::fill(active, 0);
    for (std::size_t u = 0; u < n; ++u) {
      if (tells[u] == 0) continue;
      value[u] = Program::value_of(static_cast<VertexId>(u), ran.state[u]);
      for (const std::size_t e : out[u]) {
        Arc& arc = arcs[e];
        const std::uint64_t back = graph.is_directed() ? 0 : arcs[arc.back].gathered.number;
        arc.note = {mix(mix(arc.note.number, back), ran.state[u]), arc.note.times_written + 1};
        if (along_in) active[arc.target] = 1;
      }
      if (along_out) {
        for (const std::size_t e : in[u]) active[arcs[e].source] = 1;
      }
    }
  }
  return ran;
}

template <Edges kEdges>
void expect_everything(const Graph& graph, std::int64_t rounds) {
  const Owned<GlobalArray<std::uint64_t>> state = graph.make_vertex_array<std::uint64_t>();
  const ProgramResult ran =
      run_pulling(graph, Everything<kEdges>{VertexView(*state)}, {.max_rounds = rounds});
  EXPECT_EQ((Ran{collect(*state, graph.vertex_count()), ran.rounds, ran.applied}),
            expected_of<kEdges>(SerialGraph::of(graph), rounds));
}

TEST(PullEngine, EverythingArrives) {
  std::size_t graphs = 0;
  for_all_graphs([&](const TestGraph& plain) {
    constexpr WeightType kTypes[] = {WeightType::kByte, WeightType::kWord, WeightType::kDouble};
    const TestGraph test = graphs % 4 == 3 ? plain : test::weighted(plain, kTypes[graphs % 4]);
    ++graphs;
    const std::int64_t split_degree = graphs % 2 == 0 ? 8 : 0;
    const Owned<Graph> graph = test.build({.in_edges = true, .split_degree = split_degree});
    const auto rounds = static_cast<std::int64_t>(graphs % 7);
    expect_everything<Edges::kIn>(*graph, rounds);
    expect_everything<Edges::kOut>(*graph, rounds);
    expect_everything<Edges::kBoth>(*graph, rounds);
  });
}

TEST(PullEngine, GraphsWithSmallHalos) {
  for (const bool directed : {false, true}) {
    const TestGraph test = test::mostly_local(3000, 9000, directed);
    for (const Config& config : {grappa::test::cluster(2, 2), grappa::test::cluster(4, 1)}) {
      run(config, [&] {
        const Owned<Graph> graph = test.build({.in_edges = true});
        EXPECT_TRUE(is_mostly_local(*graph));
        expect_everything<Edges::kIn>(*graph, 6);
        expect_everything<Edges::kOut>(*graph, 6);
        expect_everything<Edges::kBoth>(*graph, 6);
      });
    }
  }
}

/// How far vertices are from the first, or it from them; wakes only those that it reaches.
template <Edges kEdges>
struct Reach {
  static constexpr Edges kGathers = kEdges;
  using Gather = std::int64_t;
  using Value = std::int64_t;
  static Gather identity() { return 1000; }
  VertexView<std::int64_t> depth;
  void bind() { depth.bind(); }
  Value value(VertexId u) const { return depth[u]; }
  void gather(Gather& total, const auto& arc) const { total = std::min(total, arc.value + 1); }
  bool apply(VertexId v, const Gather& total) const {
    const std::int64_t now = v == 0 ? 0 : total;
    if (now >= depth[v]) return false;
    depth[v] = now;
    return true;
  }
};

TEST(PullEngine, BeginsAtTheSourceAndEndsWhenNobodyTells) {
  for (const Config& config : test::all_shapes()) {
    run(config, [] {
      std::vector<Edge> path;
      for (VertexId v = 0; v < 299; ++v) path.push_back({v, v + 1});
      const Owned<Graph> graph = build_graph(test::make_list(500, true, path), {.in_edges = true});
      const Owned<GlobalArray<std::int64_t>> depth = graph->make_vertex_array<std::int64_t>();
      depth->forall([](std::int64_t, std::int64_t& one) { one = 1000; });
      std::int64_t called = 0;
      const ProgramResult ran =
          run_pulling(*graph, Reach<Edges::kIn>{VertexView(*depth)},
                      {.source = 0, .on_round = [&](std::int64_t round, std::int64_t telling) {
                         EXPECT_EQ(round, ++called);
                         EXPECT_EQ(telling, 1);
                         return true;
                       }});
      EXPECT_EQ(ran.rounds, 300);
      EXPECT_EQ(ran.applied, 300);
      EXPECT_TRUE(ran.finished);
      const auto found = collect(*depth, 500);
      for (std::size_t v = 0; v < found.size(); ++v)
        EXPECT_EQ(found[v], v < 300 ? static_cast<std::int64_t>(v) : 1000);
      depth->forall([](std::int64_t, std::int64_t& one) { one = 1000; });
      const ProgramResult cut = run_pulling(
          *graph, Reach<Edges::kIn>{VertexView(*depth)},
          {.source = 0, .on_round = [](std::int64_t round, std::int64_t) { return round < 5; }});
      EXPECT_EQ(cut.rounds, 5);
      EXPECT_FALSE(cut.finished);
    });
  }
}

/// What the first vertex of a directed path reaches along its edges, against them, and by both.
template <Edges kEdges>
void expect_reach(VertexId first, VertexId last) {
  constexpr VertexId kVertices = 300;
  std::vector<Edge> edges;  // toward vertex 0 from below 150, and away from it
  for (VertexId v = 1; v < kVertices; ++v) {
    const VertexId before = v == 150 ? 0 : v - 1;
    edges.push_back(v < 150 ? Edge{v, before} : Edge{before, v});
  }
  const Owned<Graph> graph =
      build_graph(test::make_list(kVertices, true, edges), {.in_edges = true});
  const Owned<GlobalArray<std::int64_t>> depth = graph->make_vertex_array<std::int64_t>();
  depth->forall([](std::int64_t, std::int64_t& one) { one = 1000; });
  const ProgramResult ran = run_pulling(*graph, Reach<kEdges>{VertexView(*depth)}, {.source = 0});
  EXPECT_TRUE(ran.finished);
  const auto found = collect(*depth, kVertices);
  for (VertexId v = 1; v < kVertices; ++v) {
    const std::int64_t hops = v < 150 ? v : v - 149;
    EXPECT_EQ(found[v], v >= first && v < last ? hops : 1000) << v;
  }
}

TEST(PullEngine, GoesAlongTheEdgesThatTheProgramNames) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [] {
      expect_reach<Edges::kIn>(150, 300);
      expect_reach<Edges::kOut>(1, 150);
      expect_reach<Edges::kBoth>(1, 300);
    });
  }
}

struct FailsAtThree {
  using Gather = std::int64_t;
  using Value = std::int64_t;
  using EdgeValue = std::int64_t;
  static Gather identity() { return 0; }
  Value value(VertexId) const { return 0; }
  void gather(Gather&, const auto&) const {}
  bool apply(VertexId v, const Gather&) const {
    if (v == 3) throw std::runtime_error("vertex 3");
    return true;
  }
  EdgeValue first_edge_value(const auto&) const { return 0; }
  void scatter(const auto&, EdgeValue&) const {}
};

TEST(PullEngine, WhatFailsLeavesNothingBehind) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [] {
      const Owned<Graph> graph =
          build_graph(test::make_list(300, false, {{0, 1}, {1, 2}, {4, 250}}));
      const std::size_t before = grappa::test::live_allocations();
      EXPECT_ANY_THROW(run_pulling(*graph, FailsAtThree{}));
      EXPECT_EQ(grappa::test::live_allocations(), before);
      EXPECT_THROW(
          run_pulling(*graph, FailsAtThree{},
                      {.source = 299,
                       .on_round = [](std::int64_t, std::int64_t) -> bool { throw Error("1"); }}),
          Error);
      EXPECT_EQ(grappa::test::live_allocations(), before);
      grappa::test::expect_nothing_left_behind([&] {
        EXPECT_TRUE(run_pulling(*graph, FailsAtThree{}, {.source = 299}).finished);
        EXPECT_FALSE(run_pulling(*graph, FailsAtThree{}, {.source = 4, .max_rounds = 9}).finished);
      });
    });
  }
}

TEST(PullEngine, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    const Owned<Graph> one_way = build_graph(test::make_list(3, true, {{0, 1}}));
    const Owned<Graph> graph = build_graph(test::make_list(3, false, {{0, 1}}));
    EXPECT_THROW(run_pulling(*one_way, FailsAtThree{}), UsageError);
    EXPECT_THROW(run_pulling(*graph, FailsAtThree{}, {.source = 3}), UsageError);
    EXPECT_THROW(run_pulling(Graph(), FailsAtThree{}), UsageError);
  });
}

}  // namespace
}  // namespace grappa::graph
