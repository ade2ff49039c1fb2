#pragma once

// Local clustering coefficient, as LDBC Graphalytics defines it [1].
//
//   LccResult result = local_clustering(graph);
//   std::vector<double> lcc = collect(*result.coefficient, graph);
//
// The neighborhood N(v) is the set of vertices that an edge joins to v, in either direction, v
// itself excluded. The coefficient of v is the number of arcs between members of N(v), divided by
// |N(v)| (|N(v)| - 1); 0 where N(v) has fewer than two members. An undirected edge is two arcs.
// Equal edges count once, self-loops not at all.
//
// The options say how triangles are counted, by vertex in any case. Called by one task; switches
// tasks. Errors: UsageError for a directed graph without in-edges, and for options out of range.
//
// [1] A. Iosup et al., "The LDBC Graphalytics Benchmark", arXiv:2011.15028, section 2.3.

#include <span>

#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct LccResult {
  Owned<GlobalArray<double>> coefficient;  // by vertex
  double average = 0;                      // over all vertices; 0 if there are none
};

LccResult local_clustering(const Graph& graph, TriangleOptions options = {});

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const LccResult& result);

/// Without any runtime: `coefficient` and `average` as in LccResult.
Verification verify_lcc(const SerialGraph& graph, std::span<const double> coefficient,
                        double average);

}  // namespace grappa::graph
