#pragma once

// A pseudo-random order of vertices that every locale can compute by itself.

#include <cstdint>
#include <type_traits>

#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::graph {

inline constexpr int kRandomRankBits = kVertexBits == 32 ? 32 : 48;
using RandomRank = std::conditional_t<kVertexBits == 32, std::uint32_t, std::uint64_t>;

/// Different for different vertices: a bijection of the lower 32 bits of their numbers (C. Wellons,
/// "Prospecting for hash functions", 2018: lowbias32). In a build with wider numbers, the upper
/// bits are mixed into it and follow it, so vertices below 2^32 have the same order in any build.
inline RandomRank random_rank(VertexId vertex) {
  auto v = static_cast<std::uint32_t>(vertex);
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  v ^= v >> 16;
  if constexpr (kVertexBits == 32) {
    return v;
  } else {
    static_assert(kMaxVertices <= std::int64_t{1} << kRandomRankBits);
    const auto upper = static_cast<std::uint32_t>(vertex >> 32);
    return RandomRank{v ^ upper * 0x9e3779b9u} << (kRandomRankBits - 32) | upper;
  }
}

}  // namespace grappa::graph
