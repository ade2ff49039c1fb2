#pragma once

// Sums over the edges of a vertex.

#include <cstddef>
#include <span>

#include "grappa/graph/graph.hpp"

namespace grappa::graph {

/// The sum of value[w] over a row, in four interleaved sums: the same to the last bit wherever it
/// is formed, and four additions at a time are on their way.
template <class T>
T interleaved_sum(std::span<const VertexId> row, const T* value) {
  T sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= row.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += value[row[i + k]];
  }
  for (std::size_t k = 0; i + k < row.size(); ++k) sums[k] += value[row[i + k]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

inline double sum_row(std::span<const VertexId> row, const double* value) {
  return interleaved_sum(row, value);
}

/// Of numbers with 32 bits. Up to 64 of them are added up with 32 bits, and these sums with 64: the
/// error is below 2^-19 of a sum of positive numbers.
inline double sum_row(std::span<const VertexId> row, const float* value) {
  constexpr std::size_t kPart = 64;
  double sum = 0;
  for (; row.size() > kPart; row = row.subspan(kPart))
    sum += static_cast<double>(interleaved_sum(row.first(kPart), value));
  return sum + static_cast<double>(interleaved_sum(row, value));
}

}  // namespace grappa::graph
