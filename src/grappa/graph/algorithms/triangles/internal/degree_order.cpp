#include "grappa/graph/algorithms/triangles/internal/degree_order.hpp"

#include <algorithm>
#include <numeric>

#include "grappa/graph/algorithms/internal/neighborhood.hpp"
#include "grappa/graph/build/internal/degree_classes.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
Owned<Replica<VertexId>> rank_by_degree(const Graph& graph) {
  const std::int64_t n = graph.vertex_count();
  const Owned classes = Replica<std::uint8_t>::create_for_overwrite(n);
  forall_vertices(graph, [graph, classes = *classes](std::int64_t first, std::int64_t last) {
    const Neighborhood near(graph);
    for (std::int64_t v = first; v < last; ++v) classes.data()[v] = degree_class(near.stored(v));
  });
  classes->all_gather(vertices_of_locale(graph));
  return rank_by_class(*classes, n);
}

Owned<Replica<VertexId>> rank_by_number(const Graph& graph) {
  Owned rank = Replica<VertexId>::create_for_overwrite(graph.vertex_count());
  on_each_locale(
      [rank = *rank] { std::iota(rank.span().begin(), rank.span().end(), VertexId{0}); });
  return rank;
}

MeanDegrees mean_degrees(const Graph& graph) {
  struct Sums {
    double squares = 0;
    double degrees = 0;
    Sums operator+(const Sums& other) const {
      return {squares + other.squares, degrees + other.degrees};
    }
  };
  const Owned sums = LocaleState<Sums>::create();
  forall_vertices(graph, [graph, sums = *sums](std::int64_t first, std::int64_t last) {
    const Neighborhood near(graph);
    Sums mine;
    for (std::int64_t v = first; v < last; ++v) {
      const auto d = static_cast<double>(near.stored(v));
      mine.squares += d * d;
      mine.degrees += d;
    }
    Sums& here = *sums;
    add_shared(here.squares, mine.squares);
    add_shared(here.degrees, mine.degrees);
  });
  const Sums all = reduce_locales([sums = *sums] { return *sums; });
  return {.of_vertices =
              all.degrees / static_cast<double>(std::max<std::int64_t>(1, graph.vertex_count())),
          .of_ends = all.squares / std::max(1.0, all.degrees)};
}

}  // namespace grappa::graph
