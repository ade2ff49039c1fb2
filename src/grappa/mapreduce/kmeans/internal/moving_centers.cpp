#include "grappa/mapreduce/kmeans/internal/moving_centers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "grappa/parallel/runtime.hpp"

namespace grappa::mapreduce::detail {
namespace {

/// Squared distances fall into rings, eight of which double them: the beginning of a float.
constexpr int kRingShift = 20;
constexpr std::uint32_t kRings = 256;  // above the first one that has a center
constexpr double kHair = 1e-7;         // more than a float's rounding

LaneLabels rings_of(Lanes squares) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const Lanes less = smaller(Lanes{} + kMost, squares * (1 - kHair));
  return std::bit_cast<LaneLabels>(__builtin_convertvector(less, LaneFloats)) >> kRingShift;
}

/// No center of the ring is nearer.
double squares_of(std::uint32_t ring) {
  return static_cast<double>(std::bit_cast<float>(ring << kRingShift));
}

/// Of groups, and of what is behind them.
std::size_t ways_of(std::size_t most) {
  return (most + Neighbours::kGroup - 1) / Neighbours::kGroup + 1;
}

}  // namespace

LaneFloats floats_below(Lanes numbers) {
  constexpr double kLeast = std::numeric_limits<float>::min();
  constexpr double kMost = std::numeric_limits<float>::max();
  const Lanes less = smaller(Lanes{} + kMost, numbers * (1 - kHair));
  return __builtin_convertvector(less < kLeast ? Lanes{} : less, LaneFloats);
}

void MovingCenters::move_to(std::vector<double> centers) {
  const auto dimensions = static_cast<std::size_t>(dimensions_);
  const std::size_t count = centers.size() / dimensions;
  centers.resize(centers.size() + kLanes);
  const std::vector<double> before = std::exchange(centers_, std::move(centers));
  half_ways_.resize(count);
  double most = 0;
  for (std::size_t i = 0; i < count && !before.empty(); ++i) {
    double squares = 0;
    for (std::size_t d = i * dimensions; d < (i + 1) * dimensions; ++d)
      squares += (centers_[d] - before[d]) * (centers_[d] - before[d]);
    most = std::max(most, squares);
  }
  shortened_ = (shortened_ + rounding_.way_above(most)) * (1 + rounding_.slack);
}

void MovingCenters::prepare(int most) {
  most_ = static_cast<std::size_t>(most);
  blocks_ = PointBlocks(dimensions_);
  for (std::size_t i = 0; i < half_ways_.size(); ++i)
    blocks_.add(centers_.data() + i * static_cast<std::size_t>(dimensions_));
  blocks_.fill_up();
  counts_.resize(half_ways_.size());
  labels_.resize(half_ways_.size() * most_);
  ways_.resize(half_ways_.size() * ways_of(most_));
}

void MovingCenters::look_around(int part, int parts) {
  const auto [begin, end] = grappa::internal::slice_of(0, count(), part, parts, 1);
  std::vector<std::uint32_t> rings(static_cast<std::size_t>(blocks_.blocks() * kLanes));
  for (std::int64_t center = begin; center < end; ++center)
    look_around(static_cast<int>(center), rings);
}

/// Sorts the others by their rings.
void MovingCenters::look_around(int center, std::vector<std::uint32_t>& rings) {
  const auto me = static_cast<std::size_t>(center);
  const double* const from = data() + me * static_cast<std::size_t>(dimensions_);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const auto count = static_cast<std::size_t>(this->count());
  Lanes least_of_lanes = Lanes{} + kInfinite;
  for (std::int64_t block = 0; block < blocks_.blocks(); ++block) {
    Lanes squares = distances_to(blocks_.block(block), dimensions_, from);
    if (block == center / kLanes) {
      const std::size_t end = me + 1 == count ? kLanes : me % kLanes + 1;  // copies of the last one
      for (std::size_t lane = me % kLanes; lane < end; ++lane) squares[lane] = kInfinite;
    }
    const LaneLabels of_block = rings_of(squares);
    std::memcpy(rings.data() + block * kLanes, &of_block, sizeof of_block);
    least_of_lanes = smaller(squares, least_of_lanes);
  }
  double least = kInfinite;
  for (int lane = 0; lane < kLanes; ++lane) least = std::min(least, least_of_lanes[lane]);
  half_ways_[me] = std::isfinite(least) ? rounding_.way_below(least) / 2 : 0;

  const std::uint32_t first = rings_of(Lanes{} + least)[0];
  const auto index_of = [first](std::uint32_t ring) { return std::min(ring - first, kRings - 1); };
  std::array<std::uint32_t, kRings + 1> begins{};
  rings[me] = first + kRings;  // in the last one, which is left out
  for (std::size_t i = 0; i < count; ++i) ++begins[index_of(rings[i]) + 1];
  std::uint32_t end = 0;
  while (end < kRings - 1 && begins[end] + begins[end + 1] <= most_) {
    begins[end + 1] += begins[end];
    ++end;
  }
  const std::uint32_t found = begins[end];
  std::uint32_t* const labels = labels_.data() + me * most_;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t index = index_of(rings[i]);
    if (index < end) labels[begins[index]++] = static_cast<std::uint32_t>(i);
  }

  counts_[me] = static_cast<int>(found);
  const auto least_way = [this](std::uint32_t ring) {
    return floats_below(Lanes{} + rounding_.way_below(squares_of(ring)))[0];
  };
  float* way = ways_.data() + me * ways_of(most_);
  for (std::uint32_t i = 0; i < found; i += Neighbours::kGroup)
    *way++ = least_way(rings[labels[i]]);
  *way = found + 1 == count ? std::numeric_limits<float>::infinity() : least_way(first + end);
}

Neighbours MovingCenters::around(int center) const {
  const auto i = static_cast<std::size_t>(center);
  return {labels_.data() + i * most_, counts_[i], ways_.data() + i * ways_of(most_)};
}

}  // namespace grappa::mapreduce::detail
