#pragma once

// The verifier of connected components. Serial; needs no runtime.

#include <span>

#include "grappa/graph/serial_graph.hpp"
#include "grappa/graph/verification.hpp"

namespace grappa::graph {

/// `label` as in ComponentsResult, for every vertex.
Verification verify_components(const SerialGraph& graph, std::span<const VertexId> label);

}  // namespace grappa::graph
