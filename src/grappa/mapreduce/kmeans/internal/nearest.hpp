#pragma once

// The nearest of many centers, for the points of a block at once: the inner loops of k-means.
//
//   Nearest near = nearest_centers(blocks.block(0), 6, centers, 10);
//   const double least = near.distance[0];  // of the first point to center near.label[0]
//
// Distances are squared ones, but in names that say otherwise. Of centers that are equally near the
// first one counts. A distance is the same to the last bit, whichever function computes it.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "grappa/mapreduce/kmeans/internal/lanes.hpp"

namespace grappa::mapreduce::detail {

struct Nearest {
  Lanes distance;
  LaneNumbers label;
  Lanes second;  // that of the nearest one of the other centers, where it was asked
};

/// Of `k` centers, a row of `dimensions` each.
Nearest nearest_centers(const double* block, int dimensions, const double* centers, int k);
/// With the second one.
Nearest two_nearest_centers(const double* block, int dimensions, const double* centers, int k);

/// From the points to a center.
Lanes distances_to(const double* block, int dimensions, const double* center);
/// From each point to the center of its label. Behind the centers are kLanes numbers more.
Lanes distances_to(const double* block, int dimensions, const double* centers,
                   const LaneNumbers& labels);

/// Lowers each of the kLanes `distances` to the one from the center, and returns their sum.
double lower_distances(const double* block, int dimensions, const double* center,
                       double* distances);

/// Below it sums of squares have lost bits, or all there was.
inline constexpr double kLeastSquares =
    std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();

/// How far a computed distance can be from what it should be. A sum of d squares of differences is
/// wrong by less than (d + 3) times half an epsilon, and what has vanished is below kLeastSquares.
struct Rounding {
  explicit Rounding(int dimensions)
      : slack(4 * std::numeric_limits<double>::epsilon() * (dimensions + 8)) {}
  /// No less and no more than the way whose computed square is given.
  Lanes way_above(Lanes squares) const { return root(squares + kLeastSquares) * (1 + slack); }
  Lanes way_below(Lanes squares) const {
    return root(larger(squares - kLeastSquares, Lanes{})) * (1 - slack);
  }
  double way_above(double squares) const { return way_above(Lanes{} + squares)[0]; }
  double way_below(double squares) const { return way_below(Lanes{} + squares)[0]; }
  /// Where a computed distance is smaller than that of any center no nearer than `way`.
  LaneNumbers is_nearer(Lanes distance, Lanes way) const {
    return distance * (1 + slack) + kLeastSquares < way * way;
  }
  double slack;
};

/// The centers around one of them, in about the order of their distances from it.
struct Neighbours {
  static constexpr int kGroup = 16;
  const std::uint32_t* labels;
  int count;
  /// A center that is in group i, or in a later one, is at least ways[i] away; and one that is not
  /// among them, the last of these.
  const float* ways;
};

/// As two_nearest_centers(), for points that are likely to be near the center of `label`: only as
/// many of its neighbours are looked at as can be among the two nearest. Adds to `distances` how
/// many were, and what a search takes besides.
Nearest two_nearest_of(const double* block, int dimensions, const double* centers, int k, int label,
                       const Neighbours& neighbours, std::int64_t& distances);

}  // namespace grappa::mapreduce::detail
