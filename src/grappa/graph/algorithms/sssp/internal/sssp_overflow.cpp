#include "grappa/graph/algorithms/sssp/internal/sssp_overflow.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "grappa/base/error.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::graph {
namespace {

bool leads_too_far(const Adjacency& out, const GlobalArray<double>& distance, std::int64_t v,
                   double length) {
  const auto row = out.neighbors(v);
  const auto weights = out.weights<double>(v);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(weights[i]) && !std::isfinite(length + weights[i]) &&
        !std::isfinite(delegate::read(distance[static_cast<std::int64_t>(row[i])])))
      return true;
  }
  return false;
}

/// Of the edges from this core's vertices: 1 if one leads too far.
int too_far_here(const Graph& graph, const GlobalArray<double>& distance) {
  auto length = distance.local().begin();
  const Adjacency out = graph.out();
  for (std::int64_t v = graph.core_begin(); v < graph.core_end(); ++v, ++length) {
    if (std::isfinite(*length) && leads_too_far(out, distance, v, *length)) return 1;
  }
  return 0;
}

}  // namespace

void check_path_lengths(const Graph& graph, const GlobalArray<double>& distance, double farthest) {
  constexpr double kMost = std::numeric_limits<double>::max();
  if (graph.weight_type() != WeightType::kDouble ||
      farthest <= kMost - graph.weight_range().greatest)
    return;
  const int found =
      reduce_cores([graph, distance] { return too_far_here(graph, distance); }, 0, std::plus<>{});
  if (found > 0)
    throw UsageError(
        "sssp: paths are longer than 1.8e308, the greatest number; divide the weights");
}

}  // namespace grappa::graph
