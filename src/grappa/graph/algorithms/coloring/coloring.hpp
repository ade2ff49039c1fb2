#pragma once

// Colors for the vertices of an undirected graph such that no edge joins two of the same color;
// few colors, but not the fewest possible.
//
//   ColoringResult result = color(graph);
//   std::vector<uint32_t> colors = collect(*result.color, graph);
//
// Colors are 0 … colors-1, at most the greatest degree plus one. They are those of a serial greedy
// algorithm that takes the vertices by descending logarithm of their degrees, and in a
// pseudo-random order among equals: the same whatever the number of cores and locales. Self-loops
// are ignored. Called by one task; switches tasks. Errors: UsageError for a directed graph.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct ColoringResult {
  Owned<GlobalArray<std::uint32_t>> color;
  std::int64_t colors = 0;
};

ColoringResult color(const Graph& graph);

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const ColoringResult& result);

/// Without any runtime: `color` as in ColoringResult, for every vertex.
Verification verify_coloring(const SerialGraph& graph, std::span<const std::uint32_t> color);

}  // namespace grappa::graph
