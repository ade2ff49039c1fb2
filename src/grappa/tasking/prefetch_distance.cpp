#include "grappa/tasking/prefetch_distance.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {
namespace {

constexpr std::array kDistances{8, 12, 16, 24, 32};
constexpr int kUsualDistance = 16;  // where measuring fails
constexpr int kRounds = 3;
constexpr std::size_t kSpotBytes = 4096;  // as far apart as the tops of the smallest stacks
constexpr std::size_t kSpots = 8192;
constexpr std::size_t kSteps = 4096;  // of one walk

// Lines at the tops of pretended stacks, each of which holds what the one before left there: a
// switch, too, depends on what it loads. The order is random, but known beforehand, like a ready
// ring.
class Walk {
 public:
  Walk()
      : memory_(Mapping::reserve({.bytes = kSpots * kSpotBytes, .purpose = "a short measurement"})),
        order_(kSpots) {
    advise_small(memory_.data(), memory_.size());
    std::uint64_t random = 1;
    for (std::size_t i = 0; i < kSpots; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      const std::size_t at = random >> 33 & (kSpots - 1);
      order_[i] =
          reinterpret_cast<std::uint64_t*>(memory_.data() + at * kSpotBytes + (i % 16) * 64);
      *order_[i] = i;
    }
  }

  /// Nanoseconds of kSteps steps, beginning at step `from`.
  std::uint64_t time(std::size_t from, std::size_t distance) {
    const std::uint64_t start = now_ns();
    for (std::size_t i = from; i < from + kSteps; ++i) {
      __builtin_prefetch(order_[(i + distance) % kSpots], 1);
      std::uint64_t& word = *order_[i % kSpots];
      carried_ = (carried_ ^ word) * 0x9E3779B97F4A7C15;
      word = carried_;
    }
    return now_ns() - start;
  }

 private:
  Mapping memory_;
  std::vector<std::uint64_t*> order_;
  volatile std::uint64_t carried_ = 0;  // through memory, as a stack pointer is
};

int measure() {
  try {
    Walk walk;
    std::array<std::uint64_t, kDistances.size()> best;
    best.fill(UINT64_MAX);
    std::size_t from = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t d = 0; d < kDistances.size(); ++d) {
        best[d] = std::min(best[d], walk.time(from, static_cast<std::size_t>(kDistances[d])));
        from = (from + kSteps) % kSpots;
      }
    }
    // Of distances that are about as good the longest: it has most to spare on a loaded machine.
    const std::uint64_t least = *std::min_element(best.begin(), best.end());
    for (std::size_t d = kDistances.size(); d-- > 0;) {
      if (best[d] <= least + least / 32) return kDistances[d];
    }
  } catch (const Error&) {
    // No memory for it.
  }
  return kUsualDistance;
}

}  // namespace

int measured_prefetch_distance() {
  static const int distance = measure();
  return distance;
}

}  // namespace grappa::internal
