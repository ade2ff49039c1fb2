#include "grappa/graph/graph.hpp"

#include <algorithm>

namespace grappa::graph {
namespace {

void destroy_rows(GraphRows& rows, WeightType weight_type) {
  rows.offsets.destroy();
  rows.targets.destroy();
  if (weight_type != WeightType::kNone) rows.weights.destroy();
}

}  // namespace

void Graph::place_vertices(std::int64_t vertices) {
  vertex_count_ = vertices;
  const std::int64_t cores = core_count();
  per_core_ = std::max<std::int64_t>(64, (vertices + cores - 1) / cores);
  per_core_ = (per_core_ + 63) / 64 * 64;
  by_core_ = internal::FastDivider(static_cast<std::uint64_t>(per_core_));
  id_ = internal::new_handle();
  internal::register_handle(id_);
}

void Graph::destroy() {
  internal::retire_handle(id_, "Graph::destroy");
  destroy_rows(out_, weight_type_);
  if (has_in_rows_) destroy_rows(in_, weight_type_);
  if (hub_count_ != 0) {
    hubs_.destroy();
    destroy_rows(hub_rows_, weight_type_);
  }
  if (reordered_) {
    vertex_.destroy();
    given_.destroy();
  }
  *this = Graph();
  id_ = internal::kDestroyedHandle;
}

}  // namespace grappa::graph
