#pragma once

// The verifier of core numbers.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const CoreNumbersResult& result);

/// Without any runtime: `core` as in CoreNumbersResult, for every vertex.
Verification verify_core_numbers(const SerialGraph& graph, std::span<const CoreNumber> core);

}  // namespace grappa::graph
