#pragma once

// The verifier of degree statistics.

#include "grappa/graph/kernel/degree_statistics.hpp"
#include "grappa/graph/serial_graph.hpp"
#include "grappa/graph/verify/verification.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const DegreesResult& result);

/// Without any runtime.
Verification verify_degree_statistics(const SerialGraph& graph, const DegreesResult& result);

}  // namespace grappa::graph
