#pragma once

// Connected components: vertices joined by edges, whatever their direction (weakly connected).
//
//   ComponentsResult result = connected_components(graph);
//   std::vector<VertexId> label = collect_vertices(*result.label, graph);
//   std::vector<Component> table = component_table(graph, *result.label);
//
// The label of a vertex is the smallest vertex of its component. Directed graphs need no in-edges,
// but are faster with them. Called by one task; switches tasks.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/checkpoint/checkpoint.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct ComponentsOptions {
  std::int64_t neighbor_rounds = 2;  // edges of each vertex that are linked before sampling
  /// Called after each step, with its number from 1 on and the number of all.
  std::function<void(std::int64_t, std::int64_t)> on_step = {};
  /// Where the labels are saved during the run, and where those of an earlier run come from
  /// (checkpoint/checkpoint.hpp). Its iterations are the steps: sampling, and 16 slices of the
  /// remaining edges.
  Checkpoint* checkpoint = nullptr;
};

struct ComponentsResult {
  Owned<GlobalArray<VertexId>> label;
  std::int64_t arcs_linked = 0;  // how many of the stored edges had to be looked at
};

ComponentsResult connected_components(const Graph& graph, const ComponentsOptions& options = {});

struct Component {
  VertexId label;
  std::int64_t size;  // vertices
};

/// All components, the largest first and the smaller label first among equals.
std::vector<Component> component_table(const Graph& graph, const GlobalArray<VertexId>& label);

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const ComponentsResult& result);

/// Without any runtime: `label` as in ComponentsResult, for every vertex.
Verification verify_components(const SerialGraph& graph, std::span<const VertexId> label);

}  // namespace grappa::graph
