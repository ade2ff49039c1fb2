#pragma once

// k-means: k centers such that the sum of the squared distances of all points to their nearest
// center (the inertia) is small.
//
//   const Owned<Points> points = read_points({.paths = {"points.csv"}});
//   const KMeansResult result = kmeans(*points, {.k = 10, .seed = 7});
//   fmt::print("{} after {} iterations\n", result.inertia, result.iterations);
//
// Lloyd's algorithm (S. Lloyd, "Least squares quantization in PCM", IEEE Trans. Information Theory
// 28(2), 1982): each core adds up its points by their nearest centers. A center without points
// stays where it is. Of centers that are equally near the first one counts.
//
// Where it pays, bounds tell for most points that their center is still the nearest, and that few
// others need be looked at for the rest (internal/bounded_pass.hpp): the labels are the same.
// Whether it pays is decided by the numbers of points and centers, and by how many distances the
// iterations before have taken. It takes 8 bytes a point more, and for the neighbours of the
// centers up to 4 KiB a center and locale, but no more than the points take.
//
// Starts: k different points at random; or, by default, k-means++ (D. Arthur and S. Vassilvitskii,
// "k-means++: the advantages of careful seeding", SODA 2007), each next one with a probability that
// grows with the square of its distance to those before. Or centers that are given.
//
// The iterations end when the centers have moved by no more than the tolerance: the sum of the
// squares of their ways is at most `tolerance` times the mean variance of the columns (as in
// scikit-learn); or after `iterations`. Labels and inertia are those of the last centers.
//
// The same on any number of cores and locales, but for the rounding of sums.
// Errors: UsageError for more centers than points, for a start with other numbers, and for points
// whose squared distances are too large or too small for double precision. Called by one task;
// switches tasks.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::mapreduce {

enum class KMeansStart : std::uint8_t { kPlusPlus, kRandom };

struct KMeansOptions {
  int k = 8;
  KMeansStart start = KMeansStart::kPlusPlus;
  std::uint64_t seed = 0;
  std::vector<double> centers = {};  // [k * dimensions]: these are the start instead
  std::int64_t iterations = 300;     // at most
  double tolerance = 1e-4;
  std::function<void(std::int64_t iteration)> progress = {};
};

/// The centers of the points of a core, in their order.
using Labels = detail::CoreState<detail::Bulk<std::uint32_t>>;

struct KMeansResult {
  std::vector<double> centers;      // [k * dimensions]
  std::vector<std::int64_t> sizes;  // [k], points
  double inertia = 0;
  std::int64_t iterations = 0;
  bool converged = false;
  double seconds_of_iterations = 0;
  Owned<Labels> labels;
};

KMeansResult kmeans(const Points& points, const KMeansOptions& options);

}  // namespace grappa::mapreduce
