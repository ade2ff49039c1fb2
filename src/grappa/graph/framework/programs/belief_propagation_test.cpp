#include "grappa/graph/framework/programs/belief_propagation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "grappa/base/error.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::TestGraph;

struct Field {
  std::vector<Edge> edges;
  std::vector<double> weights;
  std::vector<States> potential;

  TestGraph graph() const {
    TestGraph made{"field",
                   test::make_list(static_cast<std::int64_t>(potential.size()), false, edges)};
    made.list.weights.assign(weights.begin(), weights.end());
    return made;
  }
};

/// Potentials of all states, or of so many; weights from a tenth to ten.
Field make_field(std::size_t vertices, const std::vector<Edge>& edges, std::size_t states) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  Field field{edges, {}, std::vector<States>(vertices)};
  for (std::size_t i = 0; i < edges.size(); ++i)
    field.weights.push_back(std::pow(10, 2 * unit(random) - 1));
  for (States& one : field.potential)
    for (std::size_t x = 0; x < states; ++x) one[x] = 0.1 + unit(random);
  return field;
}

/// So many trees of so many vertices, which are not side by side.
std::vector<Edge> make_forest(std::size_t trees, std::size_t size) {
  std::mt19937_64 random(4);
  std::vector<Edge> edges;
  for (std::size_t tree = 0; tree < trees; ++tree)
    for (std::size_t i = 1; i < size; ++i)
      edges.push_back({static_cast<VertexId>(tree + trees * (random() % i)),
                       static_cast<VertexId>(tree + trees * i)});
  return edges;
}

std::vector<std::vector<std::size_t>> edges_of_vertices(const Field& field) {
  std::vector<std::vector<std::size_t>> of(field.potential.size());
  for (std::size_t e = 0; e < field.edges.size(); ++e) {
    of[field.edges[e].source].push_back(e);
    of[field.edges[e].target].push_back(e);
  }
  return of;
}

/// By going through all states of each tree of a forest.
std::vector<States> marginals(const Field& field, std::size_t trees, std::size_t size) {
  const auto edges_of = edges_of_vertices(field);
  std::vector<States> sums(field.potential.size());
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < size; ++i) combinations *= kStates;
  for (std::size_t tree = 0; tree < trees; ++tree) {
    for (std::size_t all = 0; all < combinations; ++all) {
      const auto state_of = [&](std::size_t v) { return (all >> (2 * (v / trees))) % kStates; };
      double probability = 1;
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t v = tree + trees * i;
        probability *= field.potential[v][state_of(v)];
        for (const std::size_t e : edges_of[v]) {
          const Edge edge = field.edges[e];
          if (edge.source == static_cast<VertexId>(v) &&
              state_of(edge.source) == state_of(edge.target))
            probability *= field.weights[e];
        }
      }
      for (std::size_t i = 0; i < size; ++i)
        sums[tree + trees * i][state_of(tree + trees * i)] += probability;
    }
  }
  for (States& one : sums) {
    const double sum = std::accumulate(one.begin(), one.end(), 0.0);
    for (double& x : one) x /= sum;
  }
  return sums;
}

/// Messages as products of numbers, by edge and direction.
std::vector<States> propagate_serially(const Field& field, double damping, std::int64_t rounds) {
  const auto edges_of = edges_of_vertices(field);
  States even;
  even.fill(1.0 / kStates);
  // messages[e][0] goes from the source to the target.
  std::vector<std::array<States, 2>> messages(field.edges.size(), {even, even});
  const auto norm = [](States states) {
    const double sum = std::accumulate(states.begin(), states.end(), 0.0);
    for (double& x : states) x /= sum;
    return states;
  };
  // The potential times all messages to v but that along `without`.
  const auto product = [&](std::size_t v, std::size_t without) {
    States result = field.potential[v];
    for (const std::size_t e : edges_of[v]) {
      if (e == without) continue;
      const States& message =
          messages[e][field.edges[e].target == static_cast<VertexId>(v) ? 0 : 1];
      for (std::size_t x = 0; x < kStates; ++x) result[x] *= message[x];
      result = norm(result);
    }
    return result;
  };
  for (std::int64_t round = 1; round < rounds; ++round) {
    auto next = messages;
    for (std::size_t e = 0; e < field.edges.size(); ++e) {
      for (const std::size_t way : {0, 1}) {
        const States others = product(way == 0 ? field.edges[e].source : field.edges[e].target, e);
        States sent = {};
        for (std::size_t y = 0; y < kStates; ++y)
          for (std::size_t x = 0; x < kStates; ++x)
            sent[y] += others[x] * (x == y ? field.weights[e] : 1);
        sent = norm(sent);
        for (std::size_t y = 0; y < kStates; ++y)
          next[e][way][y] = damping * messages[e][way][y] + (1 - damping) * sent[y];
      }
    }
    messages = next;
  }
  std::vector<States> beliefs;
  for (std::size_t v = 0; v < field.potential.size(); ++v)
    beliefs.push_back(norm(product(v, field.edges.size())));
  return beliefs;
}

void expect_near(const std::vector<States>& found, const std::vector<States>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v)
    for (std::size_t x = 0; x < kStates; ++x)
      ASSERT_NEAR(found[v][x], expected[v][x], 1e-10) << "vertex " << v << ", state " << x;
}

Owned<GlobalArray<States>> potentials_of(const Graph& graph, Field& field) {
  Owned<GlobalArray<States>> potential = graph.make_vertex_array<States>();
  const auto given = GlobalAddress<States>::of_local(field.potential.data());
  potential->forall([given, n = graph.vertex_count()](std::int64_t v, States& one) {
    if (v < n) one = delegate::read(given + v);
  });
  return potential;
}

TEST(BeliefPropagation, IsExactOnTrees) {
  constexpr std::size_t kTrees = 200;
  constexpr std::size_t kSize = 6;
  for (const std::size_t states : {std::size_t{2}, kStates}) {
    Field field = make_field(kTrees * kSize, make_forest(kTrees, kSize), states);
    const TestGraph test = field.graph();
    const std::vector<States> expected = marginals(field, kTrees, kSize);
    for (const Config& config : test::all_shapes()) {
      SCOPED_TRACE(grappa::test::describe(config));
      run(config, [&] {
        const Owned<Graph> graph = test.build();
        const Owned<GlobalArray<States>> potential = potentials_of(*graph, field);
        const BeliefResult plain = propagate_beliefs(*graph, *potential, {.tolerance = 1e-13});
        EXPECT_TRUE(plain.converged);
        EXPECT_LE(plain.rounds, static_cast<std::int64_t>(kSize) + 1);
        expect_near(collect(*plain.belief, *graph), expected);
        const BeliefResult damped =
            propagate_beliefs(*graph, *potential, {.damping = 0.3, .tolerance = 1e-13});
        EXPECT_TRUE(damped.converged);
        expect_near(collect(*damped.belief, *graph), expected);
      });
    }
  }
}

TEST(BeliefPropagation, IsThatOfASerialProgramOnLoops) {
  const TestGraph graphs[] = {test::generated("grid:40x30"), test::generated("urand:10:4")};
  for (const TestGraph& plain : graphs) {
    SCOPED_TRACE(plain.name);
    TestGraph simple{plain.name, test::copy_of(plain.list)};
    simplify(simple.list, serial_for());
    const std::vector<Edge> edges(simple.list.edges.begin(), simple.list.edges.end());
    Field field = make_field(static_cast<std::size_t>(plain.list.vertex_count), edges, kStates);
    const TestGraph test = field.graph();
    const std::vector<States> expected = propagate_serially(field, 0.4, 9);
    std::vector<States> first;
    for (const Config& config : test::all_shapes()) {
      SCOPED_TRACE(grappa::test::describe(config));
      run(config, [&] {
        const Owned<Graph> graph = test.build();
        const Owned<GlobalArray<States>> potential = potentials_of(*graph, field);
        const BeliefResult found = propagate_beliefs(
            *graph, *potential, {.damping = 0.4, .tolerance = 0, .max_rounds = 9});
        EXPECT_EQ(found.rounds, 9);
        EXPECT_FALSE(found.converged);
        EXPECT_GT(found.change, 0);
        const std::vector<States> belief = collect(*found.belief, *graph);
        expect_near(belief, expected);
        // The same to the last bit in all shapes.
        if (first.empty()) first = belief;
        EXPECT_EQ(belief, first);
      });
    }
  }
}

// The product of so many messages is below the least double.
TEST(BeliefPropagation, OfAHubWithManyNeighbors) {
  constexpr std::size_t kLeaves = 4000;
  std::vector<Edge> star;
  for (std::size_t v = 1; v <= kLeaves; ++v) star.push_back({0, static_cast<VertexId>(v)});
  Field field = make_field(kLeaves + 1, star, 2);
  // First all that are for one state, so that the other's product is much smaller in between.
  for (std::size_t v = 1; v <= kLeaves; ++v)
    field.potential[v] = v <= kLeaves / 2 ? States{0.9, 0.1} : States{0.1, 0.9};
  field.potential[0] = {0.7, 0.3};
  std::ranges::fill(field.weights, 3.0);
  const TestGraph test = field.graph();
  run(grappa::test::cluster(2, 2), [&] {
    const Owned<Graph> graph = test.build();
    const Owned<GlobalArray<States>> potential = potentials_of(*graph, field);
    const BeliefResult found = propagate_beliefs(*graph, *potential);
    EXPECT_TRUE(found.converged);
    const States hub = collect(*found.belief, *graph).front();
    EXPECT_NEAR(hub[0], 0.7, 1e-9);  // half of the leaves are for each state
    EXPECT_NEAR(hub[1], 0.3, 1e-9);
  });
}

TEST(BeliefPropagation, OfExtremeWeights) {
  run(grappa::test::threads(2), [] {
    Field field = make_field(4, {{0, 1}, {1, 2}, {2, 3}}, 2);
    field.weights = {1e-100, 1e100, 1e-100};
    field.potential = {States{1}, States{1, 1}, States{1, 1}, States{1, 1}};
    const Owned<Graph> graph = field.graph().build();
    const Owned<GlobalArray<States>> potential = potentials_of(*graph, field);
    const BeliefResult found = propagate_beliefs(*graph, *potential);
    EXPECT_TRUE(found.converged);
    expect_near(collect(*found.belief, *graph), {States{1}, States{0, 1}, States{0, 1}, States{1}});
  });
}

TEST(BeliefPropagation, WithoutEdgesPotentialsAreAllThereIs) {
  run(grappa::test::cluster(2, 1), [] {
    Field field = make_field(200, {}, 3);
    const Owned<Graph> graph = field.graph().build();
    const Owned<GlobalArray<States>> potential = potentials_of(*graph, field);
    grappa::test::expect_nothing_left_behind([&] {
      const BeliefResult found = propagate_beliefs(*graph, *potential);
      EXPECT_TRUE(found.converged);
      expect_near(collect(*found.belief, *graph), propagate_serially(field, 0, 1));
    });
    const Owned<Graph> none = build_graph(test::make_list(0, false, {}));
    const Owned<GlobalArray<States>> nothing = none->make_vertex_array<States>();
    EXPECT_TRUE(propagate_beliefs(*none, *nothing).converged);
  });
}

TEST(BeliefPropagation, RefusesWhatMakesNoSense) {
  run(grappa::test::threads(1), [] {
    const Owned<Graph> graph = build_graph(test::make_list(3, false, {{0, 1}}));
    const Owned<GlobalArray<States>> potential = graph->make_vertex_array<States>();
    potential->forall([](std::int64_t, States& one) { one = {1, 2}; });
    EXPECT_NO_THROW(propagate_beliefs(*graph, *potential));
    EXPECT_THROW(propagate_beliefs(*graph, *potential, {.damping = 1}), UsageError);
    EXPECT_THROW(propagate_beliefs(*graph, *potential, {.damping = -1}), UsageError);
    EXPECT_THROW(propagate_beliefs(*graph, *potential, {.tolerance = -1}), UsageError);
    EXPECT_THROW(propagate_beliefs(*graph, *potential, {.max_rounds = -1}), UsageError);
    EXPECT_THROW(propagate_beliefs(Graph(), *potential), UsageError);
    const Owned<GlobalArray<States>> short_one = GlobalArray<States>::create(3);
    EXPECT_THROW(propagate_beliefs(*graph, *short_one), UsageError);
    for (const States& bad : {States{}, States{1, -1}, States{1, std::nan("")},
                              States{std::numeric_limits<double>::infinity()}}) {
      delegate::write((*potential)[2], bad);
      EXPECT_THROW(propagate_beliefs(*graph, *potential), UsageError);
    }
    EdgeList list = test::make_list(3, false, {{0, 1}});
    list.weights.assign({0.0});
    const Owned<Graph> impossible = build_graph(list);
    potential->forall([](std::int64_t, States& one) { one = {1, 2}; });
    EXPECT_THROW(propagate_beliefs(*impossible, *potential), UsageError);
    const Owned<Graph> directed = build_graph(test::make_list(3, true, {{0, 1}}));
    EXPECT_THROW(propagate_beliefs(*directed, *potential), UsageError);
  });
}

}  // namespace
}  // namespace grappa::graph
