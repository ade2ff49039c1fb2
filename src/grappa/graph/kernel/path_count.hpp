#pragma once

// Numbers of shortest paths, which grow exponentially with the length of the paths: a grid of
// 1500 x 1500 has 10^900 between opposite corners, more than a double can hold.
//
// Kernels count in doubles as long as nearly_too_great() says no, and in WidePathCount from then
// on; the functions below exist for both. Both round to 53 bits.
//
// add_shared() is for several cores at once on one element, the rest for one.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

#include "grappa/graph/row_sum.hpp"

namespace grappa::graph {

/// fraction * 2^(512 * exponent): zero, or a fraction in [2^-256, 2^256). Not negative.
struct WidePathCount {
  double fraction = 0;
  std::int64_t exponent = 0;
};

template <class T>
concept PathCount = std::same_as<T, double> || std::same_as<T, WidePathCount>;

namespace internal {

inline constexpr double kWideUnit = 0x1p512;
inline constexpr double kWideEnd = 0x1p256;
/// The exponent of an element while a core adds to it.
inline constexpr std::int64_t kWideLocked = std::numeric_limits<std::int64_t>::min();

inline WidePathCount normalised(WidePathCount x) {
  if (x.fraction >= kWideEnd) return {x.fraction / kWideUnit, x.exponent + 1};
  return x;
}

}  // namespace internal

inline bool is_zero(double x) { return x == 0; }
inline bool is_zero(WidePathCount x) { return x.fraction == 0; }

template <PathCount T>
T path_count(double x);
template <>
inline double path_count(double x) {
  return x;
}
/// Of what is less than 2^1000, and zero or more than 2^-256.
template <>
inline WidePathCount path_count(double x) {
  return internal::normalised(internal::normalised({x, 0}));
}

/// Whether sums of such numbers may come near to what a double can hold: 2^40 of them do not.
inline bool nearly_too_great(double x) { return !(x <= 0x1p960); }
inline bool nearly_too_great(WidePathCount) { return false; }

/// Returns whether the sum was zero.
inline bool add(double& sum, double x) {
  const bool first = sum == 0;
  sum += x;
  return first;
}
inline bool add(WidePathCount& sum, WidePathCount x) {
  if (is_zero(sum)) {
    sum = x;
    return true;
  }
  if (is_zero(x)) return false;
  // Two units apart, the smaller one is less than 2^-512 of the other.
  const std::int64_t apart = sum.exponent - x.exponent;
  if (apart == 0) {
    sum.fraction += x.fraction;
  } else if (apart == 1) {
    sum.fraction += x.fraction / internal::kWideUnit;
  } else if (apart < 0) {
    const double rest = apart == -1 ? sum.fraction / internal::kWideUnit : 0;
    sum = {x.fraction + rest, x.exponent};
  }
  sum = internal::normalised(sum);
  return false;
}

inline bool add_shared(double& sum, double x) {
  return std::atomic_ref(sum).fetch_add(x, std::memory_order_relaxed) == 0;
}
inline bool add_shared(WidePathCount& sum, WidePathCount x) {
  const std::atomic_ref exponent(sum.exponent);
  WidePathCount mine;
  do {
    mine.exponent = exponent.exchange(internal::kWideLocked, std::memory_order_acquire);
  } while (mine.exponent == internal::kWideLocked);
  mine.fraction = sum.fraction;
  const bool first = add(mine, x);
  sum.fraction = mine.fraction;
  exponent.store(mine.exponent, std::memory_order_release);
  return first;
}

/// 1/x of what is not zero.
inline double inverse(double x) { return 1 / x; }
inline WidePathCount inverse(WidePathCount x) {
  return internal::normalised({1 / x.fraction, -x.exponent});
}

/// x * y, which a double can hold, or zero where it is too small for that.
inline double product(double x, double y) { return x * y; }
inline double product(WidePathCount x, WidePathCount y) {
  const double fraction = x.fraction * y.fraction;
  const std::int64_t exponent = x.exponent + y.exponent;
  if (exponent == 0) return fraction;
  return std::ldexp(fraction, static_cast<int>(512 * std::clamp<std::int64_t>(exponent, -8, 8)));
}

inline WidePathCount sum_row(std::span<const VertexId> row, const WidePathCount* value) {
  WidePathCount sum;
  for (const VertexId w : row) add(sum, value[w]);
  return sum;
}

}  // namespace grappa::graph
