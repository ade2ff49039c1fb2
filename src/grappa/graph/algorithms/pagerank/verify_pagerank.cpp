// Asserts of PageRank:
//
// 1. Every rank is a number, and at least (1 - damping)/n: what random jumps alone give.
// 2. The ranks sum to 1.
// 3. One more iteration changes them by at most `damping` times what the last one did. The
//    iteration contracts by that factor in the L1 norm, whatever the graph; it is computed here
//    along out-edges, where the kernel goes along in-edges.
// 4. Without any iteration, all ranks are 1/n.
// 5. The run ended because the change was below the tolerance, or after the iterations asked for.
//
// Rounding is allowed for with 1e-9; of single precision, with 1e-6.
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"

#include <fmt/format.h>

#include <cmath>

#include "grappa/graph/structure/collect.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {
namespace {

double rounding_of(const PageRankOptions& options) {
  return options.precision == PageRankPrecision::kSingle ? 1e-6 : 1e-9;
}

}  // namespace

std::vector<double> next_ranks(const SerialGraph& graph, double damping,
                               std::span<const double> rank) {
  std::vector<double> next(rank.size());
  double dangling = 0;
  for (std::size_t u = 0; u < rank.size(); ++u) {
    const auto row = graph.neighbors(static_cast<std::int64_t>(u));
    if (row.empty()) dangling += rank[u];
    for (const VertexId v : row) next[v] += rank[u] / static_cast<double>(row.size());
  }
  const auto n = static_cast<double>(rank.size());
  for (double& r : next) r = (1 - damping) / n + damping * (r + dangling / n);
  return next;
}

Verification verify_pagerank(const SerialGraph& graph, const PageRankOptions& options,
                             std::span<const double> rank, std::int64_t iterations, double change) {
  const auto n = static_cast<double>(rank.size());
  const double rounding = rounding_of(options);
  if (rank.empty()) return {.failure = {}, .checked = "a graph without vertices"};
  double sum = 0;
  for (std::size_t v = 0; v < rank.size(); ++v) {
    // Written so that NaN fails.
    if (!(rank[v] >= (1 - options.damping) / n * (1 - rounding)))
      return Verification::failed(
          "pagerank: vertex {} has rank {}, which is less than random jumps give", v, rank[v]);
    sum += rank[v];
  }
  if (!(std::abs(sum - 1) <= rounding))
    return Verification::failed("pagerank: the ranks sum to {:.12g}", sum);

  if (iterations == 0) {
    for (std::size_t v = 0; v < rank.size(); ++v) {
      if (std::abs(rank[v] * n - 1) > rounding)
        return Verification::failed("pagerank: vertex {} starts with rank {}", v, rank[v]);
    }
  } else {
    if (!(change < options.tolerance) && iterations != options.max_iterations)
      return Verification::failed("pagerank: the run ended after {} iterations with a change of {}",
                                  iterations, change);
    const std::vector<double> next = next_ranks(graph, options.damping, rank);
    double residual = 0;
    for (std::size_t v = 0; v < rank.size(); ++v) residual += std::abs(next[v] - rank[v]);
    if (!(residual <= options.damping * change + rounding)) {
      return Verification::failed(
          "pagerank: one more iteration changes the ranks by {}, but the last one only by {}",
          residual, change);
    }
  }
  return {
      .failure = {},
      .checked = fmt::format("{} ranks sum to 1, and one more iteration along out-edges changes "
                             "them less than the last did",
                             rank.size())};
}

Verification verify(const Graph& graph, const PageRankOptions& options,
                    const PageRankResult& result) {
  return verify_pagerank(SerialGraph::of(graph), options, collect(*result.rank, graph),
                         result.iterations, result.change);
}

}  // namespace grappa::graph
