#pragma once

// Four kernels as vertex programs (vertex_program.hpp), with the results of their hand-written
// counterparts: they show what the framework costs, and serve as models for your own programs. Each
// is correct under both engines.
//
//   PageRankResult ranks = pagerank_program(graph, {.tolerance = 1e-6}, Engine::kSynchronous);
//
// Called by one task; switch tasks. Errors: UsageError as in the hand-written kernels, and as said
// below.

#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/framework/vertex_program.hpp"

namespace grappa::graph {

enum class Engine : std::uint8_t { kSynchronous, kAsynchronous };

/// Breadth-first search, top-down: the least (depth, parent) that edges bring. The parents are the
/// same on any number of cores and locales.
BfsResult bfs_program(const Graph& graph, VertexId source, Engine engine);

/// Shortest paths: in rounds (Bellman and Ford), or, asynchronously, in the order of distances
/// rounded down to a multiple of delta. Relaxations are not counted.
SsspResult sssp_program(const Graph& graph, VertexId source, Engine engine,
                        const SsspOptions& options = {});

/// Label propagation: the least vertex that can be reached. UsageError for a directed graph (build
/// it with `symmetrize`).
ComponentsResult components_program(const Graph& graph, Engine engine);

/// PageRank with delta caching: a vertex passes on the change of its rank once that exceeds a
/// threshold, chosen such that one more iteration over all vertices would change the ranks by less
/// than damping * tolerance in all. Uses the damping, the tolerance and, if synchronous,
/// max_iterations. UsageError for a damping of 1 and for a tolerance of 0.
PageRankResult pagerank_program(const Graph& graph, const PageRankOptions& options, Engine engine);

}  // namespace grappa::graph
