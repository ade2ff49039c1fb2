#pragma once

// DistinctSketch: about how many different values there are.
//
//   DistinctSketch sketch;
//   for (const std::uint64_t hash : all) sketch.add(hash);
//   sketch.merge(of_another_core);
//   use(sketch.estimate());
//
// HyperLogLog (Flajolet, Fusy, Gandouet, Meunier, AofA 2007) with 1,024 registers: a standard error
// of 3 %. For one core.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace grappa::query {

/// Whether it is worth the time.
enum class DistinctCounting : std::uint8_t { kLeftOut, kWanted };

class DistinctSketch {
 public:
  void add(std::uint64_t hash) {
    std::uint8_t& top = registers_[hash & (kRegisters - 1)];
    const auto zeros = static_cast<std::uint8_t>(std::countl_zero(hash | (kRegisters - 1)) + 1);
    top = std::max(top, zeros);
  }
  void merge(const DistinctSketch& other) {
    for (std::size_t i = 0; i < kRegisters; ++i)
      registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
  double estimate() const {
    double sum = 0;
    int empty = 0;
    for (const std::uint8_t top : registers_) {
      sum += std::ldexp(1.0, -top);
      empty += top == 0 ? 1 : 0;
    }
    constexpr double kCount = kRegisters;
    const double raw = 0.7213 / (1 + 1.079 / kCount) * kCount * kCount / sum;
    // Few values: count the registers that none has met.
    if (raw <= 2.5 * kCount && empty > 0) return kCount * std::log(kCount / empty);
    return raw;
  }

 private:
  static constexpr std::size_t kRegisters = 1024;
  std::array<std::uint8_t, kRegisters> registers_{};
};

}  // namespace grappa::query
