#pragma once

// The builder's first step for a graph whose vertices are renumbered (BuildOptions::order): chooses
// the new numbers, and puts them into the list of edges.
//
//   Replica<VertexId> vertex = number_vertices(graph, VertexOrder::kByDegree, *list.part);
//   renumber(*list.part, vertex);
//
// Every locale gets all numbers: it has edges of all vertices. Called by one task; switches tasks.

#include <cstdint>

#include "grappa/container/replica.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {

/// Memory on each locale: two numbers a vertex that stay, and the degrees meanwhile.
inline constexpr std::uint64_t kRenumberBytesPerVertex = 3 * sizeof(VertexId);

/// The vertex that each number of the list becomes. `graph` says where vertices live, `part` has
/// the edges. By degree and in stripes it depends on the number of locales and their cores.
Replica<VertexId> number_vertices(const Graph& graph, VertexOrder order,
                                  const LocaleState<EdgeList>& part);

/// The inverse of a permutation of 0 ... n-1.
Replica<VertexId> inverse_of(const Replica<VertexId>& permutation, std::int64_t n);

/// Replaces the ends of all edges.
void renumber(const LocaleState<EdgeList>& part, const Replica<VertexId>& vertex);

}  // namespace grappa::graph
