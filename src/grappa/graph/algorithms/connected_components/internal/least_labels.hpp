#pragma once

// Labels of components in a graph whose vertices the builder numbered anew.

#include "grappa/container/global_array.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// Makes the label of each component the one of its vertices that came first in the list of edges.
/// `label` has a vertex of the component for each vertex, the same for all of the component. Does
/// nothing unless the graph is reordered. Called by one task; switches tasks.
void label_by_given(const Graph& graph, const GlobalArray<VertexId>& label);

}  // namespace grappa::graph
