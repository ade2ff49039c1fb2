#include "grappa/graph/framework/internal/visit_code.hpp"
#include "grappa/graph/framework/run_program.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

struct BreadthFirst {
  using Gather = Visit;
  static Gather identity() { return kNoVisit; }
  static Gather combine(Gather a, Gather b) { return std::min(a, b); }
  static bool is_final(Gather total) { return total != kNoVisit; }

  VertexView<Visit> best;  // kNoVisit at first
  VertexId source;
  VisitCode code;
  void bind() { best.bind(); }

  Gather initial(VertexId v) const { return v == source ? code.visit(0, v) : kNoVisit; }
  bool apply(VertexId v, Gather total) const {
    // A better parent alone is nothing new to the neighbors.
    const bool is_nearer = code.depth_of(total) < code.depth_of(best[v]);
    best[v] = total;
    return is_nearer;
  }
  Gather scatter(VertexId v) const { return code.visit(code.depth_of(best[v]) + 1, v); }
  std::int64_t priority(VertexId, Gather total) const {
    return static_cast<std::int64_t>(code.depth_of(total));
  }
};

/// What was reached on a core.
struct Reached {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
  std::int64_t levels = 0;
};

}  // namespace

BfsResult bfs_program(const Graph& graph, VertexId source, Engine engine) {
  graph.require_vertex("bfs_program", source);
  const Owned<GlobalArray<Visit>> best = graph.make_vertex_array_for_overwrite<Visit>();
  on_all_cores([best = *best] { std::ranges::fill(best.local(), kNoVisit); });
  const VisitCode code(graph.vertex_count());
  run_program(graph, BreadthFirst{VertexView(*best), source, code}, engine, {.source = source});
  Owned<GlobalArray<VertexId>> parent = graph.make_vertex_array_for_overwrite<VertexId>();
  Owned<GlobalArray<std::int32_t>> depth = graph.make_vertex_array_for_overwrite<std::int32_t>();
  const Reached reached = reduce_cores(
      [graph, best = *best, code, parent = *parent, depth = *depth] {
        Reached mine;
        const Adjacency out = graph.out();
        for (std::size_t i = 0; i < best.local().size(); ++i) {
          const Visit visit = best.local()[i];
          parent.local()[i] = kNoVertex;
          depth.local()[i] = kUnreached;
          if (visit == kNoVisit) continue;
          parent.local()[i] = code.parent_of(visit);
          depth.local()[i] = static_cast<std::int32_t>(code.depth_of(visit));
          ++mine.vertices;
          mine.arcs += out.degree(best.global_index(static_cast<std::int64_t>(i)));
          mine.levels = std::max<std::int64_t>(mine.levels, depth.local()[i] + 1);
        }
        return mine;
      },
      Reached(),
      [](Reached a, const Reached& b) {
        return Reached{a.vertices + b.vertices, a.arcs + b.arcs, std::max(a.levels, b.levels)};
      });
  BfsResult result;
  result.parent = std::move(parent);
  result.depth = std::move(depth);
  result.reached = reached.vertices;
  result.levels = reached.levels;
  result.arcs = reached.arcs;
  result.edges = graph.is_directed() ? result.arcs : result.arcs / 2;
  return result;
}

}  // namespace grappa::graph
