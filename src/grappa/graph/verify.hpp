#pragma once

// Checks of kernel results: serial, independent of the kernels, and as simple as they can be.
//
//   if (Verification v = verify(graph, source, bfs_result); !v.passed()) complain(v.failure);
//
// Each verifier's own file lists the properties that it asserts. They bring the whole graph and the
// result to the calling locale (where it is already, on one locale). Called by one task; switch
// tasks.

#include "grappa/graph/bfs.hpp"
#include "grappa/graph/connected_components.hpp"
#include "grappa/graph/graph.hpp"
#include "grappa/graph/pagerank.hpp"
#include "grappa/graph/verification.hpp"

namespace grappa::graph {

Verification verify(const Graph& graph, VertexId source, const BfsResult& result);
Verification verify(const Graph& graph, const PageRankOptions& options,
                    const PageRankResult& result);
Verification verify(const Graph& graph, const ComponentsResult& result);

}  // namespace grappa::graph
