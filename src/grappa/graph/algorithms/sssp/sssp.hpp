#pragma once

// Single-source shortest paths along out-edges, with weights that are not negative.
//
//   SsspResult result = sssp(graph, source);
//   std::vector<double> distance = collect(*result.distance, graph);
//
// The length of a path is the sum of its edges' weights, added from the source on; every edge
// weighs 1 if the graph has no weights. Delta-stepping (paper: sssp.cpp). Distances are the same to
// the last bit whatever the number of cores and locales and whatever `delta`. Called by one task;
// switches tasks. Errors: UsageError for a source that is not a vertex, for a negative weight, for
// a delta that is not positive and for paths that are longer than a double holds.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct SsspOptions {
  /// The width of a bucket of distances. 0: chosen from the weights and the degrees (sssp.cpp).
  double delta = 0;
};

struct SsspResult {
  Owned<GlobalArray<double>> distance;  // infinite where unreached
  std::int64_t reached = 0;             // vertices, the source included
  double farthest = 0;                  // the greatest finite distance
  double delta = 0;                     // that was used
  std::int64_t rounds = 0;              // over buckets
  std::int64_t relaxations = 0;         // edges looked at, each as often as it was
};

/// The width of buckets that sssp() uses. Throws UsageError for what sssp() refuses.
double checked_delta(const Graph& graph, VertexId source, const SsspOptions& options);

SsspResult sssp(const Graph& graph, VertexId source, const SsspOptions& options = {});

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, VertexId source, const SsspResult& result);

/// Without any runtime: `distance` as in SsspResult, for every vertex.
Verification verify_sssp(const SerialGraph& graph, VertexId source,
                         std::span<const double> distance);

}  // namespace grappa::graph
