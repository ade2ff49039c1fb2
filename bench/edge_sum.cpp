#include "bench/edge_sum.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "bench/measure.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {

using graph::Edge;
using graph::VertexId;

void ArcSum::add(std::uint64_t row, std::uint64_t neighbor) {
  ++arcs;
  sum += mix(mix(row) + neighbor);
}

void ArcSum::add(const Edge& edge, bool directed) {
  const auto source = static_cast<std::uint64_t>(edge.source);
  const auto target = static_cast<std::uint64_t>(edge.target);
  add(source, target);
  if (!directed && source != target) add(target, source);
}

ArcSum sum_of_file(std::span<const Edge> edges, bool directed) {
  VertexId largest = 0;
  for (const Edge& edge : edges) largest = std::max({largest, edge.source, edge.target});
  std::vector<VertexId> number(edges.empty() ? 0 : static_cast<std::size_t>(largest) + 1);
  for (const Edge& edge : edges) number[edge.source] = number[edge.target] = 1;
  VertexId vertices = 0;
  for (VertexId& n : number) {
    if (n != 0) n = vertices++;
  }
  ArcSum sum;
  for (const Edge& edge : edges) sum.add({number[edge.source], number[edge.target]}, directed);
  return sum;
}

ArcSum sum_of(const graph::EdgeParts& list) {
  return reduce_cores(
      [part = *list.part, directed = list.directed] {
        const auto& edges = part->edges;
        const std::size_t slice = graph::core_in_locale();
        const auto slices = static_cast<std::size_t>(cores_per_locale());
        ArcSum sum;
        for (std::size_t i = edges.size() * slice / slices; i < edges.size() * (slice + 1) / slices;
             ++i)
          sum.add(edges[i], directed);
        return sum;
      },
      ArcSum{}, std::plus<>{});
}

ArcSum sum_of(const graph::Graph& graph) {
  return reduce_cores(
      [graph] {
        const graph::Adjacency out = graph.out();
        const std::int64_t begin = this_core() * graph.vertices_per_core();
        const std::int64_t end = std::min(graph.vertex_count(), begin + graph.vertices_per_core());
        ArcSum sum;
        for (std::int64_t v = begin; v < end; ++v) {
          for (const VertexId w : out.neighbors(v))
            sum.add(static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(w));
        }
        return sum;
      },
      ArcSum{}, std::plus<>{});
}

}  // namespace grappa::bench
