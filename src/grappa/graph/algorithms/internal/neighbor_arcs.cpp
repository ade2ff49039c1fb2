// For each vertex v, its neighborhood is marked, and the out-edges of each neighbor are looked up
// in the marks, or, if there are more of these than neighbors, the neighbors among them.
#include "grappa/graph/algorithms/internal/neighbor_arcs.hpp"

#include <algorithm>
#include <bit>

namespace grappa::graph {
namespace {

using Rows = std::vector<std::vector<VertexId>>;

/// Ascending and without equals.
void simplify(std::vector<VertexId>& row) {
  std::ranges::sort(row);
  const auto rest = std::ranges::unique(row);
  row.erase(rest.begin(), rest.end());
}

}  // namespace

NeighborArcs neighbor_arcs(const SerialGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertex_count());
  Rows out(n);
  Rows near(n);
  for (std::size_t v = 0; v < n; ++v) {
    for (const VertexId w : graph.neighbors(static_cast<std::int64_t>(v))) {
      if (w == static_cast<VertexId>(v)) continue;
      out[v].push_back(w);
      near[v].push_back(w);
      if (graph.is_directed()) near[w].push_back(static_cast<VertexId>(v));
    }
  }
  for (auto& row : out) simplify(row);
  for (auto& row : near) simplify(row);

  NeighborArcs result{.neighbors = std::vector<std::uint64_t>(n),
                      .arcs = std::vector<std::uint64_t>(n)};
  std::vector<char> marked(n);
  for (std::size_t v = 0; v < n; ++v) {
    result.neighbors[v] = near[v].size();
    for (const VertexId x : near[v]) marked[x] = 1;
    for (const VertexId x : near[v]) {
      if (near[v].size() * std::bit_width(out[x].size()) < out[x].size()) {
        for (const VertexId y : near[v]) result.arcs[v] += std::ranges::binary_search(out[x], y);
      } else {
        for (const VertexId y : out[x]) result.arcs[v] += static_cast<std::uint64_t>(marked[y]);
      }
    }
    for (const VertexId x : near[v]) marked[x] = 0;
  }
  return result;
}

}  // namespace grappa::graph
