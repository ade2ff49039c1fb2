#include "grappa/mapreduce/kmeans/internal/sums.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

namespace grappa::mapreduce::detail {
Sums::Sums(int k, int of_dimensions)
    : dimensions(of_dimensions),
      width(static_cast<std::size_t>((of_dimensions + kLanes - 1) / kLanes * kLanes)),
      values(static_cast<std::size_t>(k + 1) * width),
      sizes(static_cast<std::size_t>(k + 1)) {}

void Sums::add(const double* block, unsigned lanes, const Nearest& near) {
  LaneNumbers label = near.label;
  Lanes distance = near.distance;
  for (unsigned left_out = ~lanes & kAllLanes; left_out != 0; left_out &= left_out - 1) {
    const int lane = std::countr_zero(left_out);
    label[lane] = std::ssize(sizes) - 1;
    distance[lane] = 0;
  }
  for (std::int64_t d = 0; d < dimensions; d += kLanes) {
    Square square{};
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kLanes, dimensions - d));
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (i < count) square[i] = load(block + (static_cast<std::size_t>(d) + i) * kLanes);
    }
    transpose(square);
    for (int lane = 0; lane < kLanes; ++lane) {
      double* const to = values.data() + static_cast<std::size_t>(label[lane]) * width + d;
      store(to, load(to) + square[static_cast<std::size_t>(lane)]);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) ++sizes[static_cast<std::size_t>(label[lane])];
  store(inertia.data(), load(inertia.data()) + distance);
}

void Sums::add(const Sums& more) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += more.values[i];
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += more.sizes[i];
  for (std::size_t i = 0; i < inertia.size(); ++i) inertia[i] += more.inertia[i];
  distances += more.distances;
}

double Sums::total_inertia() const { return std::accumulate(inertia.begin(), inertia.end(), 0.0); }

}  // namespace grappa::mapreduce::detail
