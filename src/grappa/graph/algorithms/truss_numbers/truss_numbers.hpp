#pragma once

// Truss numbers of an undirected graph. The k-truss is the largest set of edges of which each is in
// at least k - 2 triangles of edges of the set; the truss number of an edge is the greatest k of a
// k-truss that it is in, and that of a vertex the greatest of its edges (J. Cohen, "Trusses:
// Cohesive subgraphs for social network analysis", National Security Agency, 2008).
//
//   TrussNumbersResult result = truss_numbers(graph);
//   std::vector<TrussNumber> truss = collect(*result.truss, graph);
//
// Self-loops are ignored, and equal edges count as one. The same whatever the number of cores and
// locales. Besides the result it takes about 20 bytes for each arc, and on each locale 4 for each
// vertex and 4 more for each and core. Called by one task; switches tasks. Errors: UsageError for a
// directed graph, and for options out of their range.

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

using TrussNumber = std::make_unsigned_t<VertexId>;

/// The edges that have a truss number.
struct TrussEdges {
  TrussNumber truss;
  std::int64_t edges;
  bool operator==(const TrussEdges&) const = default;
};

struct TrussOptions {
  /// With several locales: about how many arcs of the others each locale holds at a time.
  std::int64_t block_arcs = 1 << 24;
};

struct TrussNumbersResult {
  Owned<GlobalArray<TrussNumber>> truss;  // 0 without neighbors, else at least 2
  std::vector<TrussEdges> edges;          // ascending, of all truss numbers that there are
};

TrussNumbersResult truss_numbers(const Graph& graph, const TrussOptions& options = {});

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const TrussNumbersResult& result);

/// Without any runtime: `truss` and `edges` as in TrussNumbersResult.
Verification verify_truss_numbers(const SerialGraph& graph, std::span<const TrussNumber> truss,
                                  std::span<const TrussEdges> edges);

}  // namespace grappa::graph
