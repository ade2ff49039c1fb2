#pragma once

// Edges of a Kronecker graph, as Graph500 defines it: bit by bit, source and target choose one of
// the four quadrants of the adjacency matrix with probabilities 0.57, 0.19, 0.19 and 0.05.
//
//   const KroneckerEdges edges(seed, 20);
//   Edge edge = edges(i);
//
// The bits are drawn five levels at a time, by Walker's alias method from the 1024 possible
// outcomes (M. Vose, A linear algorithm for generating random numbers with a given distribution,
// IEEE TSE 1991). The table is made in integers: it is the same on every processor.

#include <cstdint>
#include <vector>

#include "grappa/graph/generate/counter_random.hpp"
#include "grappa/graph/generate/id_permutation.hpp"
#include "grappa/graph/io/edge_list.hpp"

namespace grappa::graph::generate_detail {

class KroneckerEdges {
 public:
  KroneckerEdges(std::uint64_t seed, int scale);

  Edge operator()(std::uint64_t index) const noexcept {
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    std::uint64_t counter = index * words_;
    for (int levels = scale_; levels > 0; levels -= 2 * kLevels) {
      const std::uint64_t bits = random_(counter++);
      draw(static_cast<std::uint32_t>(bits), levels, source, target);
      draw(static_cast<std::uint32_t>(bits >> 32), levels - kLevels, source, target);
    }
    return {permute_(source), permute_(target)};
  }

 private:
  static constexpr int kLevels = 5;  // drawn at once
  static constexpr int kOutcomeBits = 2 * kLevels;
  static constexpr int kChanceBits = 32 - kOutcomeBits;
  struct Entry {
    std::uint32_t chance;   // of the outcome that has this entry's number, of 2^kChanceBits
    std::uint16_t outcome;  // source bits above target bits
    std::uint16_t alias;    // the other outcome
  };

  static std::vector<Entry> make_table();

  // Appends up to kLevels bits to source and target; none where `levels` is not positive.
  void draw(std::uint32_t bits, int levels, std::uint64_t& source,
            std::uint64_t& target) const noexcept {
    const int taken = levels < 0 ? 0 : levels < kLevels ? levels : kLevels;
    const Entry& entry = table_[bits >> kChanceBits];
    const bool own = (bits & ((std::uint32_t{1} << kChanceBits) - 1)) < entry.chance;
    const std::uint32_t outcome = own ? entry.outcome : entry.alias;
    source = source << taken | outcome >> (kOutcomeBits - taken);
    target = target << taken | (outcome & ((1u << kLevels) - 1)) >> (kLevels - taken);
  }

  int scale_;
  std::uint64_t words_;  // random numbers for each edge
  std::vector<Entry> table_;
  CounterRandom random_;
  IdPermutation permute_;
};

}  // namespace grappa::graph::generate_detail
