#pragma once

// Some vertices, drawn at random and yet the same in every run.

#include <cstdint>
#include <vector>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// `count` vertices that have out-edges (all of them, if there are no more), ascending: those whose
/// random numbers, a function of the seed and the vertex, are the smallest. Called by one task;
/// switches tasks.
std::vector<VertexId> sample_sources(const Graph& graph, std::int64_t count,
                                     std::uint64_t seed = 1);

}  // namespace grappa::graph
