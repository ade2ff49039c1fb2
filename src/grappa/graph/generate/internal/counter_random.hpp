#pragma once

// Random numbers by index: number i of a stream, without those before it.
//
//   CounterRandom random(seed, kEdgeStream);
//   uint64_t bits = random(i);
//
// The numbers are those of SplitMix64 (G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom
// number generators, OOPSLA 2014), whose state is a counter. Streams of one seed are independent.

#include <cstdint>

namespace grappa::graph::generate_detail {

inline constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class CounterRandom {
 public:
  constexpr CounterRandom(std::uint64_t seed, std::uint64_t stream) noexcept
      : start_(mix(mix(seed + kStep) ^ (stream * kStep))) {}

  constexpr std::uint64_t operator()(std::uint64_t index) const noexcept {
    return mix(start_ + (index + 1) * kStep);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t start_;
};

// Which stream serves what.
enum : std::uint64_t {
  kEdgeStream = 1,
  kPermutationStream = 2,
  kWeightStream = 3,
  kSourceStream = 4,
  kFactorStream = 5
};

}  // namespace grappa::graph::generate_detail
