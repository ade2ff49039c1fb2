#pragma once

// Pushing along the out-edges of a vertex, which may be a split hub (BuildOptions::split_degree).
//
//   push_edges<UnitWeight>(
//       graph, graph.out(), u,  // at the home of u
//       [&](VertexId w, UnitWeight) { delegate::async::call(graph.home(w), [w] { … }); },
//       [&](int core, std::uint64_t hub) {
//         delegate::async::call(core, [graph, hub] {
//           push_hub_edges<UnitWeight>(graph, hub, [](VertexId w, UnitWeight) { … });
//         });
//       });
//
// What a hub sends to its neighbors goes once to each core of another locale that is home to some
// of them; that core finds these in a row in its own locale's memory. Without splitting, each edge
// is a message. (R. Pearce, M. Gokhale, N. Amato, "Faster parallel traversal of scale free graphs
// at extreme scale with vertex delegates", SC 2014, section III; here only out-edges are delegated,
// as kernels that gather read copies of the values.)
//
// Weights are of the type that visit_weights says, or UnitWeight where they do not matter.
// Always inlined, so that what a callback keeps stays in registers over the edges. Nothing here
// switches tasks, but what the callbacks do. Any task may call it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// Positions [first, last) of a row.
struct RowPart {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// The positions of the neighbors in [begin, end).
inline RowPart part_between(std::span<const VertexId> row, std::int64_t begin, std::int64_t end) {
  const auto below = [&](std::int64_t bound) {
    const auto at = std::ranges::partition_point(row, [bound](VertexId v) { return v < bound; });
    return static_cast<std::size_t>(at - row.begin());
  };
  return {below(begin), below(end)};
}

namespace detail {

/// on_edge(neighbor, weight) for these positions of a row. By pointer: with an index GCC keeps the
/// row's address on the stack.
template <class Weights, class OnEdge>
[[gnu::always_inline]] inline void for_each_edge(std::span<const VertexId> row,
                                                 const Weights& weights, RowPart part,
                                                 const OnEdge& on_edge) {
  const VertexId* const end = row.data() + part.last;
  for (const VertexId* v = row.data() + part.first; v != end; ++v)
    on_edge(*v, weights[static_cast<std::size_t>(v - row.data())]);
}

/// send(core, hub) for each core of another locale that is home to neighbors of u, a hub of this
/// locale with this row of out-edges. Returns the positions of the neighbors on this locale.
template <class Send>
RowPart push_to_other_homes(const Graph& graph, VertexId u, std::span<const VertexId> row,
                            const Send& send) {
  const std::uint64_t hub = graph.place_of_hub(u);
  const RowPart mine = part_between(row, graph.locale_begin(), graph.locale_end());
  for (std::size_t k = 0; k < row.size();) {
    if (k == mine.first) k = mine.last;
    if (k == row.size()) break;
    const int core = graph.home(row[k]);
    send(core, hub);
    k = part_between(row, 0, (core + 1) * graph.vertices_per_core()).last;
  }
  return mine;
}

}  // namespace detail

/// on_edge(neighbor, weight) for the out-edges of u, ascending. But if u is a split hub, only for
/// those to vertices of this locale, after on_hub(core, hub) for each core that is to call
/// push_hub_edges() for the others. `out` is graph.out().
template <class W, class OnEdge, class OnHub>
[[gnu::always_inline]] inline void push_edges(const Graph& graph, const Adjacency& out, VertexId u,
                                              const OnEdge& on_edge, const OnHub& on_hub) {
  const std::span<const VertexId> row = out.neighbors(u);
  const auto weights = out.template weights<W>(u);
  RowPart part{0, row.size()};
  if (graph.is_split(row.size())) part = detail::push_to_other_homes(graph, u, row, on_hub);
  detail::for_each_edge(row, weights, part, on_edge);
}

/// on_edge(neighbor, weight) for the out-edges of a hub of another locale that lead to vertices of
/// the calling core.
template <class W, class OnEdge>
[[gnu::always_inline]] inline void push_hub_edges(const Graph& graph, std::uint64_t hub,
                                                  const OnEdge& on_edge) {
  const auto place = static_cast<std::int64_t>(hub);
  const Adjacency rows = graph.hub_rows();
  const std::span<const VertexId> row = rows.neighbors(place);
  const auto weights = rows.template weights<W>(place);
  const std::int64_t begin = this_core() * graph.vertices_per_core();
  const RowPart part = part_between(row, begin, begin + graph.vertices_per_core());
  detail::for_each_edge(row, weights, part, on_edge);
}

}  // namespace grappa::graph
