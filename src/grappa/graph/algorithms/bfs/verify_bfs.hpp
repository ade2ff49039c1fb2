#pragma once

// The verifier of breadth-first searches.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, VertexId source, const BfsResult& result);

/// Without any runtime: `parent` and `depth` as in BfsResult, for every vertex.
Verification verify_bfs(const SerialGraph& graph, VertexId source, std::span<const VertexId> parent,
                        std::span<const std::int32_t> depth);

}  // namespace grappa::graph
