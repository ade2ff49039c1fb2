#include "grappa/mapreduce/kmeans/internal/starts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_set>

#include "grappa/container/key_traits.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/kmeans/internal/nearest.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::mapreduce::detail {
namespace {

using Vector = std::vector<double>;

/// The same numbers for a seed everywhere: SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(hash_number(seed)) {}
  /// Below n.
  std::int64_t below(std::int64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>((Wide{next()} * static_cast<std::uint64_t>(n)) >> 64);
  }
  /// In [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t next() { return hash_number(state_ += 0x9E3779B97F4A7C15u); }
  std::uint64_t state_;
};

/// Of the points of a core, the squared distances to the nearest center until now.
struct Distances {
  static constexpr std::int64_t kGroup = 128;  // blocks
  Vector of_points;  // [blocks * kLanes]; of what only fills up the last block, 0
  Vector of_groups;  // their sums

  explicit Distances(const PointBlocks& points)
      : of_points(static_cast<std::size_t>(points.blocks() * kLanes)),
        of_groups(static_cast<std::size_t>((points.blocks() + kGroup - 1) / kGroup)) {
    std::fill_n(of_points.begin(), points.size(), std::numeric_limits<double>::infinity());
  }
  Distances() = default;

  /// Lowers them to those from a new center. Returns their sum.
  double lower(const PointBlocks& points, int dimensions, const Vector& center) {
    double sum = 0;
    for (std::size_t group = 0; group < of_groups.size(); ++group) {
      const std::int64_t begin = static_cast<std::int64_t>(group) * kGroup;
      const std::int64_t end = std::min(points.blocks(), begin + kGroup);
      double of_group = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        of_group += lower_distances(points.block(i), dimensions, center.data(),
                                    of_points.data() + i * kLanes);
      }
      of_groups[group] = of_group;
      sum += of_group;
    }
    return sum;
  }

  /// The point at which the sum of the distances, added up one after the other, exceeds `wanted`;
  /// of rounding, the last one that has a distance.
  std::int64_t find(double wanted) const {
    std::size_t group = 0;
    while (group + 1 < of_groups.size() && wanted >= of_groups[group]) wanted -= of_groups[group++];
    const std::size_t end =
        std::min(of_points.size(), (group + 1) * static_cast<std::size_t>(kGroup) * kLanes);
    std::size_t found = 0;
    for (std::size_t i = group * static_cast<std::size_t>(kGroup) * kLanes; i < end; ++i) {
      if (of_points[i] > 0) found = i;
      if ((wanted -= of_points[i]) < 0) break;
    }
    return static_cast<std::int64_t>(found);
  }
};

class Chooser {
 public:
  explicit Chooser(const Points& points) : points_(points), exchange_(Exchange::create()) {}

  /// k different rows, by R. Floyd's algorithm (J. Bentley, "A sample of brilliance", CACM 30(9),
  /// 1987).
  Vector random(int k, Random& random) const {
    const std::vector<std::int64_t> sizes =
        gather_cores([points = points_] { return points.mine().size(); });
    std::unordered_set<std::int64_t> taken;
    Vector centers;
    for (std::int64_t last = points_.size() - k; last < points_.size(); ++last) {
      std::int64_t row = random.below(last + 1);
      if (!taken.insert(row).second) taken.insert(row = last);
      append(centers, point(sizes, row));
    }
    return centers;
  }

  Vector plus_plus(int k, Random& random) const {
    const Owned<CoreState<Distances>> distances = CoreState<Distances>::create();
    on_all_cores([points = points_, distances = *distances] {
      distances.mine() = Distances(points.mine());
    });
    Vector centers = this->random(1, random);
    const auto dimensions = static_cast<std::size_t>(points_.dimensions());
    const Owned<LocaleState<Vector>> shared = LocaleState<Vector>::create();
    while (centers.size() < static_cast<std::size_t>(k) * dimensions) {
      const std::span<const double> last = std::span(centers).last(dimensions);
      exchange_->broadcast(last);
      on_all_locales(
          [exchange = *exchange_, shared = *shared] { *shared = exchange.take<double>(0); });
      append(centers, next(*distances, *shared, random.fraction()));
    }
    return centers;
  }

 private:
  static void append(Vector& centers, const Vector& point) {
    centers.insert(centers.end(), point.begin(), point.end());
  }

  /// Of a core, in its order.
  Vector point_of(int core, std::int64_t index) const {
    return delegate::call(core, [points = points_, index] {
      Vector point;
      for (std::size_t d = 0; d < static_cast<std::size_t>(points.dimensions()); ++d)
        point.push_back(points.mine().coordinate(index, d));
      return point;
    });
  }
  /// Of all, in the order of the cores.
  Vector point(const std::vector<std::int64_t>& sizes, std::int64_t row) const {
    int core = 0;
    while (row >= sizes[static_cast<std::size_t>(core)])
      row -= sizes[static_cast<std::size_t>(core++)];
    return point_of(core, row);
  }

  /// A point, with a probability that grows with its distance.
  Vector next(const CoreState<Distances>& distances, const LocaleState<Vector>& last,
              double fraction) const {
    const Vector sums = gather_cores([points = points_, distances, last] {
      return distances.mine().lower(points.mine(), points.dimensions(), *last);
    });
    double wanted = fraction * std::accumulate(sums.begin(), sums.end(), 0.0);
    std::size_t core = 0;
    for (std::size_t i = 0; i < sums.size() && wanted >= 0; ++i) {
      if (sums[i] <= 0) continue;
      core = i;
      if (wanted < sums[i]) break;
      wanted -= sums[i];
    }
    const std::int64_t index = delegate::call(
        static_cast<int>(core), [distances, wanted] { return distances.mine().find(wanted); });
    return point_of(static_cast<int>(core), index);
  }

  const Points points_;
  const Owned<Exchange> exchange_;
};

}  // namespace

std::vector<double> choose_centers(const Points& points, const KMeansOptions& options) {
  const Chooser chooser(points);
  Random random(options.seed);
  return options.start == KMeansStart::kRandom ? chooser.random(options.k, random)
                                               : chooser.plus_plus(options.k, random);
}

}  // namespace grappa::mapreduce::detail
