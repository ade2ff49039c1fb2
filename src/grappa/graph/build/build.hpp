#pragma once

// From an edge list to a graph, in parallel.
//
//   const Owned<Graph> graph = build_graph(list, {.in_edges = true});
//   const Owned<Graph> kron =
//       build_graph(load_edge_list({.path = "kron:20"}));
//
// The list is on the locale of the caller, or in parts on all of them; with several locales its
// edges go to the homes of their ends in aggregated messages. Called by one task; switches tasks.
// Errors: UsageError when the machine does not have the memory, for an edge whose ends are not
// vertices of the list, and for a list of which the edges were consumed already: by a graph, or by
// a build that failed or was cancelled when it had begun to take them.

#include <cstdint>

#include "grappa/graph/build/internal/edge_parts.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// How the vertices are numbered inside the graph, which decides where they live and which of them
/// lie side by side. It changes the time of a kernel, not its result: Graph::given and
/// Graph::vertex translate, and so do the functions that bring results to the caller (collect.hpp).
enum class VertexOrder : std::uint8_t {
  kGiven,     // as in the list
  kByDegree,  // the most edges first (up to an eighth): what is read most lies in few cache lines.
              // With several locales the largest 64 vertices go to the first, the next to the
              // second, and so on in turn, so that each gets its part of them
  kRandom,    // at random, but always the same: each locale gets an even mix
  kStriped    // as in the list, but dealt to the locales in up to 16 stripes each: neighbors in a
              // map or a grid stay together, and a wave that goes through it is everywhere at once.
              // As given where there is one locale
};
/// Whether this order gives vertices other numbers than the list has. Inside a run.
bool changes_numbers(VertexOrder order);

struct BuildOptions {
  bool in_edges = false;    // of directed graphs, in-edges too
  bool symmetrize = false;  // makes a directed list undirected: each edge stands in both rows
  bool simplify = false;  // drops self-loops and duplicates; also if the list says that it needs it
  VertexOrder order = VertexOrder::kGiven;  // of the vertices; the degrees are those of the list
  /// With several locales, vertices with at least so many out-edges are split: their edges to
  /// vertices of another locale are stored there, too, so that what such a hub sends to its
  /// neighbors goes once to each core and not along each edge (push_edges.hpp). These edges take
  /// memory twice. 0: none are split. UsageError if negative.
  std::int64_t split_degree = 0;
  /// The list keeps its edges and weights, beside the graph.
  bool keep_list = false;
};

/// Consumes the list's edges and weights, if it is not to keep them (their memory is freed as soon
/// as it can be); names and notes stay. A list with weights makes a graph with weights.
Graph build_graph(EdgeList& list, const BuildOptions& options = {},
                  const internal::CallSite& where = internal::CallSite::current());
inline Graph build_graph(EdgeList&& list, const BuildOptions& options = {},
                         const internal::CallSite& where = internal::CallSite::current()) {
  return build_graph(list, options, where);
}
Graph build_graph(EdgeParts& list, const BuildOptions& options = {},
                  const internal::CallSite& where = internal::CallSite::current());

/// Memory of a list's edges and weights.
std::uint64_t list_bytes(std::int64_t edges, WeightType weights);

/// Bytes: the most that build_graph has in use at a time, over all locales, the list included.
std::uint64_t build_memory_bytes(std::int64_t vertices, std::int64_t edges, bool directed,
                                 WeightType weights, const BuildOptions& options);

}  // namespace grappa::graph
