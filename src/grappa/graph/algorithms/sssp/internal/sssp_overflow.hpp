#pragma once

// Paths too long for a double: sssp's distances would call their ends unreached.

#include "grappa/container/global_array.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// UsageError where an edge of finite weight leads from a vertex with a finite distance to one with
/// an infinite one. Looks at the edges only if `farthest`, the greatest finite distance, is so long
/// that this may be. Called by one task; switches tasks.
void check_path_lengths(const Graph& graph, const GlobalArray<double>& distance, double farthest);

}  // namespace grappa::graph
