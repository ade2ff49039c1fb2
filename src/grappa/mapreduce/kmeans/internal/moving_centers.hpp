#pragma once

// Where the centers of k-means are, how far they have moved, and what is around each.
//
//   MovingCenters centers(6);                 // dimensions
//   centers.move_to(coordinates);
//   centers.prepare(512);
//   centers.look_around(0, 1);                // the first of one core, and so the work of all
//   const double half = centers.half_way(3);  // what is nearer to center 3 is nearest to it
//   centers.move_to(other_coordinates);       // and they look around again
//
// On each locale the same, but for look_around(), whose shares its cores do together. Takes about
// k * most * 4 bytes for the neighbours of k centers, `most` of each. All that it says of distances
// holds in spite of rounding.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/kmeans/internal/nearest.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"

namespace grappa::mapreduce::detail {

class MovingCenters {
 public:
  explicit MovingCenters(int dimensions = 0) : dimensions_(dimensions), rounding_(dimensions) {}

  void move_to(std::vector<double> centers);

  /// Finds up to `most` neighbours of each center, and half_way().
  void prepare(int most);
  /// Share `part` of `parts` of that.
  void look_around(int part, int parts);

  int dimensions() const { return dimensions_; }
  int count() const { return static_cast<int>(half_ways_.size()); }
  const Rounding& rounding() const { return rounding_; }
  /// [count * dimensions], and kLanes numbers more.
  const double* data() const { return centers_.data(); }

  /// Half the way from a center to the nearest other one, or less.
  double half_way(std::int64_t center) const {
    return half_ways_[static_cast<std::size_t>(center)];
  }
  /// By how much any way to a center can have become shorter, from the beginning until now.
  double shortened() const { return shortened_; }
  Neighbours around(int center) const;

 private:
  void look_around(int center, std::vector<std::uint32_t>& rings);

  int dimensions_;
  Rounding rounding_;
  std::vector<double> centers_;
  double shortened_ = 0;
  std::vector<double> half_ways_;  // [count]
  PointBlocks blocks_;             // the centers
  std::size_t most_ = 0;
  std::vector<int> counts_;     // [count]
  Bulk<std::uint32_t> labels_;  // [count * most]
  Bulk<float> ways_;            // [count * (most / kGroup + 1)]
};

/// No more than the numbers, and not below 0: what a way needs in memory.
LaneFloats floats_below(Lanes numbers);

}  // namespace grappa::mapreduce::detail
