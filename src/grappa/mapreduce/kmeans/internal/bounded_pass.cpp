#include "grappa/mapreduce/kmeans/internal/bounded_pass.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

namespace grappa::mapreduce::detail {

BoundedPass::BoundedPass(const PointBlocks& points, const MovingCenters& centers, Bounds& bounds,
                         Sums& sums)
    : points_(points),
      centers_(centers),
      bounds_(bounds),
      sums_(sums),
      block_(static_cast<std::size_t>(centers.dimensions()) * kLanes) {
  const auto size = static_cast<std::size_t>(points.blocks() * kLanes);
  const auto count = static_cast<std::size_t>(centers.count());
  bounds.labels.resize(size);
  bounds.ways.resize(size);
  bounds.waiting.resize(count * kLanes);
  bounds.waiting_sizes.resize(count);
}

void BoundedPass::begin(std::int64_t block) {
  const Nearest near = two_nearest_centers(points_.block(block), centers_.dimensions(),
                                           centers_.data(), centers_.count());
  const auto first = static_cast<std::size_t>(block * kLanes);
  const LaneFloats ways = ways_to_second(near);
  std::memcpy(bounds_.ways.data() + first, &ways, sizeof ways);
  const auto labels = __builtin_convertvector(near.label, LaneLabels);
  std::memcpy(bounds_.labels.data() + first, &labels, sizeof labels);
  sums_.add(points_.block(block), first_lanes(points_.points_of(block)), near);
}

void BoundedPass::add(std::int64_t block) {
  const auto first = static_cast<std::size_t>(block * kLanes);
  Nearest near{};
  near.label = load(bounds_.labels.data() + first);
  near.distance =
      distances_to(points_.block(block), centers_.dimensions(), centers_.data(), near.label);
  Lanes half{};
  for (int lane = 0; lane < kLanes; ++lane) half[lane] = centers_.half_way(near.label[lane]);
  const Lanes way = larger(load(bounds_.ways.data() + first) - centers_.shortened(), half);

  const unsigned lanes = first_lanes(points_.points_of(block));
  const unsigned certain = mask_of(centers_.rounding().is_nearer(near.distance, way)) & lanes;
  sums_.add(points_.block(block), certain, near);
  for (unsigned others = lanes & ~certain; others != 0; others &= others - 1) {
    const int lane = std::countr_zero(others);
    wait(block * kLanes + lane, near.label[lane]);
  }
}

void BoundedPass::finish() {
  for (std::int64_t label = 0; label < centers_.count(); ++label) search(label);
}

LaneFloats BoundedPass::ways_to_second(const Nearest& near) const {
  return floats_below(centers_.rounding().way_below(near.second) + centers_.shortened());
}

void BoundedPass::wait(std::int64_t point, std::int64_t label) {
  std::uint8_t& size = bounds_.waiting_sizes[static_cast<std::size_t>(label)];
  bounds_.waiting[static_cast<std::size_t>(label * kLanes + size)] = point;
  if (++size == kLanes) search(label);
}

/// Of the points that wait with this label.
void BoundedPass::search(std::int64_t label) {
  const int size = std::exchange(bounds_.waiting_sizes[static_cast<std::size_t>(label)], 0);
  if (size == 0) return;
  const std::int64_t* const points = bounds_.waiting.data() + label * kLanes;
  const auto dimensions = static_cast<std::size_t>(centers_.dimensions());
  std::array<const double*, kLanes> from;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t point = points[std::min(lane, size - 1)];
    from[static_cast<std::size_t>(lane)] = points_.block(point / kLanes) + point % kLanes;
  }
  for (std::size_t i = 0; i < dimensions * kLanes; i += kLanes) {
    store(block_.data() + i, Lanes{from[0][i], from[1][i], from[2][i], from[3][i], from[4][i],
                                   from[5][i], from[6][i], from[7][i]});
  }
  const Nearest near = two_nearest_of(block_.data(), centers_.dimensions(), centers_.data(),
                                      centers_.count(), static_cast<int>(label),
                                      centers_.around(static_cast<int>(label)), sums_.distances);
  const LaneFloats ways = ways_to_second(near);
  for (int lane = 0; lane < size; ++lane) {
    const auto point = static_cast<std::size_t>(points[lane]);
    bounds_.labels[point] = static_cast<std::uint32_t>(near.label[lane]);
    bounds_.ways[point] = ways[lane];
  }
  sums_.add(block_.data(), first_lanes(size), near);
}

}  // namespace grappa::mapreduce::detail
