#pragma once

// Kernel 1 of the Graph500 benchmark, and the vertices that the others search from.

#include <cstdint>
#include <vector>

#include "grappa/graph/build/internal/edge_parts.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::bench {

/// The undirected graph of an edge list, without duplicates (the lightest of equal edges stays) and
/// self-loops, as the specification allows. Its vertices are those up to the largest one of the
/// list, which is all that it goes by. Consumes the edges. Called by one task; switches tasks.
graph::Graph graph500_construct(graph::EdgeParts& list);

/// `count` different vertices that have an edge to another one, or all there are; by the seed, and
/// the same whatever the number of cores and locales. Called by one task; switches tasks.
std::vector<graph::VertexId> graph500_keys(const graph::Graph& graph, std::int64_t count,
                                           std::uint64_t seed);

}  // namespace grappa::bench
