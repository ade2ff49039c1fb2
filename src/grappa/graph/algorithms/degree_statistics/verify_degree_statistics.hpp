#pragma once

// The verifier of degree statistics.

#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const DegreesResult& result);

/// Without any runtime.
Verification verify_degree_statistics(const SerialGraph& graph, const DegreesResult& result);

}  // namespace grappa::graph
