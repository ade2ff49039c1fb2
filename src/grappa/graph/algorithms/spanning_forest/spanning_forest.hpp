#pragma once

// The minimum spanning forest of an undirected graph: of each connected component the tree that
// joins its vertices and has the least sum of weights.
//
//   SpanningForestResult result = minimum_spanning_forest(graph);
//   std::vector<ForestEdge> edges = forest_edges(graph, result);
//
// Weights are any numbers; every edge weighs 1 if the graph has none. Of edges of equal weight the
// one with the smaller end is preferred, then the one with the smaller other end, so there is
// exactly one such forest, the same whatever the number of cores and locales. Of equal edges one is
// taken; self-loops never are. Called by one task; switches tasks. Errors: UsageError for a
// directed graph, and for weights whose sum is greater than any number.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct ForestEdge {
  double weight = 0;
  VertexId u = kNoVertex;  // the smaller end
  VertexId v = kNoVertex;

  friend bool operator==(const ForestEdge&, const ForestEdge&) = default;
  /// The order in which edges are preferred.
  bool is_lighter_than(const ForestEdge& other) const {
    if (weight != other.weight) return weight < other.weight;
    return u != other.u ? u < other.u : v < other.v;
  }
};

struct SpanningForestResult {
  /// The edges in no order, at most one with each vertex (not necessarily one of its own); u is
  /// kNoVertex where there is none.
  Owned<GlobalArray<ForestEdge>> edge;
  std::int64_t edges = 0;
  std::int64_t trees = 0;  // the components, single vertices included
  double weight = 0;       // the sum; exact for integers below 2^53
};

SpanningForestResult minimum_spanning_forest(const Graph& graph);

/// All edges of the forest, brought to the calling locale, by ascending u, then v, with the numbers
/// that the vertices have in the list that the graph was built from. Switches tasks.
std::vector<ForestEdge> forest_edges(const Graph& graph, const SpanningForestResult& result);
/// The same with the numbers of the graph itself, which decide between edges of equal weight.
std::vector<ForestEdge> forest_as_numbered(const Graph& graph, const SpanningForestResult& result);

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const SpanningForestResult& result);

/// Without any runtime: `edges` in any order, `weight` as in SpanningForestResult.
Verification verify_spanning_forest(const SerialGraph& graph, std::span<const ForestEdge> edges,
                                    double weight);

}  // namespace grappa::graph
