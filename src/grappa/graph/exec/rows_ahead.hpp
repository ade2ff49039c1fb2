#pragma once

// Loops over vertices in no order that read the row of each: the rows of those to come are
// prefetched, and before that the offsets that say where these rows are.
//
//   for_each_ahead(out, queue, first, last, [&](std::int64_t i) {
//     for (VertexId w : out.neighbors(queue[i])) …
//   });
//
// Nothing here switches tasks, but what the callbacks do.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// Prefetches for the entries behind the first one of `rest`, of which vertex_of(entry) is the
/// vertex.
template <class Entry, class VertexOf = std::identity>
[[gnu::always_inline]] inline void prefetch_ahead(const Adjacency& rows,
                                                  std::span<const Entry> rest,
                                                  VertexOf vertex_of = {}) {
  if (tuning::kOffsetsAhead < rest.size())
    rows.prefetch_offset(std::invoke(vertex_of, rest[tuning::kOffsetsAhead]));
  if (tuning::kRowsAhead < rest.size())
    rows.prefetch_lines(std::invoke(vertex_of, rest[tuning::kRowsAhead]));
}

/// use(i) for the entries i of [first, last) of a list. Prefetches go beyond `last`, up to the end
/// of the list, as other grains of it are likely to be next.
template <class Entry, class Use, class VertexOf = std::identity>
[[gnu::always_inline]] inline void for_each_ahead(const Adjacency& rows,
                                                  std::span<const Entry> list, std::int64_t first,
                                                  std::int64_t last, const Use& use,
                                                  VertexOf vertex_of = {}) {
  for (std::int64_t i = first; i < last; ++i) {
    prefetch_ahead(rows, list.subspan(static_cast<std::size_t>(i)), vertex_of);
    use(i);
  }
}

}  // namespace grappa::graph
