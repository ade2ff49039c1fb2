#include "grappa/graph/io/internal/formats/adjacency.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/graph/exec/tuning.hpp"

namespace grappa::graph::io {
namespace {

// Calls use(row, neighbor) for the arcs that an edge gives.
template <class Use>
void for_arcs(const Edge& edge, ArcsOf arcs, const Use& use) {
  switch (arcs) {
    case ArcsOf::kSource:
      use(edge.source, edge.target);
      break;
    case ArcsOf::kTarget:
      use(edge.target, edge.source);
      break;
    case ArcsOf::kBothEnds:
      use(edge.source, edge.target);
      if (edge.source != edge.target) use(edge.target, edge.source);
      break;
    case ArcsOf::kSmallerEnd:
      use(std::min(edge.source, edge.target), std::max(edge.source, edge.target));
      break;
  }
}

void sort_weighted_row(VertexId* neighbors, double* weights, std::size_t count) {
  std::vector<std::pair<VertexId, double>> row(count);
  for (std::size_t i = 0; i < count; ++i) row[i] = {neighbors[i], weights[i]};
  std::sort(row.begin(), row.end());
  for (std::size_t i = 0; i < count; ++i) std::tie(neighbors[i], weights[i]) = row[i];
}

void sort_rows(Adjacency& adjacency, const ParallelFor& parallel) {
  const auto rows = static_cast<std::int64_t>(adjacency.offsets.size()) - 1;
  for_ranges(parallel, rows, tuning::kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t first = adjacency.offsets[static_cast<std::size_t>(row)];
      const std::int64_t last = adjacency.offsets[static_cast<std::size_t>(row) + 1];
      VertexId* neighbors = adjacency.neighbors.data();
      if (adjacency.weights.empty()) {
        std::sort(neighbors + first, neighbors + last);
      } else {
        sort_weighted_row(neighbors + first, adjacency.weights.data() + first,
                          static_cast<std::size_t>(last - first));
      }
    }
  });
}

}  // namespace

Adjacency build_adjacency(const EdgeList& list, ArcsOf arcs, const ParallelFor& parallel) {
  Adjacency adjacency;
  const auto vertices = static_cast<std::size_t>(list.vertex_count);
  adjacency.offsets.assign(vertices + 1, 0);
  for (const Edge& edge : list.edges) {
    for_arcs(edge, arcs, [&](VertexId row, VertexId) { ++adjacency.offsets[row + 1]; });
  }
  for (std::size_t v = 0; v < vertices; ++v) adjacency.offsets[v + 1] += adjacency.offsets[v];

  adjacency.neighbors.resize(static_cast<std::size_t>(adjacency.offsets.back()));
  if (!list.weights.empty()) adjacency.weights.resize(adjacency.neighbors.size());
  std::vector<std::int64_t> next(adjacency.offsets.begin(), adjacency.offsets.end() - 1);
  for (std::size_t i = 0; i < list.edges.size(); ++i) {
    for_arcs(list.edges[i], arcs, [&](VertexId row, VertexId neighbor) {
      const auto place = static_cast<std::size_t>(next[row]++);
      adjacency.neighbors[place] = neighbor;
      if (!list.weights.empty()) adjacency.weights[place] = list.weights[i];
    });
  }
  sort_rows(adjacency, parallel);
  return adjacency;
}

}  // namespace grappa::graph::io
