#pragma once

// The arcs between the neighbors of each vertex, by their definition: for verifiers.

#include <cstdint>
#include <vector>

#include "grappa/graph/structure/internal/serial_graph.hpp"

namespace grappa::graph {

struct NeighborArcs {
  std::vector<std::uint64_t> neighbors;  // by vertex: how many others an edge joins to it
  std::vector<std::uint64_t> arcs;       // by vertex: from one of these to another
};

/// Equal edges count once, self-loops not at all. Serial.
NeighborArcs neighbor_arcs(const SerialGraph& graph);

}  // namespace grappa::graph
