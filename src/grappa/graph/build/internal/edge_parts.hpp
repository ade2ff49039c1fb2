#pragma once

// An edge list of which every locale has a part.
//
//   EdgeParts list = load_edge_parts(options);          // load_parts.hpp
//   const Owned<Graph> graph = build_graph(list, {.in_edges = true});
//
// The parts may be of any size and their edges in any order; vertices have the same numbers in all
// of them. The members that describe the whole are at the locale of the caller. Moved, not copied.
// Made and destroyed by one task, which switches tasks.

#include <cstdint>
#include <optional>
#include <string>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/structure/weights.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct EdgeParts {
  std::int64_t vertex_count = 0;
  std::int64_t edge_count = 0;
  bool directed = true;
  bool needs_simplify = false;
  VertexNames names;
  std::string note;
  std::string source;     // the file or generator, as messages call it; or empty
  bool consumed = false;  // building has begun, and takes the edges

  /// A locale's own part: only `edges` and `weights` mean something.
  Owned<LocaleState<EdgeList>> part;

  /// What all edges are like. Switches tasks. Throws Error when only some have weights.
  struct Facts {
    std::int64_t edges = 0;  // in all parts; fewer than edge_count when a graph was built of them
    std::int64_t least = 0;  // vertex of any edge
    std::int64_t greatest = 0;
    std::optional<WeightRange> weights;  // none where the edges have none
  };
  Facts facts() const;

  /// Without edges.
  static EdgeParts create();
};

/// All edges on the locale of the caller, one task, which switches.
EdgeParts parts_of(EdgeList list);

}  // namespace grappa::graph
