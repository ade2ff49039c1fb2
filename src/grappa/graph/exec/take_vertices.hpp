#pragma once

// The pull of a round, over a set of vertices that is a bitmap: each vertex that may be taken looks
// at its own edges, whose rows come in order, and says whether it is. No other core writes to it,
// and nothing is sent. push_edges.hpp is the other way.
//
//   const Taken taken = take_vertices(
//       first_word, last_word, out, [&](std::int64_t word) { return ~seen[word]; },
//       [&](VertexId v) { return std::ranges::any_of(in.neighbors(v), is_in_frontier); },
//       [&](std::int64_t word, std::uint64_t bits) { seen[word] |= next[word] = bits; });
//
// Nothing here switches tasks, but what the callbacks do.

#include <bit>
#include <cstdint>

#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"

namespace grappa::graph {

struct Taken {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;  // their degrees, added up
};

/// Of the vertices whose bits are set in candidates(word), for the words [first, last), takes those
/// for which takes(v); mark(word, bits) gets them word by word. All in ascending order.
template <class Candidates, class Takes, class Mark>
[[gnu::always_inline]] inline Taken take_vertices(std::int64_t first, std::int64_t last,
                                                  const Adjacency& degrees, Candidates candidates,
                                                  Takes takes, Mark mark) {
  Taken taken;
  for (std::int64_t word = first; word < last; ++word) {
    std::uint64_t bits = 0;
    for (std::uint64_t left = candidates(word); left != 0; left &= left - 1) {
      const auto v = static_cast<VertexId>(word * kBitsPerWord + std::countr_zero(left));
      if (!takes(v)) continue;
      bits |= left & -left;
      taken.arcs += degrees.degree(v);
    }
    taken.vertices += std::popcount(bits);
    mark(word, bits);
  }
  return taken;
}

}  // namespace grappa::graph
