#pragma once

// Breadth-first search: hops from a source along out-edges.
//
//   BfsResult result = bfs(graph, source);
//   std::vector<int32_t> depth = collect(*result.depth, graph);
//
// Direction-optimizing (top-down and bottom-up levels) if the graph has in-edges and the options
// allow it, else top-down only (algorithm and papers: bfs.cpp). Depths are the same whatever the
// number of cores and locales; which of several possible parents a vertex gets is not. Called by
// one task; switches tasks. Errors: UsageError for a source that is not a vertex.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

inline constexpr std::int32_t kUnreached = -1;

struct BfsOptions {
  /// When to change direction; the defaults are the paper's.
  std::int64_t alpha = 15;  // bottom-up when the frontier has 1/alpha of the unexplored edges
  std::int64_t beta = 18;   // top-down when the frontier has less than 1/beta of the vertices
  bool bottom_up = true;    // false: always top-down
};

struct BfsResult {
  Owned<GlobalArray<VertexId>> parent;     // the source is its own; kNoVertex where unreached
  Owned<GlobalArray<std::int32_t>> depth;  // the source has 0; kUnreached where unreached
  std::int64_t reached = 0;                // vertices, the source included
  std::int64_t levels = 0;                 // the greatest depth, plus one
  std::int64_t bottom_up_levels = 0;       // how many of them were found bottom-up
  std::int64_t arcs = 0;                   // out-edges of the reached vertices
  std::int64_t edges = 0;  // the same in edges, undirected ones once: TEPS counts these
};

BfsResult bfs(const Graph& graph, VertexId source, const BfsOptions& options = {});

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, VertexId source, const BfsResult& result);

/// Without any runtime: `parent` and `depth` as in BfsResult, for every vertex.
Verification verify_bfs(const SerialGraph& graph, VertexId source, std::span<const VertexId> parent,
                        std::span<const std::int32_t> depth);

}  // namespace grappa::graph
