#pragma once

// Triangles: sets of three vertices that are joined by three edges.
//
//   TriangleResult result = triangles(graph);
//   std::vector<uint64_t> count = collect(*result.count, graph);
//   Clustering clustering = clustering_of(graph, result);
//
// The graph is undirected; self-loops are ignored, and equal edges count as one (a graph without
// either takes less time). Called by one task; switches tasks. Errors: UsageError for a directed
// graph, and for options out of their range.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct TriangleOptions {
  bool per_vertex = true;  // false: the total only, which takes less time
  /// So many vertices of highest degree have bitmaps of their neighbors (hub_matrix.hpp); 0: none.
  std::int64_t hubs = 1 << 14;
  /// Rows are made for counting where the mean degree of the end of an edge is above this.
  double rows_above = 24;
  /// With several locales: about how many edges of the others each locale holds at a time.
  std::int64_t block_edges = 1 << 24;
};

struct TriangleResult {
  Owned<GlobalArray<std::uint64_t>> count;  // by vertex, the triangles that it is part of; or none
  std::uint64_t total = 0;                  // triangles: a third of the sum of these
  bool per_vertex = true;
};

TriangleResult triangles(const Graph& graph, const TriangleOptions& options = {});

/// How clustered the graph is, by two definitions. A vertex with d neighbors has d(d - 1)/2 pairs
/// of them (wedges), and as many triangles as pairs are adjacent.
struct Clustering {
  std::uint64_t wedges = 0;  // of all vertices
  double global = 0;         // triangles by wedges, times 3 (transitivity); 0 without wedges
  double average = 0;        // mean over all vertices of triangles by wedges, 0 where d < 2;
                             // 0 if the result has no counts by vertex
};

Clustering clustering_of(const Graph& graph, const TriangleResult& result);

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const TriangleResult& result);

/// Without any runtime: `count` and `total` as in TriangleResult; no counts where the result has
/// none.
Verification verify_triangles(const SerialGraph& graph, std::span<const std::uint64_t> count,
                              std::uint64_t total);

}  // namespace grappa::graph
