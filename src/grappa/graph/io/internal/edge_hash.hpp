#pragma once

// Whether two lists hold the same undirected edges, without keeping either: by sums of hashes.
//
//   sum += hash_edge(low, high, weight);       // in each list; equal sums: equal lists, but for a
//                                              // chance of 2^-64

#include <bit>
#include <cstdint>

#include "grappa/graph/structure/internal/vertex_pair.hpp"

namespace grappa::graph::io {

inline std::uint64_t hash_edge(std::uint64_t low, std::uint64_t high, double weight) noexcept {
  std::uint64_t x =
      word_of_pair(low, high) + std::bit_cast<std::uint64_t>(weight) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace grappa::graph::io
