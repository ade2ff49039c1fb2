#include "grappa/graph/io/edge_list.hpp"

#include "grappa/graph/io/internal/formats/adjacency.hpp"
#include "grappa/graph/io/internal/formats/row_edges.hpp"

namespace grappa::graph {
namespace {

// Calls use(source, target, index of the neighbor) for the edges that stay.
template <class Use>
void for_simple_edges(const io::Adjacency& adjacency, std::int64_t begin, std::int64_t end,
                      const Use& use) {
  for (std::int64_t v = begin; v < end; ++v) {
    const auto row = adjacency.neighbors_of(v);
    const auto source = static_cast<VertexId>(v);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool twice = i > 0 && row[i] == row[i - 1];
      if (row[i] != source && !twice) {
        use(source, row[i], static_cast<std::size_t>(adjacency.offsets[source]) + i);
      }
    }
  }
}

}  // namespace

void add_note(EdgeList& list, std::string_view note) {
  if (note.empty()) return;
  if (!list.note.empty()) list.note += "; ";
  list.note += note;
}

void make_directed(EdgeList& list) {
  if (list.directed) return;
  list.directed = true;
  const std::size_t edges = list.edges.size();
  list.edges.reserve(2 * edges);
  if (!list.weights.empty()) list.weights.reserve(2 * edges);
  for (std::size_t i = 0; i < edges; ++i) {
    const Edge edge = list.edges[i];
    if (edge.source == edge.target) continue;
    list.edges.push_back({edge.target, edge.source});
    if (!list.weights.empty()) list.weights.push_back(list.weights[i]);
  }
}

void simplify(EdgeList& list, const ParallelFor& parallel) {
  const io::ArcsOf arcs = list.directed ? io::ArcsOf::kSource : io::ArcsOf::kSmallerEnd;
  const io::Adjacency adjacency = io::build_adjacency(list, arcs, parallel);
  list.edges = {};
  list.needs_simplify = false;

  io::make_edges(
      list.vertex_count, !list.weights.empty(), list, parallel,
      [&](std::int64_t first, std::int64_t last) {
        std::size_t edges = 0;
        for_simple_edges(adjacency, first, last, [&](VertexId, VertexId, std::size_t) { ++edges; });
        return edges;
      },
      [&](std::int64_t first, std::int64_t last, const auto& use) {
        for_simple_edges(adjacency, first, last, use);
      },
      [&](VertexId, std::size_t arc) { return adjacency.weights[arc]; });
}

}  // namespace grappa::graph
