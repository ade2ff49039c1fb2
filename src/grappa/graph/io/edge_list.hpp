#pragma once

// A graph as a list of its edges: what readers and generators produce and writers take.
//
//   EdgeList list = load_edge_list({.path = "web.txt.gz"}, serial_for());
//   for (const Edge& edge : list.edges) use(edge.source, edge.target);
//
// Vertices are 0 ... vertex_count-1 in ascending order of their names, including those without
// edges if the format lists them. An undirected list has each edge once, in either orientation.
// Duplicates and self-loops are as in the file.

#include <cstdint>
#include <string>
#include <string_view>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/structure/vertex_id.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/io/uninitialized_vector.hpp"

namespace grappa::graph {

struct Edge {
  VertexId source;
  VertexId target;

  friend bool operator==(const Edge&, const Edge&) = default;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

struct EdgeList {
  std::int64_t vertex_count = 0;
  UninitializedVector<Edge> edges;
  UninitializedVector<double> weights;  // empty, or one for each edge; all finite
  bool directed = true;
  /// The generator drew edges independently, so duplicates and self-loops are artefacts, to be
  /// removed before the graph is used.
  bool needs_simplify = false;
  VertexNames names;
  std::string note;  // what a person should know of the reading: "column 3 is ignored"; or empty
  bool consumed = false;  // a graph was built of it, which took the edges
};

/// Adds a remark to list.note, after "; " where there is one already.
void add_note(EdgeList& list, std::string_view note);

/// Turns an undirected list into the directed one that has every edge in both directions
/// (self-loops once).
void make_directed(EdgeList& list);

/// Removes self-loops and duplicates (of an undirected edge: in either orientation), keeping the
/// smallest weight, and sorts by source, then target. Undirected edges become source < target.
void simplify(EdgeList& list, const ParallelFor& parallel);

}  // namespace grappa::graph
