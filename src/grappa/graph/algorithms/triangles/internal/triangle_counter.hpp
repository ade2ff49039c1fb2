#pragma once

// Counts triangles on oriented rows, for triangles and lcc.
//
//   std::uint64_t total = count_on_rows(graph, TriangleWeight::kOne, true, options, counts);
//
// Called by one task; switches tasks. Directed graphs must have in-edges.

#include <cstdint>

#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// What a triangle counts for each of its vertices.
enum class TriangleWeight : std::uint8_t {
  kTotal,  // nothing is counted by vertex
  kOne,
  kArcs,  // one or two: in how many directions the edge between the two others goes
};

/// Throws UsageError for options out of range.
void check_options(const TriangleOptions& options);

/// Returns the number of triangles. Unless kTotal, writes `counts`, which has an element for every
/// vertex, at its home. `by_degree`: the order of the vertices; else it is by their numbers.
std::uint64_t count_on_rows(const Graph& graph, TriangleWeight weight, bool by_degree,
                            const TriangleOptions& options,
                            const GlobalArray<std::uint64_t>& counts);

}  // namespace grappa::graph
