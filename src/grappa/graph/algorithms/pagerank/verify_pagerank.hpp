#pragma once

// The verifier of PageRank.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const PageRankOptions& options,
                    const PageRankResult& result);

/// Without any runtime: `iterations` and `change` as in PageRankResult.
Verification verify_pagerank(const SerialGraph& graph, const PageRankOptions& options,
                             std::span<const double> rank, std::int64_t iterations, double change);

/// The ranks after one more iteration, along out-edges.
std::vector<double> next_ranks(const SerialGraph& graph, double damping,
                               std::span<const double> rank);

}  // namespace grappa::graph
