#include "grappa/mapreduce/kmeans/internal/nearest.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace grappa::mapreduce::detail {
namespace {

/// Apart from the choice of the label, as each center waits for the minimum of those before it.
Lanes smaller(Lanes a, Lanes b) {
#ifdef __AVX512F__
  return _mm512_maskz_min_pd(0xFF, a, b);  // GCC 12 warns of the other form
#else
  return a < b ? a : b;
#endif
}

[[gnu::always_inline]] inline void take_nearer(Nearest& near, Lanes distance, std::int64_t k) {
  const LaneNumbers nearer = distance < near.distance;
  near.distance = smaller(distance, near.distance);
  near.label = nearer ? LaneNumbers{} + k : near.label;
}

Nearest none() { return {Lanes{} + std::numeric_limits<double>::infinity(), LaneNumbers{}}; }

/// With all coordinates of the points in registers.
template <int kDimensions>
Nearest nearest_of(const double* block, const double* centers, int k) {
  std::array<Lanes, kDimensions> points;
  for (int d = 0; d < kDimensions; ++d)
    points[static_cast<std::size_t>(d)] = load(block + d * kLanes);
  Nearest near = none();
  for (int i = 0; i < k; ++i, centers += kDimensions) {
    Lanes distance{};
    for (int d = 0; d < kDimensions; ++d) {
      const Lanes way = points[static_cast<std::size_t>(d)] - centers[d];
      distance += way * way;
    }
    take_nearer(near, distance, i);
  }
  return near;
}

Lanes distance_to(const double* block, int dimensions, const double* center) {
  Lanes distance{};
  for (int d = 0; d < dimensions; ++d) {
    const Lanes way = load(block + d * kLanes) - center[d];
    distance += way * way;
  }
  return distance;
}

using Kernel = Nearest (*)(const double*, const double*, int);

template <std::size_t... i>
constexpr std::array<Kernel, sizeof...(i)> kernels(std::index_sequence<i...>) {
  return {&nearest_of<static_cast<int>(i) + 1>...};
}

constexpr auto kKernels = kernels(std::make_index_sequence<16>());

}  // namespace

Nearest nearest_centers(const double* block, int dimensions, const double* centers, int k) {
  if (static_cast<std::size_t>(dimensions) <= kKernels.size())
    return kKernels[static_cast<std::size_t>(dimensions) - 1](block, centers, k);
  Nearest near = none();
  for (int i = 0; i < k; ++i, centers += dimensions)
    take_nearer(near, distance_to(block, dimensions, centers), i);
  return near;
}

double lower_distances(const double* block, int dimensions, const double* center,
                       double* distances) {
  const Lanes distance = distance_to(block, dimensions, center);
  const Lanes before = load(distances);
  const Lanes now = smaller(distance, before);
  std::memcpy(distances, &now, sizeof now);
  double sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += now[lane];
  return sum;
}

}  // namespace grappa::mapreduce::detail
