#include "grappa/graph/structure/graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::graph {
namespace {

template <class T>
void destroy_if_created(Replica<T>& array) {
  if (array) array.destroy();
}

}  // namespace

void GraphRows::destroy() {
  destroy_if_created(offsets);
  destroy_if_created(targets);
  destroy_if_created(weights);
}

Graph Graph::of_vertices(std::int64_t vertices) {
  Graph graph;
  graph.vertex_count_ = vertices;
  const std::int64_t cores = core_count();
  const std::int64_t per_core = std::max<std::int64_t>(64, (vertices + cores - 1) / cores);
  graph.per_core_ = (per_core + 63) / 64 * 64;
  graph.by_core_ = internal::FastDivider(static_cast<std::uint64_t>(graph.per_core_));
  graph.id_ = internal::new_handle();
  internal::register_handle(graph.id_);
  return graph;
}

Graph Graph::reversed() const {
  Graph turned = *this;
  if (!directed_) return turned;
  std::swap(turned.out_, turned.in_);
  turned.split_degree_ = std::numeric_limits<std::size_t>::max();
  turned.hub_count_ = 0;
  return turned;
}

void Graph::require_vertex(const char* what, VertexId v) const {
  if (v >= vertex_count_)
    throw UsageError(
        fmt::format("{}: {} is not a vertex of a graph of {}", what, v, vertex_count_));
}

void Graph::require_in_edges(const char* what) const {
  if (!has_in_edges())
    throw UsageError(fmt::format("{}: the graph was built without in-edges", what));
}

void Graph::require_undirected(const char* what) const {
  if (directed_) throw UsageError(fmt::format("{}: the graph has to be undirected", what));
}

void Graph::destroy() {
  internal::retire_handle(id_, "Graph::destroy");
  // Not all of it is there when a builder failed.
  out_.destroy();
  in_.destroy();
  destroy_if_created(hubs_);
  hub_rows_.destroy();
  destroy_if_created(vertex_);
  destroy_if_created(given_);
  *this = Graph();
  id_ = internal::kDestroyedHandle;
}

}  // namespace grappa::graph
