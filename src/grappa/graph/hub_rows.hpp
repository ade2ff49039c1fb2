#pragma once

// Pushing along the edges of split hubs (BuildOptions::split_degree). What a hub sends to its
// neighbors goes once to each core of another locale that is home to some of them; that core finds
// these in a row in its own locale's memory. Without splitting, each edge is a message. (R. Pearce,
// M. Gokhale, N. Amato, "Faster parallel traversal of scale free graphs at extreme scale with
// vertex delegates", SC 2014, section III; here only out-edges are delegated, as kernels that
// gather read copies of the values.)
//
//   RowPart part{0, row.size()};                          // at the home of u
//   if (graph.is_split(row.size())) {
//     part = push_to_other_homes(graph, u, row, [&](int core, std::uint64_t hub) {
//       delegate::async::call(core, Message{hub});
//     });
//   }
//   for (std::size_t k = part.first; k < part.last; ++k) use(row[k]);   // the neighbors here
//
// and in Message::operator():
//   const auto [row, weights, mine] = hub_row_here<W>(graph, hub);
//   for (std::size_t k = mine.first; k < mine.last; ++k) use(row[k], weights[k]);
//
// Nothing here switches tasks. Any task may call it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "grappa/graph/graph.hpp"

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

/// send(core, hub) for each core of another locale that is home to neighbors of u, a hub of this
/// locale with this row of out-edges. Returns the positions of the neighbors on this locale.
template <class Send>
RowPart push_to_other_homes(const Graph& graph, VertexId u, std::span<const VertexId> row,
                            Send send) {
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

/// The row of a hub of another locale: its neighbors on this locale, the weights of the edges to
/// them, and the positions of those whose home is the calling core.
template <class W>
struct HubRow {
  std::span<const VertexId> neighbors;
  decltype(std::declval<const Adjacency&>().template weights<W>(0)) weights;
  RowPart mine;
};

template <class W>
HubRow<W> hub_row_here(const Graph& graph, std::uint64_t hub) {
  const auto place = static_cast<std::int64_t>(hub);
  const Adjacency rows = graph.hub_rows();
  const std::span<const VertexId> row = rows.neighbors(place);
  const std::int64_t begin = this_core() * graph.vertices_per_core();
  return {row, rows.template weights<W>(place),
          part_between(row, begin, begin + graph.vertices_per_core())};
}

}  // namespace grappa::graph
