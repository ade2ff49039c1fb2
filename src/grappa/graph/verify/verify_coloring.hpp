#pragma once

// The verifier of colorings.

#include <cstdint>
#include <span>

#include "grappa/graph/kernel/coloring.hpp"
#include "grappa/graph/serial_graph.hpp"
#include "grappa/graph/verify/verification.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const ColoringResult& result);

/// Without any runtime: `color` as in ColoringResult, for every vertex.
Verification verify_coloring(const SerialGraph& graph, std::span<const std::uint32_t> color);

}  // namespace grappa::graph
