// Asserts of triangle counts:
//
// 1. Each vertex has half as many triangles as there are arcs between its neighbors.
// 2. The total is a third of their sum.
#include "grappa/graph/algorithms/triangles/triangles.hpp"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "grappa/graph/algorithms/internal/neighbor_arcs.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

Verification verify_triangles(const SerialGraph& graph, std::span<const std::uint64_t> count,
                              std::uint64_t total) {
  const NeighborArcs right = neighbor_arcs(graph);
  for (std::size_t v = 0; v < count.size(); ++v) {
    if (count[v] != right.arcs[v] / 2)
      return Verification::failed("triangles: vertex {} is part of {}, not of {}", v,
                                  right.arcs[v] / 2, count[v]);
  }
  const std::uint64_t sum =
      std::accumulate(right.arcs.begin(), right.arcs.end(), std::uint64_t{0}) / 6;
  if (total != sum) return Verification::failed("triangles: there are {}, not {}", sum, total);
  return {
      .failure = {},
      .checked = fmt::format("{} triangles, counted once more from each of their vertices", total)};
}

Verification verify(const Graph& graph, const TriangleResult& result) {
  std::vector<std::uint64_t> count;
  if (result.per_vertex) count = collect(*result.count, graph);
  return verify_triangles(SerialGraph::of(graph), count, result.total);
}

}  // namespace grappa::graph
