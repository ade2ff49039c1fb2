#pragma once

// The verifier of label propagation.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks. `iterations`: as were asked for.
Verification verify(const Graph& graph, std::int64_t iterations,
                    const LabelPropagationResult& result);

/// Without any runtime: `label` as in LabelPropagationResult, for every vertex.
Verification verify_label_propagation(const SerialGraph& graph, std::int64_t iterations,
                                      std::span<const VertexId> label);

/// The labels after so many rounds, serially.
std::vector<VertexId> serial_label_propagation(const SerialGraph& graph, std::int64_t iterations);

}  // namespace grappa::graph
