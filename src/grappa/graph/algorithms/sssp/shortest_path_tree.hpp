#pragma once

// A tree of shortest paths, from their lengths.
//
//   SsspResult paths = sssp(graph, source);
//   Owned<GlobalArray<VertexId>> parent = shortest_path_tree(graph, source, *paths.distance);
//
// The parent of a vertex is the one before it on a shortest path from the source: the first of its
// in-neighbors that is nearer and explains its distance. Where edges of weight zero join vertices
// at the same distance, there may be no nearer one; such a vertex gets a parent at its own distance
// that already has a parent, round by round, starting from those with a nearer one. So the tree is
// the same whatever the number of cores and locales.
//
// The source is its own parent; kNoVertex where the distance is infinite, or is not the length of a
// path. Called by one task; switches tasks; needs memory for a copy of the distances on every
// locale, if there are several. Errors: UsageError for a source that is not a vertex, and for a
// directed graph without in-edges.

#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

Owned<GlobalArray<VertexId>> shortest_path_tree(const Graph& graph, VertexId source,
                                                const GlobalArray<double>& distance);

}  // namespace grappa::graph
