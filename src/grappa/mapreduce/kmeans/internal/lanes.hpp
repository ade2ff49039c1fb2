#pragma once

// Vectors of a coordinate, or of a distance, of the points of a block.
//
//   Lanes first = load(blocks.block(0));           // the first coordinates
//   Lanes squares = first * first;
//   bool all_small = mask_of(squares < 4.0) == kAllLanes;
//
// They are those of GCC and Clang, which become the processor's.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "grappa/mapreduce/kmeans/points.hpp"

#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

namespace grappa::mapreduce::detail {

using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;
using LaneNumbers [[gnu::vector_size(kLanes * sizeof(std::int64_t))]] = std::int64_t;
/// What they are in memory.
using LaneFloats [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using LaneLabels [[gnu::vector_size(kLanes * sizeof(std::uint32_t))]] = std::uint32_t;

inline Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
inline Lanes load(const float* from) {
  LaneFloats lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return __builtin_convertvector(lanes, Lanes);
}
inline LaneNumbers load(const std::uint32_t* from) {
  LaneLabels lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return __builtin_convertvector(lanes, LaneNumbers);
}
inline void store(double* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

/// Where one of the two is no number, b.
inline Lanes smaller(Lanes a, Lanes b) {
#ifdef __AVX512DQ__
  return _mm512_maskz_min_pd(0xFF, a, b);  // GCC 12 warns of the other form
#else
  return a < b ? a : b;
#endif
}
inline Lanes larger(Lanes a, Lanes b) {
#ifdef __AVX512DQ__
  return _mm512_maskz_max_pd(0xFF, a, b);
#else
  return a > b ? a : b;
#endif
}

inline Lanes root(Lanes squares) {
#ifdef __AVX512DQ__
  return _mm512_maskz_sqrt_pd(0xFF, squares);
#else
  for (int lane = 0; lane < kLanes; ++lane) squares[lane] = std::sqrt(squares[lane]);
  return squares;
#endif
}

/// A bit for each.
inline unsigned first_lanes(int count) { return (1u << count) - 1; }
inline constexpr unsigned kAllLanes = (1u << kLanes) - 1;

/// A bit for each lane of the result of a comparison.
inline unsigned mask_of(LaneNumbers is) {
#ifdef __AVX512DQ__
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(is));
#else
  unsigned mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) mask |= (is[lane] & 1) << lane;
  return mask;
#endif
}

using Square = std::array<Lanes, kLanes>;

/// Changes the halves of two rows, in pieces of `step`.
template <int step, int... i>
void swap_pieces(Lanes& a, Lanes& b, std::integer_sequence<int, i...>) {
  const Lanes low = __builtin_shufflevector(a, b, ((i & step) != 0 ? kLanes + i - step : i)...);
  const Lanes high = __builtin_shufflevector(a, b, ((i & step) != 0 ? kLanes + i : i + step)...);
  a = low;
  b = high;
}

template <int step>
void swap_pieces(Square& rows) {
  for (int i = 0; i < kLanes; ++i) {
    if ((i & step) != 0) continue;
    swap_pieces<step>(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(i) + step],
                      std::make_integer_sequence<int, kLanes>());
  }
}

/// Rows become columns: a coordinate of each point becomes the coordinates of a point, and the
/// other way round.
inline void transpose(Square& rows) {
  static_assert(kLanes == 8);
  swap_pieces<1>(rows);
  swap_pieces<2>(rows);
  swap_pieces<4>(rows);
}

}  // namespace grappa::mapreduce::detail
