#pragma once

// The verifier of betweenness centrality.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

/// Called by one task; switches tasks.
Verification verify(const Graph& graph, std::span<const VertexId> sources,
                    const BetweennessResult& result);

/// Without any runtime: `score` as in BetweennessResult, for every vertex.
Verification verify_betweenness(const SerialGraph& graph, std::span<const VertexId> sources,
                                std::span<const double> score);

/// The scores, serially.
std::vector<double> serial_betweenness(const SerialGraph& graph, std::span<const VertexId> sources);

}  // namespace grappa::graph
