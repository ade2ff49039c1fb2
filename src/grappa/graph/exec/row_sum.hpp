#pragma once

// Sums over the edges of a vertex: of values[w] for the neighbors w in a row. Eight interleaved
// sums are added up in a fixed order, so a sum is the same to the last bit wherever it is formed,
// and many reads are in flight at a time. Where the compiler may use AVX-512, one instruction reads
// eight values: reads are what these sums cost, and with fewer instructions more reads fit into the
// processor's window.

#include <cstddef>
#include <cstdint>
#include <span>

#include "grappa/graph/structure/graph.hpp"

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>
#define GRAPPA_ROW_SUM_GATHERS 1
#endif

namespace grappa::graph {
namespace detail {

inline constexpr std::size_t kSums = 8;

inline double in_order(const double (&sums)[kSums]) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// Of a row with fewer than eight neighbors.
template <class T>
double short_row_sum(std::span<const VertexId> row, const T* values) {
  double sums[kSums] = {};
  for (std::size_t k = 0; k < kSums - 1; ++k) {  // so that compilers unroll it
    if (k == row.size()) break;
    sums[k] = static_cast<double>(values[row[k]]);
  }
  return in_order(sums);
}

#if defined(GRAPPA_ROW_SUM_GATHERS)

/// Of the neighbors that are wanted; zeros for the others, which are not read.
inline __m512d gather(__mmask8 wanted, __m512i neighbors, const double* values) {
  return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), wanted, neighbors, values, sizeof(double));
}
inline __m512d gather(__mmask8 wanted, __m512i neighbors, const float* values) {
  return _mm512_maskz_cvtps_pd(wanted, _mm512_mask_i64gather_ps(_mm256_setzero_ps(), wanted,
                                                                neighbors, values, sizeof(float)));
}
inline __m512i load_neighbors(__mmask8 wanted, const std::uint32_t* row) {
  return _mm512_maskz_cvtepu32_epi64(wanted, _mm256_maskz_loadu_epi32(wanted, row));
}
inline __m512i load_neighbors(__mmask8 wanted, const std::int64_t* row) {
  return _mm512_maskz_loadu_epi64(wanted, row);
}

template <class T>
double long_row_sum(std::span<const VertexId> row, const T* values) {
  constexpr __mmask8 kAll = 0xff;
  __m512d sums = _mm512_setzero_pd();
  std::size_t i = 0;
  for (; i + kSums <= row.size(); i += kSums)
    sums = _mm512_add_pd(sums, gather(kAll, load_neighbors(kAll, &row[i]), values));
  if (i < row.size()) {
    const auto rest = static_cast<__mmask8>((1u << (row.size() - i)) - 1);
    sums = _mm512_add_pd(sums, gather(rest, load_neighbors(rest, &row[i]), values));
  }
  alignas(64) double each[kSums];
  _mm512_store_pd(each, sums);
  return in_order(each);
}

#else

template <class T>
double long_row_sum(std::span<const VertexId> row, const T* values) {
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= row.size(); i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += static_cast<double>(values[row[i + k]]);
  }
  for (std::size_t k = 0; i + k < row.size(); ++k)
    sums[k] += static_cast<double>(values[row[i + k]]);
  return in_order(sums);
}

#endif

}  // namespace detail

/// The sum of values[w] over the neighbors w. T is double or float; the sum is formed in doubles.
template <class T>
double sum_row(std::span<const VertexId> row, const T* values) {
  if (row.size() < detail::kSums) return detail::short_row_sum(row, values);
  return detail::long_row_sum(row, values);
}

}  // namespace grappa::graph

#undef GRAPPA_ROW_SUM_GATHERS
