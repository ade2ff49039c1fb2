#include "grappa/mapreduce/kmeans/internal/nearest.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace grappa::mapreduce::detail {
namespace {

/// The minimum apart from the choice of the label, as each center waits for that before it.
template <bool kSecond>
[[gnu::always_inline]] inline void take_nearer(Nearest& near, Lanes distance, std::int64_t k) {
  const LaneNumbers nearer = distance < near.distance;
  if constexpr (kSecond) near.second = smaller(larger(distance, near.distance), near.second);
  near.distance = smaller(distance, near.distance);
  near.label = nearer ? LaneNumbers{} + k : near.label;
}

Nearest none() {
  const Lanes infinite = Lanes{} + std::numeric_limits<double>::infinity();
  return {infinite, LaneNumbers{}, infinite};
}

/// The points of a block, whose distances from a center it tells: with all coordinates in
/// registers,
template <int kDimensions>
class FewCoordinates {
 public:
  FewCoordinates(const double* block, int) {
    for (int d = 0; d < kDimensions; ++d)
      points_[static_cast<std::size_t>(d)] = load(block + d * kLanes);
  }
  [[gnu::always_inline]] Lanes operator()(const double* center) const {
    Lanes distance{};
    for (int d = 0; d < kDimensions; ++d) {
      const Lanes way = points_[static_cast<std::size_t>(d)] - center[d];
      distance += way * way;
    }
    return distance;
  }

 private:
  std::array<Lanes, kDimensions> points_;
};

/// or any number of them.
class Coordinates {
 public:
  Coordinates(const double* block, int dimensions) : block_(block), dimensions_(dimensions) {}
  Lanes operator()(const double* center) const {
    Lanes distance{};
    for (int d = 0; d < dimensions_; ++d) {
      const Lanes way = load(block_ + d * kLanes) - center[d];
      distance += way * way;
    }
    return distance;
  }

 private:
  const double* block_;
  int dimensions_;
};

template <bool kSecond>
struct AllCenters {
  const double* centers;
  int dimensions;
  int k;

  template <class Points>
  Nearest search(const Points& points) const {
    Nearest near = none();
    const double* center = centers;
    for (int i = 0; i < k; ++i, center += dimensions) take_nearer<kSecond>(near, points(center), i);
    return near;
  }
};

struct CentersAround {
  /// What a search takes besides, in distances.
  static constexpr int kOfSearch = 16;
  AllCenters<true> all;
  int label;
  const Neighbours& neighbours;
  std::int64_t& distances;

  template <class Points>
  Nearest search(const Points& points) const {
    Nearest near = none();
    take_nearer<true>(near, points(center(static_cast<std::uint32_t>(label))), label);
    const Rounding rounding(all.dimensions);
    const Lanes from_here = rounding.way_above(near.distance);
    int at = 0;
    while (!is_done(near, from_here, rounding, at) && at < neighbours.count) {
      for (const int end = std::min(at + Neighbours::kGroup, neighbours.count); at < end; ++at)
        take_nearer<true>(near, points(center(neighbours.labels[at])), neighbours.labels[at]);
    }
    distances += at + kOfSearch;
    // They did not come in the order in which the first of equal ones counts.
    const bool has_equal = mask_of(near.second == near.distance) != 0;
    if (!has_equal && is_done(near, from_here, rounding, at)) return near;
    distances += all.k;
    return all.search(points);
  }

  const double* center(std::uint32_t i) const {
    return all.centers + static_cast<std::size_t>(i) * static_cast<std::size_t>(all.dimensions);
  }
  /// Whether those from neighbour `at` on are farther than the second one.
  bool is_done(const Nearest& near, Lanes from_here, const Rounding& rounding, int at) const {
    const std::size_t group =
        (static_cast<std::size_t>(at) + Neighbours::kGroup - 1) / Neighbours::kGroup;
    const Lanes way = larger(neighbours.ways[group] - from_here, Lanes{});
    return mask_of(rounding.is_nearer(near.second, way)) == kAllLanes;
  }
};

template <class Search, class Points>
Nearest search_for(const double* block, const Search& search, int dimensions) {
  return search.search(Points(block, dimensions));
}

template <class Search>
using Kernel = Nearest (*)(const double*, const Search&, int);

template <class Search, std::size_t... i>
constexpr std::array<Kernel<Search>, sizeof...(i)> kernels(std::index_sequence<i...>) {
  return {&search_for<Search, FewCoordinates<static_cast<int>(i) + 1>>...};
}

template <class Search>
Nearest search_block(const double* block, int dimensions, const Search& search) {
  static constexpr auto kKernels = kernels<Search>(std::make_index_sequence<16>());
  const auto index = static_cast<std::size_t>(dimensions) - 1;
  return index < kKernels.size() ? kKernels[index](block, search, dimensions)
                                 : search_for<Search, Coordinates>(block, search, dimensions);
}

}  // namespace

Nearest nearest_centers(const double* block, int dimensions, const double* centers, int k) {
  return search_block(block, dimensions, AllCenters<false>{centers, dimensions, k});
}

Nearest two_nearest_centers(const double* block, int dimensions, const double* centers, int k) {
  return search_block(block, dimensions, AllCenters<true>{centers, dimensions, k});
}

Nearest two_nearest_of(const double* block, int dimensions, const double* centers, int k, int label,
                       const Neighbours& neighbours, std::int64_t& distances) {
  const AllCenters<true> all{centers, dimensions, k};
  return search_block(block, dimensions, CentersAround{all, label, neighbours, distances});
}

Lanes distances_to(const double* block, int dimensions, const double* center) {
  return Coordinates(block, dimensions)(center);
}

Lanes distances_to(const double* block, int dimensions, const double* centers,
                   const LaneNumbers& labels) {
  Lanes distance{};
  for (int begin = 0; begin < dimensions; begin += kLanes) {
    Square square;
    for (int lane = 0; lane < kLanes; ++lane)
      square[static_cast<std::size_t>(lane)] = load(centers + labels[lane] * dimensions + begin);
    transpose(square);
    for (int d = 0; d < kLanes; ++d) {  // unrolled, so that the square stays in registers
      if (d >= dimensions - begin) break;
      const Lanes way = load(block + (begin + d) * kLanes) - square[static_cast<std::size_t>(d)];
      distance += way * way;
    }
  }
  return distance;
}

double lower_distances(const double* block, int dimensions, const double* center,
                       double* distances) {
  const Lanes now = smaller(distances_to(block, dimensions, center), load(distances));
  store(distances, now);
  double sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += now[lane];
  return sum;
}

}  // namespace grappa::mapreduce::detail
