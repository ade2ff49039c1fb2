#pragma once

// A pseudo-random order of vertices, which every locale can tell without asking.

#include <cstdint>

namespace grappa::graph {

/// Different for different vertices: a bijection of 32-bit numbers (C. Wellons, "Prospecting for
/// hash functions", 2018: lowbias32).
inline std::uint32_t random_rank(std::uint32_t v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  v ^= v >> 16;
  return v;
}

}  // namespace grappa::graph
