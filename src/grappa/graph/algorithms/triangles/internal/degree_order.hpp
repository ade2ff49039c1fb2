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

struct MeanDegrees {
  double of_vertices;
  double of_ends;  // of the end of an edge: the length of the rows that following edges leads to

  /// Whether ordering by degree saves work. Where all are about as long, it only scatters them.
  bool differ() const { return of_ends > 1.5 * of_vertices; }
};
MeanDegrees mean_degrees(const Graph& graph);

}  // namespace grappa::graph
