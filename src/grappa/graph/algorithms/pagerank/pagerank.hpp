#pragma once

// PageRank: the stationary distribution of a surfer who follows a random out-edge with probability
// `damping` and else jumps to a random vertex.
//
//   PageRankResult result = pagerank(graph, {.tolerance = 1e-6});
//   std::vector<double> rank = collect(*result.rank, graph);
//
// Definition: start at 1/n; in each iteration, from the ranks of the one before,
//   rank(v) = (1 - damping)/n + damping * (sum over in-edges u->v of rank(u)/outdegree(u) + D/n)
// with D the sum of the ranks of vertices without out-edges. An edge that stands k times counts k
// times; self-loops count. Stops when the sum of absolute changes is below `tolerance`, or after
// `max_iterations`; tolerance 0 means exactly that many. Ranks sum to 1, and are the same to the
// last bit whatever the number of cores and locales.
//
// Needs in-edges: UsageError if the graph has none. Errors of checkpoints besides. Called by one
// task; switches tasks.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/checkpoint/checkpoint.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

/// The precision of the contributions along edges. Single moves half the memory; ranks, and their
/// sum, are then accurate to about 1e-6 relative.
enum class PageRankPrecision : std::uint8_t { kDouble, kSingle };

struct PageRankOptions {
  double damping = 0.85;
  double tolerance = 1e-4;
  std::int64_t max_iterations = 100;
  PageRankPrecision precision = PageRankPrecision::kDouble;
  /// Called after each iteration, with its number from 1 on and the sum of absolute changes.
  std::function<void(std::int64_t, double)> on_iteration = {};
  /// Where the ranks are saved during the run, and where those of an earlier run with the same
  /// damping and precision come from (checkpoint/checkpoint.hpp); iterations of that run count. The
  /// result is the same to the last bit.
  Checkpoint* checkpoint = nullptr;
};

struct PageRankResult {
  Owned<GlobalArray<double>> rank;
  std::int64_t iterations = 0;
  double change = 0;       // sum of absolute changes in the last iteration
  bool converged = false;  // change < tolerance
};

PageRankResult pagerank(const Graph& graph, const PageRankOptions& options = {});

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const PageRankOptions& options,
                    const PageRankResult& result);

/// Without any runtime: `iterations` and `change` as in PageRankResult.
Verification verify_pagerank(const SerialGraph& graph, const PageRankOptions& options,
                             std::span<const double> rank, std::int64_t iterations, double change);

/// The ranks after one more iteration, along out-edges.
std::vector<double> next_ranks(const SerialGraph& graph, double damping,
                               std::span<const double> rank);

}  // namespace grappa::graph
