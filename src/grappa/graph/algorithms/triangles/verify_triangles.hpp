#pragma once

// The verifier of triangle counts.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const TriangleResult& result);

/// Without any runtime: `count` and `total` as in TriangleResult; no counts where the result has
/// none.
Verification verify_triangles(const SerialGraph& graph, std::span<const std::uint64_t> count,
                              std::uint64_t total);

}  // namespace grappa::graph
