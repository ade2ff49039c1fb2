#include "bench/chase_lists.hpp"

#include <algorithm>

#include "bench/measure.hpp"

namespace grappa::bench {

CyclicOrder::CyclicOrder(int bits, std::uint64_t seed)
    : mask_((std::uint64_t{1} << bits) - 1), shift_(std::max(1, (bits + 1) / 2)) {
  // Full period modulo a power of two: a is 1 modulo 4, c is odd.
  multiplier_ = (mix(4 * seed + 1) & ~std::uint64_t{3}) | 1;
  increment_ = mix(4 * seed + 2) | 1;
  factor_ = mix(4 * seed + 3) | 1;
  // Newton's iteration: each step doubles the number of low bits that are right, from three.
  inverse_ = factor_;
  for (int right = 3; right < 64; right *= 2) inverse_ *= 2 - factor_ * inverse_;
}

std::uint64_t CyclicOrder::scatter(std::uint64_t state) const {
  std::uint64_t x = state & mask_;
  x ^= x >> shift_;
  x = x * factor_ & mask_;
  x ^= x >> shift_;
  x = x * factor_ & mask_;
  return x ^ x >> shift_;
}

std::uint64_t CyclicOrder::gather(std::uint64_t number) const {
  std::uint64_t x = number ^ number >> shift_;
  x = x * inverse_ & mask_;
  x ^= x >> shift_;
  x = x * inverse_ & mask_;
  return x ^ x >> shift_;
}

std::uint64_t CyclicOrder::at(std::uint64_t step) const {
  // `step` times the map x -> a x + c, by squaring it.
  std::uint64_t state = 0;
  std::uint64_t a = multiplier_;
  std::uint64_t c = increment_;
  for (; step != 0; step >>= 1) {
    if ((step & 1) != 0) state = state * a + c;
    c += a * c;
    a *= a;
  }
  return scatter(state);
}

void NodeCycle::build() {
  const std::uint64_t length = order_.length();
  for (std::uint64_t i = 0; i < length; ++i) nodes_[i] = {nodes_ + order_.after(i), 0};
}

std::uint64_t NodeCycle::sum_of_data() const {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < order_.length(); ++i) sum += nodes_[i].data;
  return sum;
}

}  // namespace grappa::bench
