#pragma once

// Vertices numbered by degree, the largest first, in two passes.
//
//   classes.data()[v] = degree_class(degree);         // for all vertices, on every locale
//   Replica<VertexId> rank = rank_by_class(classes, n);
//
// Degrees are compared to within an eighth, which is good enough for what the order is used for and
// leaves few distinct values, so that a counting sort does it. Vertices of one class keep their
// order, so ranks are the same whatever the number of cores and locales.

#include <bit>
#include <cstdint>

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// Ascends with the degree: each degree below 8 is a class of its own; above, each power of two has
/// eight classes.
inline std::uint8_t degree_class(std::int64_t degree) {
  const auto d = static_cast<std::uint64_t>(degree);
  if (d < 8) return static_cast<std::uint8_t>(d);
  const int exponent = std::bit_width(d) - 1;
  return static_cast<std::uint8_t>((exponent - 2) * 8 + static_cast<int>(d >> (exponent - 3) & 7));
}

/// The place of each of the vertices 0 ... n-1 by descending class. Called by one task; switches
/// tasks.
Replica<VertexId> rank_by_class(const Replica<std::uint8_t>& classes, std::int64_t n);

}  // namespace grappa::graph
