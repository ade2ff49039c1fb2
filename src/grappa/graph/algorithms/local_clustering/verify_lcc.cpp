// Asserts of local clustering coefficients:
//
// 1. Each is what the definition says of the arcs between the neighbors of its vertex, within 1e-9
//    of it; and so 0 where there are fewer than two neighbors.
// 2. The average is their mean.
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grappa/graph/algorithms/internal/neighbor_arcs.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

constexpr double kClose = 1e-9;

/// False also where either is not a number.
bool is_close(double a, double b) { return std::abs(a - b) <= kClose * std::abs(b); }

}  // namespace

Verification verify_lcc(const SerialGraph& graph, std::span<const double> coefficient,
                        double average) {
  const NeighborArcs right = neighbor_arcs(graph);
  for (std::size_t v = 0; v < coefficient.size(); ++v) {
    const auto neighbors = static_cast<double>(right.neighbors[v]);
    const double expected =
        neighbors < 2 ? 0 : static_cast<double>(right.arcs[v]) / (neighbors * (neighbors - 1));
    if (!is_close(coefficient[v], expected)) {
      return Verification::failed(
          "lcc: vertex {} has {}, but {} arcs between its {} neighbors, which is {}", v,
          coefficient[v], right.arcs[v], right.neighbors[v], expected);
    }
  }
  const double mean = std::accumulate(coefficient.begin(), coefficient.end(), 0.0) /
                      std::max(1.0, static_cast<double>(coefficient.size()));
  if (!is_close(average, mean))
    return Verification::failed("lcc: the average is {}, not {}", mean, average);
  return {.failure = {},
          .checked = fmt::format("{} coefficients by the arcs between neighbors, counted once more",
                                 coefficient.size())};
}

Verification verify(const Graph& graph, const LccResult& result) {
  return verify_lcc(SerialGraph::of(graph), collect(*result.coefficient, graph), result.average);
}

}  // namespace grappa::graph
