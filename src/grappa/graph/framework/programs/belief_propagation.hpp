#pragma once

// Loopy belief propagation: what is likely at each vertex, where neighbors depend on each other (J.
// Pearl, "Probabilistic reasoning in intelligent systems", 1988, section 4.2; K. Murphy, Y. Weiss,
// M. Jordan, "Loopy belief propagation for approximate inference", UAI 1999). Sum-product on a
// pairwise Markov random field: a vertex is in one of a few states; the probability of all of them
// together is proportional to the product of each vertex's potential of its state and of a factor
// for each edge.
//
//   const Owned<GlobalArray<States>> seen = graph.make_vertex_array<States>();
//   seen->forall([](std::int64_t, States& here) { here = {0.7, 0.3}; });   // of states 0 and 1
//   const BeliefResult found = propagate_beliefs(graph, *seen);
//   const std::vector<States> likely = collect(*found.belief, graph);
//
// An edge's factor is its weight where both ends are in the same state, and 1 where they are not
// (the Potts model): above 1 neighbors want to be equal, below 1 different. States that a model
// does not have get the potential 0 everywhere.
//
// Exact on trees, after as many rounds as the longest path has edges, and one more; the next finds
// that nothing changes any more. With cycles it is an approximation, and need not converge: then
// damping helps.
//
// A program for the pulling engine (pull_engine.hpp): the message from u to v is the value of the
// edge from u to v; all vertices send in each round. Beliefs and messages are kept in such form
// that neither many neighbors nor long runs make them underflow.
//
// Called by one task; switches tasks.

#include <array>
#include <cstddef>
#include <cstdint>

#include "grappa/container/global_array.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

inline constexpr std::size_t kStates = 4;
/// A number for each state that a vertex may be in.
using States = std::array<double, kStates>;

struct BeliefOptions {
  double damping = 0;       // how much of a message stays from the one before; below 1
  double tolerance = 1e-9;  // ends when no belief has changed by more in a round
  std::int64_t max_rounds = 1000;
};

struct BeliefResult {
  Owned<GlobalArray<States>> belief;  // the probabilities, which sum to 1
  std::int64_t rounds = 0;
  double change = 0;  // the most that a belief has changed in the last round
  bool converged = false;
};

/// `potential` is of graph.make_vertex_array. UsageError for a directed graph, weights that are not
/// from 1e-100 to 1e100, options out of range, and potentials that are negative, not finite, or all
/// 0 at a vertex. A graph with self-loops makes no sense: build it with simplify.
BeliefResult propagate_beliefs(const Graph& graph, const GlobalArray<States>& potential,
                               const BeliefOptions& options = {});

}  // namespace grappa::graph
