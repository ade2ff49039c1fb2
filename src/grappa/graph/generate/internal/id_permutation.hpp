#pragma once

// A pseudorandom permutation of 0 ... 2^bits - 1 that needs no table.
//
//   IdPermutation permute(seed, 20);
//   VertexId id = permute(5);
//
// Rounds of steps that each can be undone: adding, multiplying by an odd number modulo 2^bits, and
// xoring the upper half of the bits onto the lower.

#include <cstdint>

#include "grappa/graph/generate/internal/counter_random.hpp"
#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::graph::generate_detail {

class IdPermutation {
 public:
  IdPermutation(std::uint64_t seed, int bits) noexcept
      : mask_((std::uint64_t{1} << bits) - 1), shift_(bits - bits / 2) {
    const CounterRandom random(seed, kPermutationStream);
    std::uint64_t index = 0;
    for (int round = 0; round < kRounds; ++round) {
      factors_[round] = random(index++) | 1;
      summands_[round] = random(index++);
    }
  }

  VertexId operator()(std::uint64_t id) const noexcept {
    for (int round = 0; round < kRounds; ++round) {
      id = ((id + summands_[round]) * factors_[round]) & mask_;
      id ^= id >> shift_;
    }
    return static_cast<VertexId>(id);
  }

 private:
  static constexpr int kRounds = 4;

  std::uint64_t mask_;
  int shift_;
  std::uint64_t factors_[kRounds];
  std::uint64_t summands_[kRounds];
};

}  // namespace grappa::graph::generate_detail
