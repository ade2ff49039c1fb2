#pragma once

// The nearest of many centers, for the points of a block at once: the inner loop of k-means.
//
//   Nearest near = nearest_centers(blocks.block(0), 6, centers, 10);
//   const double least = near.distance[0];  // of the first point to center near.label[0]
//
// Distances are squared ones. Vectors are those of GCC and Clang, which become the processor's.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "grappa/mapreduce/kmeans/points.hpp"

namespace grappa::mapreduce::detail {

using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;
using LaneNumbers [[gnu::vector_size(kLanes * sizeof(std::int64_t))]] = std::int64_t;

inline Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

struct Nearest {
  Lanes distance;
  LaneNumbers label;
};

/// Of `k` centers, a row of `dimensions` each.
Nearest nearest_centers(const double* block, int dimensions, const double* centers, int k);

/// Lowers each of the kLanes `distances` to the one from the center, and returns their sum.
double lower_distances(const double* block, int dimensions, const double* center,
                       double* distances);

}  // namespace grappa::mapreduce::detail
