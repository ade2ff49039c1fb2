#pragma once

// The synchronous engine of vertex programs (vertex_program.hpp): rounds of apply and scatter.
//
//   ProgramResult ran = run_synchronous(graph, program, {.source = 17});
//
// A round is two steps on frontiers: apply is a vertex_filter of the active vertices, scatter is an
// edge_map from those that it keeps, pushed or pulled. Memory besides the program's own: the
// totals, and two frontiers. Called by one task; switches tasks. Errors: UsageError for a source
// that is not a vertex; what a program throws comes out as RemoteError.

#include <utility>

#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/framework/edge_map.hpp"
#include "grappa/graph/framework/vertex_map.hpp"
#include "grappa/graph/framework/vertex_program.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

namespace detail {

/// A step of a round, as a function of a vertex or of edges.
template <class Program>
struct TotalStep {
  Program program;
  VertexView<GatherOf<Program>> total;

  void bind() {
    bind_here(program);
    total.bind();
  }
};

template <class Program>
struct InitialTotals : TotalStep<Program> {
  void operator()(VertexId v) const { this->total[v] = initial_total(this->program, v); }
};

template <class Program>
struct ApplyProgram : TotalStep<Program> {
  bool operator()(VertexId v) const { return this->program.apply(v, this->total[v]); }
};

template <class Program>
struct ScatterProgram : TotalStep<Program> {
  using TotalStep<Program>::program;
  using TotalStep<Program>::total;
  using Gather = GatherOf<Program>;
  using Value = Gather;
  static constexpr bool kWeighted = is_weighted<Program>();

  Value value(VertexId u) const { return program.scatter(u); }
  static Value nothing()
    requires(!kHasAlong<Program>)
  {
    return Program::identity();
  }
  bool update_atomic(VertexId v, const auto& arc) const {
    return combine_shared(total[v], value_along(program, arc.value, arc.weight),
                          [](Gather a, Gather b) { return Program::combine(a, b); });
  }
  bool update(VertexId v, const auto& arc) const {
    const Gather before = total[v];
    const Gather now = Program::combine(before, value_along(program, arc.value, arc.weight));
    if (now == before) return false;
    total[v] = now;
    return true;
  }
  bool pull(VertexId v, const auto& arcs) const {
    const Gather before = total[v];
    if constexpr (requires { Program::is_final(before); }) {
      if (Program::is_final(before)) return false;
    }
    Gather brought = Program::identity();
    if constexpr (kHasAlong<Program>) {
      const Gather identity = Program::identity();
      arcs.for_all(identity, [&](const auto& arc, bool is_from_set) {
        const Gather along = program.along(arc.value, arc.weight);
        brought = Program::combine(brought, value_if(is_from_set, &along, &identity));
      });
    } else {
      arcs.for_each([&](const auto& arc) {
        brought = Program::combine(brought, arc.value);
        return true;
      });
    }
    const Gather now = Program::combine(before, brought);
    if (now == before) return false;
    total[v] = now;
    return true;
  }
};

/// Rounds until no vertex is active: apply(active) gives those that tell others, and next(telling)
/// those that are active then.
template <class Apply, class Next>
ProgramResult run_rounds(Frontier active, const ProgramOptions& options, const Apply& apply,
                         const Next& next) {
  ProgramResult result;
  while (!active.empty() && result.rounds < options.max_rounds) {
    result.applied += active.size();
    Frontier telling = apply(active);
    mark_round("round", ++result.rounds);
    if (options.on_round && !options.on_round(result.rounds, telling.size())) {
      swap(active, telling);
      break;
    }
    active = next(telling);
  }
  result.finished = active.empty();
  return result;
}

/// A pull goes along all edges, unless vertices become final. So, where it saves no messages, it is
/// for sets with a large part of the edges.
template <class Program>
EdgeMapOptions how_to_scatter() {
  EdgeMapOptions options;
  constexpr bool has_final = requires(GatherOf<Program> total) { Program::is_final(total); };
  if (!has_final && locale_count() == 1) options.dense_divisor = tuning::kPulledPart;
  return options;
}

}  // namespace detail

template <class Program>
ProgramResult run_synchronous(const Graph& graph, const Program& program,
                              const ProgramOptions& options = {},
                              internal::CallSite where = internal::CallSite::current()) {
  using Gather = detail::GatherOf<Program>;
  detail::require_program<Program>();
  internal::here().messages->check_body(program, where);
  detail::check_source("run_synchronous", graph, options.source);
  const Owned<GlobalArray<Gather>> totals = graph.make_vertex_array_for_overwrite<Gather>();
  const detail::TotalStep<Program> step{program, VertexView<Gather>(*totals)};
  Frontiers frontiers(graph);
  Frontier active = frontiers.all();
  vertex_map(active, detail::InitialTotals<Program>{step});
  if (options.source != kNoVertex) active = frontiers.of(options.source);
  const EdgeMapOptions how = detail::how_to_scatter<Program>();
  return detail::run_rounds(
      std::move(active), options,
      [&](const Frontier& of) { return vertex_filter(of, detail::ApplyProgram<Program>{step}); },
      [&](Frontier& scattering) {
        return edge_map(scattering, detail::ScatterProgram<Program>{step}, how);
      });
}

}  // namespace grappa::graph
