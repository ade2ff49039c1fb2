#include "grappa/mapreduce/kmeans/points.hpp"

namespace grappa::mapreduce {

void PointBlocks::add(const double* coordinates) {
  const auto lane = static_cast<std::size_t>(count_ % kLanes);
  const std::size_t width = dimensions_ * kLanes;
  if (lane == 0) values_.resize(values_.size() + width);
  double* const block = values_.data() + (values_.size() - width);
  for (std::size_t d = 0; d < dimensions_; ++d) block[d * kLanes + lane] = coordinates[d];
  ++count_;
}

void PointBlocks::fill_up() {
  const auto used = static_cast<std::size_t>(count_ % kLanes);
  if (used == 0) return;
  double* const block = values_.data() + (values_.size() - dimensions_ * kLanes);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    for (std::size_t lane = used; lane < kLanes; ++lane)
      block[d * kLanes + lane] = block[d * kLanes + used - 1];
  }
}

}  // namespace grappa::mapreduce
