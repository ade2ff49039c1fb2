#pragma once

// A maximal independent set of an undirected graph: vertices of which no two are joined by an edge,
// and to which none can be added.
//
//   IndependentSetResult result = maximal_independent_set(graph);
//   std::vector<uint8_t> in_set = collect(*result.in_set, graph);
//
// The set is the one of a serial greedy algorithm that takes the vertices in a pseudo-random order:
// the same whatever the number of cores and locales. It need not be the largest. Self-loops are
// ignored. Called by one task; switches tasks. Errors: UsageError for a directed graph.

#include <cstdint>
#include <span>

#include "grappa/graph/algorithms/verification.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

struct IndependentSetResult {
  Owned<GlobalArray<std::uint8_t>> in_set;  // 1 or 0
  std::int64_t size = 0;
  std::int64_t rounds = 0;
};

IndependentSetResult maximal_independent_set(const Graph& graph);

/// Checks what was found. Called by one task; switches tasks.
Verification verify(const Graph& graph, const IndependentSetResult& result);

/// Without any runtime: `in_set` as in IndependentSetResult, for every vertex.
Verification verify_independent_set(const SerialGraph& graph, std::span<const std::uint8_t> in_set);

}  // namespace grappa::graph
