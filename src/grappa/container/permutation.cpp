#include <bit>

#include "grappa/container/global_array.hpp"

namespace grappa::internal {
namespace {
constexpr int kRounds = 4;
}

Permutation::Permutation(std::uint64_t n) : n_(n) {
  const int bits = n <= 1 ? 2 : std::bit_width(n - 1);
  half_bits_ = (bits + 1) / 2;
}

std::uint64_t Permutation::round(std::uint64_t x, int r) const {
  x = (x + static_cast<std::uint64_t>(r + 1) * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
  return (x ^ x >> 29) * 0x94D049BB133111EBull >> (64 - half_bits_);
}

std::uint64_t Permutation::apply(std::uint64_t i) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = i >> half_bits_;
    std::uint64_t right = i & mask;
    for (int r = 0; r < kRounds; ++r) {
      const std::uint64_t next = left ^ round(right, r);
      left = right;
      right = next;
    }
    i = left << half_bits_ | right;
  } while (i >= n_);
  return i;
}

std::uint64_t Permutation::invert(std::uint64_t i) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = i >> half_bits_;
    std::uint64_t right = i & mask;
    for (int r = kRounds - 1; r >= 0; --r) {
      const std::uint64_t previous = right ^ round(left, r);
      right = left;
      left = previous;
    }
    i = left << half_bits_ | right;
  } while (i >= n_);
  return i;
}

}  // namespace grappa::internal
