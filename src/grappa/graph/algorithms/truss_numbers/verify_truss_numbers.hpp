#pragma once

// The verifier of truss numbers.

#include <span>

#include "grappa/graph/algorithms/truss_numbers/truss_numbers.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const TrussNumbersResult& result);

/// Without any runtime: `truss` and `edges` as in TrussNumbersResult.
Verification verify_truss_numbers(const SerialGraph& graph, std::span<const TrussNumber> truss,
                                  std::span<const TrussEdges> edges);

}  // namespace grappa::graph
