#pragma once

// Communities by label propagation, exactly as LDBC Graphalytics defines CDLP [1].
//
//   LabelPropagationResult result = label_propagation(graph, {.iterations = 10});
//   std::vector<VertexId> label = collect_vertices(*result.label, graph);
//
// The label of a vertex is itself at first. In each round all vertices at once take the label that
// most of their neighbors have, the smallest of several; one without neighbors keeps its own. In
// a directed graph in- and out-neighbors count, so a pair with edges both ways counts twice. An
// edge that stands k times counts k times, and a self-loop makes a vertex its own neighbor.
// Labels are the same whatever the number of cores and locales.
//
// The graph must have in-edges. Called by one task; switches tasks. Errors: UsageError for a graph
// without in-edges and a negative number of rounds.
//
// [1] A. Iosup et al., "The LDBC Graphalytics benchmark", arXiv:2011.15028, 2020, section 2.3.4;
//     after U. Raghavan, R. Albert, S. Kumara, "Near linear time algorithm to detect community
//     structures in large-scale networks", Physical Review E 76, 2007.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct LabelPropagationOptions {
  std::int64_t iterations = 10;
  /// Called after each round that is computed, with its number from 1 on and how many labels have
  /// changed in it.
  std::function<void(std::int64_t, std::int64_t)> on_iteration = {};
};

struct LabelPropagationResult {
  Owned<GlobalArray<VertexId>> label;
  /// Rounds that were computed: fewer than asked for when one changed nothing, as none after it
  /// would have.
  std::int64_t iterations = 0;
  std::int64_t changed = 0;  // labels, in the last of them
};

LabelPropagationResult label_propagation(const Graph& graph,
                                         const LabelPropagationOptions& options = {});

/// Checks what was found. Called by one task; switches tasks. `iterations`: as were asked for.
Verification verify(const Graph& graph, std::int64_t iterations,
                    const LabelPropagationResult& result);

/// Without any runtime: `label` as in LabelPropagationResult, for every vertex.
Verification verify_label_propagation(const SerialGraph& graph, std::int64_t iterations,
                                      std::span<const VertexId> label);

/// The labels after so many rounds, serially.
std::vector<VertexId> serial_label_propagation(const SerialGraph& graph, std::int64_t iterations);

}  // namespace grappa::graph
