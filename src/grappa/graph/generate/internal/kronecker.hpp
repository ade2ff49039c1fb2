#pragma once

// Edges of a Kronecker graph, as Graph500 defines it: bit by bit, source and target choose one of
// the four quadrants of the adjacency matrix with probabilities 0.57, 0.19, 0.19 and 0.05.
//
//   const KroneckerEdges kronecker(seed, 20);
//   kronecker.fill(first, edges);               // edges first, first + 1, ...
//
// The bits are drawn five levels at a time, by Walker's alias method from the 1024 possible
// outcomes (M. Vose, A linear algorithm for generating random numbers with a given distribution,
// IEEE TSE 1991). The table is computed in integers, so it is the same on every processor.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/graph/generate/internal/counter_random.hpp"
#include "grappa/graph/generate/internal/id_permutation.hpp"
#include "grappa/graph/io/edge_list.hpp"

namespace grappa::graph::generate_detail {

class KroneckerEdges {
 public:
  KroneckerEdges(std::uint64_t seed, int scale);

  void fill(std::uint64_t first, std::span<Edge> edges) const;

 private:
  static constexpr int kLevels = 5;  // drawn at once
  static constexpr int kOutcomeBits = 2 * kLevels;
  static constexpr int kChanceBits = 32 - kOutcomeBits;  // a draw takes 32 random bits
  struct Entry {
    std::uint32_t chance;    // of the first outcome, of 2^kChanceBits
    std::uint32_t outcomes;  // the first in the lower half, the other above; either source bits
                             // above target bits
  };

  static std::vector<Entry> make_table();
  Edge draw_edge(const std::uint64_t* words) const noexcept;
  std::uint32_t draw(std::uint32_t bits) const noexcept;

  int scale_;
  std::uint64_t words_;  // random numbers for each edge
  std::vector<Entry> table_;
  CounterRandom random_;
  IdPermutation permute_;
};

}  // namespace grappa::graph::generate_detail
