#include "grappa/graph/framework/edge_map.hpp"

#include "grappa/base/error.hpp"

namespace grappa::graph::detail {

bool choose_pull(const Graph& graph, const Frontier& from, EdgeMapOptions options, bool can_push) {
  if (!can_push) {
    if (options.direction == Direction::kPush)
      throw UsageError("edge_map: a program without update_atomic() cannot be pushed");
    options.direction = Direction::kPull;
  }
  if (options.against && !graph.has_in_edges())
    throw UsageError("edge_map: the graph was built without in-edges, which it is to go along");
  if (options.dense_divisor <= 0) throw UsageError("edge_map: dense_divisor must be positive");
  switch (options.direction) {
    case Direction::kPush:
      return false;
    case Direction::kPull:
      if (!graph.has_in_edges())
        throw UsageError("edge_map: the graph was built without in-edges, which pulling needs");
      return true;
    default:
      return graph.has_in_edges() &&
             from.size() + from.arcs() > graph.arc_count() / options.dense_divisor;
  }
}

}  // namespace grappa::graph::detail
