#pragma once

// Vertices numbered by degree, the largest first: what bounds the work of counting triangles.
//
//   Owned<Replica<VertexId>> rank = rank_by_degree(graph);    // [vertices], on every locale
//
// Degrees are compared to within an eighth (degree_classes.hpp). They count stored edges, in both
// directions; a directed graph must have in-edges.
//
// Called by one task; switches tasks.

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

Owned<Replica<VertexId>> rank_by_degree(const Graph& graph);
/// Every vertex has its own number as rank.
Owned<Replica<VertexId>> rank_by_number(const Graph& graph);

/// The mean degree of the end of an edge: the mean length of the rows that following edges leads
/// to.
double mean_neighbor_degree(const Graph& graph);

}  // namespace grappa::graph
