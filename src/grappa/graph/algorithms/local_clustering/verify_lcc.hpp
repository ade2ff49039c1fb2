#pragma once

// The verifier of local clustering coefficients.

#include <span>

#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const LccResult& result);

/// Without any runtime: `coefficient` and `average` as in LccResult.
Verification verify_lcc(const SerialGraph& graph, std::span<const double> coefficient,
                        double average);

}  // namespace grappa::graph
