#pragma once

// The verifier of connected components.

#include <span>

#include "grappa/graph/kernel/connected_components.hpp"
#include "grappa/graph/serial_graph.hpp"
#include "grappa/graph/verify/verification.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const ComponentsResult& result);

/// Without any runtime: `label` as in ComponentsResult, for every vertex.
Verification verify_components(const SerialGraph& graph, std::span<const VertexId> label);

}  // namespace grappa::graph
