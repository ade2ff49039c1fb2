#pragma once

// The verifier of colorings.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/coloring/coloring.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const ColoringResult& result);

/// Without any runtime: `color` as in ColoringResult, for every vertex.
Verification verify_coloring(const SerialGraph& graph, std::span<const std::uint32_t> color);

}  // namespace grappa::graph
