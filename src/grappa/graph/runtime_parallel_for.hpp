#pragma once

// A ParallelFor (io/parallel_for.hpp) over the cores of the calling locale.
//
//   EdgeList list = load_edge_list(options, runtime_parallel_for());
//
// Called by one task at a time; waiting switches tasks. Iterations are tasks: they may not block
// the core for long, and their stacks are small.

#include "grappa/graph/io/parallel_for.hpp"

namespace grappa::graph {

ParallelFor runtime_parallel_for();

}  // namespace grappa::graph
