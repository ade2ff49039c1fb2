#pragma once

// Two vertices as one word, for hashes of edges.

#include <cstdint>

#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::graph {

/// Vertices below 2^32 are both in the word unchanged, whatever the width of vertices, so no two
/// such pairs have the same word. The upper bits of larger ones are mixed in.
inline std::uint64_t word_of_pair(std::uint64_t a, std::uint64_t b) {
  if constexpr (kVertexBits == 32) {
    return a << 32 | b;
  } else {
    const std::uint64_t upper = (a >> 32) << 32 | b >> 32;
    return (a << 32 | (b & 0xffffffff)) ^ upper * 0x9e3779b97f4a7c15;
  }
}

}  // namespace grappa::graph
