#pragma once

// The verifier of PageRank. Serial; needs no runtime.

#include <cstdint>
#include <span>

#include "grappa/graph/pagerank.hpp"
#include "grappa/graph/serial_graph.hpp"
#include "grappa/graph/verification.hpp"

namespace grappa::graph {

/// `iterations` and `change` as in PageRankResult.
Verification verify_pagerank(const SerialGraph& graph, const PageRankOptions& options,
                             std::span<const double> rank, std::int64_t iterations, double change);

/// The ranks after one more iteration, along out-edges.
std::vector<double> next_ranks(const SerialGraph& graph, double damping,
                               std::span<const double> rank);

}  // namespace grappa::graph
