#pragma once

// What the points of a core add to their nearest centers.
//
//   Sums sums(10, 6);                                      // of ten centers, in six dimensions
//   sums.add(blocks.block(0), kAllLanes, nearest_centers(blocks.block(0), 6, centers, 10));
//   const double x = sums.row(3)[0] / double(sums.sizes[3]);   // of the mean of those of center 3
//
// Trivially serializable; one task at a time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "grappa/mapreduce/kmeans/internal/nearest.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"

namespace grappa::mapreduce::detail {

struct Sums {
  Sums() = default;
  Sums(int k, int dimensions);

  /// Those of a block whose bits are set.
  void add(const double* block, unsigned lanes, const Nearest& near);
  void add(const Sums& more);

  /// Of the coordinates of a center's points.
  const double* row(std::size_t center) const { return values.data() + center * width; }
  double total_inertia() const;

  std::int64_t dimensions = 0;
  std::size_t width = 0;            // of a row: dimensions, rounded up to kLanes
  std::vector<double> values;       // [(k + 1) * width]; the last row takes what is left out
  std::vector<std::int64_t> sizes;  // [k + 1]
  std::array<double, kLanes> inertia{};
  std::int64_t distances = 0;  // of blocks to centers, that searches took
  static constexpr auto kMembers = std::tuple(&Sums::dimensions, &Sums::width, &Sums::values,
                                              &Sums::sizes, &Sums::inertia, &Sums::distances);
};

}  // namespace grappa::mapreduce::detail
