#pragma once

// Division by a number that is fixed at run time, without a divide instruction.
//
//   const FastDivider by_cores(core_count);
//   std::uint64_t q = by_cores.divide(address);
//   std::uint64_t r = by_cores.modulo(address);
//   auto [quotient, remainder] = by_cores.divide_modulo(address);
//
// Exact for every 64-bit unsigned dividend and every divisor from 1 to 2^64 - 1. Powers of two are
// shifts and masks; others cost one high multiplication, two shifts, an add and a subtract (the
// round-up method of Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication", PLDI 1994, figure 4.1).
// The divisor 0 is refused with UsageError. Immutable, so usable from any thread.

#include <bit>
#include <cstdint>

#include "grappa/base/error.hpp"

namespace grappa::internal {

/// Divides unsigned 64-bit numbers by a divisor that is fixed when it is made.
class FastDivider {
 public:
  struct Result {
    std::uint64_t quotient;
    std::uint64_t remainder;
  };

  constexpr FastDivider() noexcept = default;  // divides by 1

  /// Throws UsageError if `divisor` is 0.
  constexpr explicit FastDivider(std::uint64_t divisor) : divisor_(divisor) {
    if (divisor == 0) throw UsageError("FastDivider: the divisor is 0, at least 1 is needed");
    if (std::has_single_bit(divisor)) {
      shift_ = std::countr_zero(divisor);
      return;
    }
    // With 2^(l-1) < d < 2^l the exact reciprocal needs 65 bits; its top one is implied.
    const int l = std::bit_width(divisor);
    const Wide power = l == 64 ? Wide{0} : Wide{1} << l;  // modulo 2^64: the difference is exact
    const std::uint64_t excess = static_cast<std::uint64_t>(power) - divisor;
    multiplier_ = static_cast<std::uint64_t>((Wide{excess} << 64) / divisor) + 1;
    shift_ = l - 1;
  }

  constexpr std::uint64_t divisor() const noexcept { return divisor_; }

  constexpr std::uint64_t divide(std::uint64_t n) const noexcept {
    if (multiplier_ == 0) return n >> shift_;
    const auto high = static_cast<std::uint64_t>((Wide{n} * multiplier_) >> 64);
    return (high + ((n - high) >> 1)) >> shift_;
  }

  constexpr std::uint64_t modulo(std::uint64_t n) const noexcept {
    if (multiplier_ == 0) return n & (divisor_ - 1);
    return n - divide(n) * divisor_;
  }

  constexpr Result divide_modulo(std::uint64_t n) const noexcept {
    const std::uint64_t quotient = divide(n);
    return {quotient, n - quotient * divisor_};
  }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t divisor_ = 1;
  std::uint64_t multiplier_ = 0;  // 0: a power of two
  int shift_ = 0;
};

}  // namespace grappa::internal
