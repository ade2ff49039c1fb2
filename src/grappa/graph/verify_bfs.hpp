#pragma once

// The verifier of breadth-first searches. Serial; needs no runtime.

#include <cstdint>
#include <span>

#include "grappa/graph/serial_graph.hpp"
#include "grappa/graph/verification.hpp"

namespace grappa::graph {

/// `parent` and `depth` as in BfsResult, for every vertex.
Verification verify_bfs(const SerialGraph& graph, VertexId source, std::span<const VertexId> parent,
                        std::span<const std::int32_t> depth);

}  // namespace grappa::graph
