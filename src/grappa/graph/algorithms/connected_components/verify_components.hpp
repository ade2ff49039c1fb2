#pragma once

// The verifier of connected components.

#include <span>

#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const ComponentsResult& result);

/// Without any runtime: `label` as in ComponentsResult, for every vertex.
Verification verify_components(const SerialGraph& graph, std::span<const VertexId> label);

}  // namespace grappa::graph
