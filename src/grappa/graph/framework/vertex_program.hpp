#pragma once

// Gather-apply-scatter vertex programs with delta caching (J. Gonzalez et al., "PowerGraph:
// distributed graph-parallel computation on natural graphs", OSDI 2012, sections 4.1 and 4.2; J.
// Nelson et al., "Latency-tolerant software distributed shared memory", USENIX ATC 2015, section
// 4.1).
//
//   struct Paths {                                        // shortest paths
//     using Gather = double;                              // what edges bring
//     static constexpr bool kWeighted = true;
//     static Gather identity() { return INFINITY; }
//     static Gather combine(Gather a, Gather b) { return std::min(a, b); }
//     VertexId source;
//     VertexView<double> distance;
//     void bind() { distance.bind(); }
//     Gather initial(VertexId v) const { return v == source ? 0 : INFINITY; }
//     bool apply(VertexId v, Gather total) const {        // true: tell the neighbors
//       if (total >= distance[v]) return false;
//       distance[v] = total;
//       return true;
//     }
//     Gather scatter(VertexId v) const { return distance[v]; }
//     Gather along(Gather value, auto weight) const { return value + weight; }
//   };
//   run_synchronous(graph, Paths{source, VertexView(distance)}, {.source = source});
//
// The engine keeps for each vertex the total of what its in-edges have brought: the cache. For each
// active vertex it calls apply() with the total; if that returns true, scatter() gives the value
// that is combined into the totals of the out-neighbors, and those whose totals change become
// active. So a program scatters what has changed since it last did (for sums), or simply its value
// (for minima), and nothing is ever gathered again. The program ends when no vertex is active.
//
// A program has Gather (a type with ==, of at most 8 bytes), identity(), combine() (associative and
// commutative), apply() and scatter(); and may have
//   initial(v)             the total before the first round; identity() by default
//   along(value, weight)   what scatter()'s value becomes on an edge of that weight; the weight is
//                          1 unless kWeighted = true. It may also be called for identity()
//   bind()                 called on each locale before the others, for its VertexViews
//   is_final(total)        whether nothing can change this total any more: then a round of the
//                          synchronous engine skips the vertex's in-edges. By default none is
//   priority(v, total)     for the asynchronous engine (below)
// It is trivially copyable, of at most 192 bytes. apply() and scatter() run at the vertex, on its
// locale, one at a time for each vertex, and must not switch tasks. In the synchronous engine
// apply() runs on the core that has called bind() just before.
//
// Two engines. The *synchronous* one (sync_engine.hpp) goes in rounds, each of which sees only what
// was scattered in the one before: the result does not depend on the number of cores (but for the
// order in which floating-point sums are formed). The *asynchronous* one (async_engine.hpp) has no
// rounds: everything that is done to a vertex is done by its home core, which takes the active
// vertices in ascending order of priority(), an integer; kNotNow leaves the vertex inactive until
// more arrives. Without priority() they are taken in the order in which they became active. This is
// how delta-stepping and prioritized PageRank are written; a program must be correct in any order.
//
// Programs that gather more than 8 bytes, anew in each round, or write on edges, are of another
// form: pull_engine.hpp.
//
// Edges are followed from source to target. If the direction does not matter, build the graph with
// `symmetrize`.

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

inline constexpr std::int64_t kNotNow = std::numeric_limits<std::int64_t>::max();

struct ProgramOptions {
  /// The vertex that is active at first; by default all are.
  VertexId source = kNoVertex;
  /// For the synchronous engine: when to stop, and what to call in each round after its vertices
  /// were applied, with its number, from 1, and how many of them will scatter; it returns whether
  /// to continue.
  std::int64_t max_rounds = std::numeric_limits<std::int64_t>::max();
  std::function<bool(std::int64_t, std::int64_t)> on_round = {};
};

struct ProgramResult {
  std::int64_t rounds = 0;   // of the synchronous engine
  std::int64_t applied = 0;  // how often a vertex was applied
  bool finished = true;      // no vertex is active, nor has one anything to scatter
};

namespace detail {

/// Throws UsageError for a graph that is not live, and for a source that is not a vertex. `engine`
/// begins the message.
void check_source(const char* engine, const Graph& graph, VertexId source);

template <class Program>
using GatherOf = typename Program::Gather;

template <class Program>
constexpr void require_program() {
  static_assert(std::is_trivially_copyable_v<Program> && sizeof(Program) <= 192,
                "grappa: a vertex program is trivially copyable and has at most 192 bytes");
  static_assert(std::is_trivially_copyable_v<GatherOf<Program>> && sizeof(GatherOf<Program>) <= 8,
                "grappa: Gather is trivially copyable and has at most 8 bytes");
}

template <class Program>
GatherOf<Program> initial_total(const Program& program, VertexId v) {
  if constexpr (requires { program.initial(v); }) {
    return program.initial(v);
  } else {
    return Program::identity();
  }
}

template <class Program>
inline constexpr bool kHasAlong = requires(const Program& program, GatherOf<Program> value) {
  program.along(value, UnitWeight{});
} || requires(const Program& program, GatherOf<Program> value) { program.along(value, 1.0); };

template <class Program, class W>
GatherOf<Program> value_along(const Program& program, GatherOf<Program> value, W weight) {
  if constexpr (kHasAlong<Program>) {
    return program.along(value, weight);
  } else {
    return value;
  }
}

}  // namespace detail

}  // namespace grappa::graph
