#pragma once

// Betweenness centrality: on how many shortest paths a vertex lies, summed over some sources.
//
//   BetweennessResult result = betweenness(graph, sample_sources(graph, 16));
//   std::vector<double> score = collect(*result.score, graph);
//
// score(v) is the sum, over the sources s and all targets t other than v, of the fraction of the
// shortest paths from s to t that pass through v (U. Brandes, "A faster algorithm for betweenness
// centrality", Journal of Mathematical Sociology 25(2), 2001); unnormalized, and halved if the
// graph is undirected. With all vertices as sources that is the exact betweenness. Weights are
// ignored. An edge that is stored k times counts as k paths; simplify the graph to count it once.
// Self-loops make no difference.
//
// Paths are counted in floating point, up to 2^262144 of them. Scores are the same within 1e-9
// relative whatever the number of cores and locales.
//
// The graph must have in-edges. Called by one task; switches tasks. Errors: UsageError for a graph
// without in-edges, a source that is not a vertex, and more paths to a vertex than that.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct BetweennessOptions {
  /// A level is found bottom-up when the out-edges of the frontier are more than 1/alpha of the
  /// edges of the vertices that are not reached yet.
  std::int64_t alpha = 6;
  /// Called when the n-th source is done.
  std::function<void(std::int64_t)> on_source = {};
};

struct BetweennessResult {
  Owned<GlobalArray<double>> score;
  std::int64_t reached = 0;           // vertices, the sources included; summed over the sources
  std::int64_t levels = 0;            // of the source with most: the greatest depth, plus one
  std::int64_t bottom_up_levels = 0;  // how many were found bottom-up; summed over the sources
};

BetweennessResult betweenness(const Graph& graph, std::span<const VertexId> sources,
                              const BetweennessOptions& options = {});

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, std::span<const VertexId> sources,
                    const BetweennessResult& result);

/// Without any runtime: `score` as in BetweennessResult, for every vertex.
Verification verify_betweenness(const SerialGraph& graph, std::span<const VertexId> sources,
                                std::span<const double> score);

/// The scores, serially.
std::vector<double> serial_betweenness(const SerialGraph& graph, std::span<const VertexId> sources);

}  // namespace grappa::graph
