#pragma once

// The verifier of minimum spanning forests.

#include <span>

#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, const SpanningForestResult& result);

/// Without any runtime: `edges` in any order, `weight` as in SpanningForestResult.
Verification verify_spanning_forest(const SerialGraph& graph, std::span<const ForestEdge> edges,
                                    double weight);

}  // namespace grappa::graph
