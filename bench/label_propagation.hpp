#pragma once

// Connected components by label propagation, written by hand for one locale and OpenMP: the
// baseline of `bench vertex-programs`.

#include <cstdint>
#include <vector>

#include "bench/measure.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::bench {

/// The least vertex of each vertex's component. The graph is undirected, in a run of one locale.
/// In rounds: pushed from the vertices whose label has changed while these have few edges, else
/// pulled by all.
std::vector<graph::VertexId> propagate_labels(const graph::Graph& graph, const OpenMpTeam& team,
                                              int threads);

}  // namespace grappa::bench
