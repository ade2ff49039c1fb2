#pragma once

// The verifier of maximal independent sets.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/independent_set/independent_set.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const IndependentSetResult& result);

/// Without any runtime: `in_set` as in IndependentSetResult, for every vertex.
Verification verify_independent_set(const SerialGraph& graph, std::span<const std::uint8_t> in_set);

}  // namespace grappa::graph
