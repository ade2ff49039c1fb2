#include "bench/graph500_graph.hpp"

#include <algorithm>

#include "grappa/graph/build/build.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/structure/sample_vertices.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::bench {
namespace {

/// Of this core's slice of its locale's part of the list; -1 of none.
std::int64_t largest_vertex_here(const graph::EdgeList& part) {
  const auto& edges = part.edges;
  const std::size_t slice = graph::core_in_locale();
  const auto slices = static_cast<std::size_t>(cores_per_locale());
  const std::size_t end = edges.size() * (slice + 1) / slices;
  graph::VertexId largest = 0;
  std::size_t i = edges.size() * slice / slices;
  if (i == end) return -1;
  for (; i < end; ++i) largest = std::max({largest, edges[i].source, edges[i].target});
  return largest;
}

}  // namespace

graph::Graph graph500_construct(graph::EdgeParts& list) {
  const auto largest =
      reduce_cores([part = *list.part] { return largest_vertex_here(*part); }, std::int64_t{-1},
                   [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  list.vertex_count = largest + 1;
  return graph::build_graph(list, {.simplify = true});
}

std::vector<graph::VertexId> graph500_keys(const graph::Graph& graph, std::int64_t count,
                                           std::uint64_t seed) {
  return graph::sample_sources(graph, count, seed);
}

}  // namespace grappa::bench
