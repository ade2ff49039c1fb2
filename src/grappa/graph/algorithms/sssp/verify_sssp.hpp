#pragma once

// The verifier of shortest paths.

#include <span>

#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, VertexId source, const SsspResult& result);

/// Without any runtime: `distance` as in SsspResult, for every vertex.
Verification verify_sssp(const SerialGraph& graph, VertexId source,
                         std::span<const double> distance);

}  // namespace grappa::graph
