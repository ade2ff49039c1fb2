#pragma once

// A pass over the points of a core that computes few of their distances to the centers.
//
//   Bounds bounds;                                  // of the core, from pass to pass
//   BoundedPass pass(points, centers, bounds, sums);
//   for (std::int64_t i = 0; i < points.blocks(); ++i) pass.begin(i);   // the first time
//   pass.finish();
//   // Later, when the centers have moved and looked around:
//   BoundedPass next(points, centers, bounds, more_sums);
//   for (std::int64_t i = 0; i < points.blocks(); ++i) next.add(i);
//   next.finish();
//
// Of each point the label is kept, and how near any other center can be: less, as centers move (G.
// Hamerly, "Making k-means even faster", SDM 2010). A point that is nearer to its own center, or
// within half the way from that to the next center, has no other one. Those of which this is not
// certain wait until there is a block of them with one label. It is then compared with the
// neighbours of that center, the nearest ones first, until all that are left are too far from it
// (J. Newling and F. Fleuret, "Fast k-means with accurate bounds", ICML 2016).
//
// One task. Labels are those that computing all distances finds.

#include <cstdint>
#include <vector>

#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/kmeans/internal/moving_centers.hpp"
#include "grappa/mapreduce/kmeans/internal/nearest.hpp"
#include "grappa/mapreduce/kmeans/internal/sums.hpp"
#include "grappa/mapreduce/kmeans/points.hpp"

namespace grappa::mapreduce::detail {

/// Of the points of a core; 8 bytes each.
struct Bounds {
  Bulk<std::uint32_t> labels;  // [blocks * kLanes]
  /// Ways that no other center is within, when the centers have come no nearer than at the
  /// beginning: plus MovingCenters::shortened() at the time.
  Bulk<float> ways;  // [blocks * kLanes]
  // Points that wait, for each center.
  std::vector<std::int64_t> waiting;        // [k * kLanes]
  std::vector<std::uint8_t> waiting_sizes;  // [k]
};

class BoundedPass {
 public:
  BoundedPass(const PointBlocks& points, const MovingCenters& centers, Bounds& bounds, Sums& sums);

  /// Of nothing that is known.
  void begin(std::int64_t block);
  void add(std::int64_t block);
  void finish();

 private:
  LaneFloats ways_to_second(const Nearest& near) const;
  void wait(std::int64_t point, std::int64_t label);
  void search(std::int64_t label);

  const PointBlocks& points_;
  const MovingCenters& centers_;
  Bounds& bounds_;
  Sums& sums_;
  std::vector<double> block_;  // of points that have waited
};

}  // namespace grappa::mapreduce::detail
