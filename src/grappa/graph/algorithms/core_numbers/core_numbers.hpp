#pragma once

// Core numbers of the vertices of an undirected graph. The k-core is the largest set of vertices in
// which each has at least k neighbors of the set; the core number of a vertex is the greatest k of
// a k-core that it is in (S. Seidman, "Network structure and minimum degree", Social Networks 5,
// 1983).
//
//   CoreNumbersResult result = core_numbers(graph);
//   std::vector<CoreNumber> core = collect(*result.core, graph);
//
// Meant for simple graphs (BuildOptions::simplify): of equal edges each counts as a neighbor, and
// a self-loop counts as one. The same whatever the number of cores and locales. Called by one task;
// switches tasks. Errors: UsageError for a directed graph.

#include <cstdint>
#include <span>
#include <type_traits>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

/// As wide as a degree may be.
using CoreNumber = std::make_unsigned_t<VertexId>;

struct CoreNumbersResult {
  Owned<GlobalArray<CoreNumber>> core;  // 0 without neighbors
  std::int64_t degeneracy = 0;          // the greatest core number
  std::int64_t innermost = 0;           // vertices that have it
};

CoreNumbersResult core_numbers(const Graph& graph);

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const CoreNumbersResult& result);

/// Without any runtime: `core` as in CoreNumbersResult, for every vertex.
Verification verify_core_numbers(const SerialGraph& graph, std::span<const CoreNumber> core);

}  // namespace grappa::graph
