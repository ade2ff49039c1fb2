#pragma once

// Where k-means begins.
//
//   std::vector<double> centers = choose_centers(points, {.k = 10, .seed = 7});
//
// Called by one task; switches tasks.

#include <vector>

#include "grappa/mapreduce/kmeans/kmeans.hpp"

namespace grappa::mapreduce::detail {

/// [k * dimensions]: points, by options.start and options.seed.
std::vector<double> choose_centers(const Points& points, const KMeansOptions& options);

}  // namespace grappa::mapreduce::detail
