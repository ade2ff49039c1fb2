#pragma once

// Numbers of shortest paths, which grow exponentially with the length of the paths: a grid of
// 1500 x 1500 has 10^900 between opposite corners, more than a double can hold.
//
// Kernels count in doubles as long as nearly_too_great() returns false, and in WidePathCount from
// then on; the functions below exist for both. Both have 8 bytes, and all bits of a zero are zero,
// so an array of doubles becomes one of wide counts in place. Doubles round to 53 bits, wide counts
// to 45.
//
// Several cores may use add_paths<false>() on one element at once; all else is for one.

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>

#include "grappa/graph/exec/row_sum.hpp"

namespace grappa::graph {

/// Zero, or (1 + fraction / 2^44) * 2^exponent, with `exponent` from -2^19 to 2^19: stored like a
/// double, except that eight bits of the fraction belong to the exponent and there is no sign. So
/// greater numbers have greater bits.
struct WidePathCount {
  std::uint64_t bits = 0;
};

template <class T>
concept PathCount = std::same_as<T, double> || std::same_as<T, WidePathCount>;

namespace detail {

inline constexpr int kWideFractionBits = 44;
inline constexpr std::uint64_t kWideOne = std::uint64_t{1} << kWideFractionBits;
inline constexpr std::int64_t kWideBias = 1 << 19;
// Additions have some bits more, to round.
inline constexpr int kWideGuardBits = 8;
inline constexpr int kDoubleFractionBits = 52;
inline constexpr std::int64_t kDoubleBias = 1023;

/// 1 and the fraction.
inline std::uint64_t significand(WidePathCount x) { return kWideOne | (x.bits & (kWideOne - 1)); }
inline std::int64_t exponent(WidePathCount x) {
  return static_cast<std::int64_t>(x.bits >> kWideFractionBits) - kWideBias;
}

/// (significand / 2^52) * 2^exponent; a significand from 2^52 to 2^53.
inline WidePathCount rounded(std::uint64_t significand, std::int64_t exponent) {
  const std::uint64_t shorter =
      (significand + (1 << (kWideGuardBits - 1))) >> kWideGuardBits;  // may be 2^45
  return {(static_cast<std::uint64_t>(exponent + kWideBias) << kWideFractionBits) +
          (shorter - kWideOne)};
}

/// x * 2^exponent; x is positive, not the least of doubles.
inline WidePathCount scaled(double x, std::int64_t exponent) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t kOne = std::uint64_t{1} << kDoubleFractionBits;
  const auto of_x = static_cast<std::int64_t>(bits >> kDoubleFractionBits) - kDoubleBias;
  return rounded(kOne | (bits & (kOne - 1)), of_x + exponent);
}

/// The significand as a double, from 1 to 2.
inline double unit_part(WidePathCount x) {
  return static_cast<double>(significand(x)) / static_cast<double>(kWideOne);
}

}  // namespace detail

inline bool is_zero(double x) { return x == 0; }
inline bool is_zero(WidePathCount x) { return x.bits == 0; }

template <PathCount T>
T path_count(double x);
template <>
inline double path_count(double x) {
  return x;
}
/// x is zero, or more than 2^-1000.
template <>
inline WidePathCount path_count(double x) {
  return x == 0 ? WidePathCount{} : detail::scaled(x, 0);
}

/// Whether sums of such numbers, or sums of such sums, may come near the limit of the type; sums of
/// up to 2^40 numbers for which this is false do not.
inline bool nearly_too_great(double x) { return !(x <= 0x1p920); }
inline bool nearly_too_great(WidePathCount x) {
  return x.bits > static_cast<std::uint64_t>(detail::kWideBias + (1 << 18))
                      << detail::kWideFractionBits;
}

inline double plus(double x, double y) { return x + y; }
inline WidePathCount plus(WidePathCount x, WidePathCount y) {
  using namespace detail;
  const WidePathCount less{std::min(x.bits, y.bits)};
  const WidePathCount more{std::max(x.bits, y.bits)};
  if (is_zero(less)) return more;
  const std::int64_t power = exponent(more);
  const std::int64_t apart = std::min<std::int64_t>(power - exponent(less), 63);
  const std::uint64_t sum =
      (significand(more) << kWideGuardBits) + (significand(less) << kWideGuardBits >> apart);
  const int carry = static_cast<int>(sum >> (kDoubleFractionBits + 1));
  return rounded(sum >> carry, power + carry);
}

/// Adds to a sum; returns whether it was zero. kAlone: no other core adds to it. Inlined by order:
/// it is run for each edge, and GCC would call it for wide counts.
template <bool kAlone, PathCount T>
[[gnu::always_inline]] inline bool add_paths(T& sum, T more) {
  if constexpr (kAlone) {
    const T before = sum;
    sum = plus(before, more);
    return is_zero(before);
  } else {
    const std::atomic_ref shared(sum);
    T before = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(before, plus(before, more), std::memory_order_relaxed)) {
    }
    return is_zero(before);
  }
}

/// 1/x of what is not zero.
inline double inverse(double x) { return 1 / x; }
inline WidePathCount inverse(WidePathCount x) {
  return detail::scaled(1 / detail::unit_part(x), -detail::exponent(x));
}

/// x * y, which a double must be able to hold; zero if it is too small for one.
inline double product(double x, double y) { return x * y; }
inline double product(WidePathCount x, WidePathCount y) {
  if (is_zero(x) || is_zero(y)) return 0;
  const double units = detail::unit_part(x) * detail::unit_part(y);
  const std::int64_t exponent = detail::exponent(x) + detail::exponent(y);
  if (exponent < -1000) return 0;
  return units * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + detail::kDoubleBias)
                                       << detail::kDoubleFractionBits);
}

inline WidePathCount sum_row(std::span<const VertexId> row, const WidePathCount* value) {
  WidePathCount sum;
  for (const VertexId w : row) sum = plus(sum, value[w]);
  return sum;
}

}  // namespace grappa::graph
