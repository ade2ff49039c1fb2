#pragma once

// Sums over the edges of a vertex.

#include <cstddef>
#include <span>

#include "grappa/graph/graph.hpp"

namespace grappa::graph {

/// The sum of value[w] over a row, in four interleaved sums: the same to the last bit wherever it
/// is formed, and four additions at a time are on their way.
inline double sum_row(std::span<const VertexId> row, const double* value) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= row.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += value[row[i + k]];
  }
  for (std::size_t k = 0; i + k < row.size(); ++k) sums[k] += value[row[i + k]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace grappa::graph
