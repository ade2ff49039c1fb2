// Two neighbors of v that an arc joins make a triangle with v. So the arcs of a neighborhood are
// found by counting the triangles of the undirected graph, each for v as often as there are arcs
// between the other two: twice if the graph is undirected, and else once or twice.
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"

#include <cstdint>

#include "grappa/graph/algorithms/internal/neighborhood.hpp"
#include "grappa/graph/algorithms/triangles/internal/degree_order.hpp"
#include "grappa/graph/algorithms/triangles/internal/triangle_counter.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

/// The state of a locale, which its cores share.
struct Local {
  Graph graph;
  const std::uint64_t* triangles = nullptr;  // of the locale's vertices, shifted
  double* coefficient = nullptr;             // as well
  double sum = 0;
};
using Locals = LocaleState<Local>;

void divide(Locals locals, std::int64_t first, std::int64_t last) {
  Local& mine = *locals;
  const Neighborhood near(mine.graph);
  const double arcs_each = mine.graph.is_directed() ? 1 : 2;
  double sum = 0;
  for (std::int64_t v = first; v < last; ++v) {
    mine.coefficient[v] = 0;
    if (mine.triangles[v] == 0) continue;
    const auto size = static_cast<double>(near.size(v));
    mine.coefficient[v] = arcs_each * static_cast<double>(mine.triangles[v]) / (size * (size - 1));
    sum += mine.coefficient[v];
  }
  add_shared(mine.sum, sum);
}

}  // namespace

LccResult local_clustering(const Graph& graph, TriangleOptions options) {
  graph.require_live("lcc");
  options.per_vertex = true;
  graph.require_in_edges("lcc");
  check_options(options);
  Owned<GlobalArray<std::uint64_t>> triangles;
  if (graph.is_directed()) {
    triangles = graph.make_vertex_array_for_overwrite<std::uint64_t>();
    count_on_rows(graph, TriangleWeight::kArcs, mean_degrees(graph).differ(), options, *triangles);
  } else {
    triangles = graph::triangles(graph, options).count;
  }
  LccResult result{.coefficient = graph.make_vertex_array_for_overwrite<double>(), .average = 0};
  const Owned locals = Locals::create();
  const double sum =
      reduce_locales([graph, triangles = *triangles, locals = *locals, lcc = *result.coefficient] {
        Local& mine = *locals;
        const std::int64_t begin = graph.locale_begin();
        mine.graph = graph;
        mine.triangles = triangles.locale_part().data() - begin;
        mine.coefficient = lcc.locale_part().data() - begin;
        forall_range_here(
            begin, graph.locale_end(),
            [locals](std::int64_t first, std::int64_t last) { divide(locals, first, last); });
        return mine.sum;
      });
  if (graph.vertex_count() > 0) result.average = sum / static_cast<double>(graph.vertex_count());
  return result;
}

}  // namespace grappa::graph
