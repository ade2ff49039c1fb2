#include "grappa/mapreduce/kmeans/kmeans.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/mapreduce/dataset.hpp"
#include "grappa/mapreduce/kmeans/internal/nearest.hpp"
#include "grappa/mapreduce/kmeans/internal/starts.hpp"
#include "grappa/mapreduce/kmeans/internal/sums.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::mapreduce {
namespace {

using detail::Sums;
using Vector = std::vector<double>;
using Centers = LocaleState<Vector>;

/// A block of points of the calling core.
struct Block {
  const double* values;
  int points;
};

/// A sum of squared distances.
double required_finite(double squares) {
  if (std::isfinite(squares)) return squares;
  throw UsageError(
      "the squares of the distances between the points are too large for double precision; scale "
      "the points down");
}

/// Below it sums of squares have lost bits, or all there was.
constexpr double kLeastSquares =
    std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();

/// The blocks, each at the core that has it.
struct BlocksSource {
  using Value = Block;
  Points points;
  void prepare() const {}
  std::int64_t finish() const { return 0; }
  template <class Sink>
  void run(Sink& sink) const {
    constexpr std::int64_t kBetweenYields = 4096;
    constexpr std::int64_t kAhead = 12;
    const PointBlocks& mine = points.mine();
    for (std::int64_t i = 0; i < mine.blocks(); ++i) {
      // The processor's own prefetching rests while the points of a block are added up.
      mine.prefetch(i + kAhead);
      sink(Block{mine.block(i),
                 static_cast<int>(std::min<std::int64_t>(kLanes, mine.size() - i * kLanes))});
      if (i % kBetweenYields == kBetweenYields - 1) yield();
    }
  }
};

class Lloyd {
 public:
  Lloyd(const Points& points, const KMeansOptions& options)
      : points_(points),
        options_(options),
        blocks_(BlocksSource{points}, detail::Resources(0)),
        shared_(Centers::create()),
        exchange_(Exchange::create()) {}

  KMeansResult run() {
    KMeansResult result;
    const double enough = options_.tolerance * required_finite(mean_variance());
    centers_ =
        options_.centers.empty() ? detail::choose_centers(points_, options_) : options_.centers;
    const std::uint64_t start = grappa::internal::now_ns();
    while (result.iterations < options_.iterations && !result.converged) {
      if (options_.progress) options_.progress(result.iterations + 1);
      result.converged = move_centers(assign(nullptr)) <= enough;
      ++result.iterations;
    }
    result.seconds_of_iterations = static_cast<double>(grappa::internal::now_ns() - start) * 1e-9;
    result.labels = Labels::create();
    Sums sums = assign(&*result.labels);
    result.sizes = std::move(sums.sizes);
    result.inertia = required_finite(sums.total_inertia());
    result.centers = std::move(centers_);
    return result;
  }

 private:
  /// What the points add to their nearest centers; and which these are, where somebody asks.
  Sums assign(const Labels* labels) {
    tell_centers();
    const int dimensions = points_.dimensions();
    const int k = options_.k;
    const auto add_block = [dimensions, k, shared = *shared_, keep = labels != nullptr,
                            to = labels == nullptr ? Labels() : *labels](Sums& sums,
                                                                         const Block& block) {
      const detail::Nearest near =
          detail::nearest_centers(block.values, dimensions, shared->data(), k);
      sums.add(block.values, block.points, near);
      for (int lane = 0; keep && lane < block.points; ++lane)
        to.mine().push_back(static_cast<std::uint32_t>(near.label[lane]));
    };
    return blocks_.fold([k, dimensions] { return Sums(k, dimensions); }, add_block,
                        [](Sums& all, const Sums& more) { all.add(more); });
  }

  void tell_centers() {
    exchange_->broadcast(centers_);
    on_all_locales(
        [exchange = *exchange_, shared = *shared_] { *shared = exchange.take<double>(0); });
  }

  /// Returns the sum of the squares of their ways.
  double move_centers(const Sums& sums) {
    const auto dimensions = static_cast<std::size_t>(points_.dimensions());
    double way = 0;
    for (std::size_t i = 0; i < centers_.size(); ++i) {
      const std::size_t center = i / dimensions;
      if (sums.sizes[center] == 0) continue;
      const double mean =
          sums.row(center)[i % dimensions] / static_cast<double>(sums.sizes[center]);
      const double moved = mean - centers_[i];
      centers_[i] += moved;
      way += moved * moved;
    }
    return way;
  }

  /// Of the columns, in two passes: their means first.
  double mean_variance() {
    const auto dimensions = static_cast<std::size_t>(points_.dimensions());
    Vector means = column_sums(Vector(dimensions), [](double x) { return x; });
    for (double& mean : means) mean /= static_cast<double>(points_.size());
    const double squares = sum_of(column_sums(means, [](double way) { return way * way; }));
    if (squares < kLeastSquares &&
        sum_of(column_sums(means, [](double way) { return std::abs(way); })) > 0) {
      throw UsageError(
          "the squares of the distances between the points are too small for double precision; "
          "scale the points up");
    }
    return squares / static_cast<double>(points_.size()) / static_cast<double>(dimensions);
  }

  static double sum_of(const Vector& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  /// Of what `f` makes of the ways from `from` to the points.
  template <class F>
  Vector column_sums(const Vector& from, F f) {
    exchange_->broadcast(from);
    on_all_locales(
        [exchange = *exchange_, shared = *shared_] { *shared = exchange.take<double>(0); });
    const auto take = [shared = *shared_, f](Vector& sums, const Block& block) {
      for (std::size_t d = 0; d < sums.size(); ++d) {
        for (int lane = 0; lane < block.points; ++lane) {
          sums[d] += f(block.values[d * kLanes + static_cast<std::size_t>(lane)] - (*shared)[d]);
        }
      }
    };
    return blocks_.fold([n = from.size()] { return Vector(n); }, take,
                        [](Vector& all, const Vector& more) {
                          for (std::size_t d = 0; d < all.size(); ++d) all[d] += more[d];
                        });
  }

  const Points points_;
  const KMeansOptions& options_;
  const Dataset<Block, BlocksSource> blocks_;
  const Owned<Centers> shared_;
  const Owned<Exchange> exchange_;
  Vector centers_;
};

}  // namespace

KMeansResult kmeans(const Points& points, const KMeansOptions& options) {
  if (options.k < 1 || options.k > points.size()) {
    throw UsageError(
        fmt::format("{} centers asked, but there are {} points", options.k, points.size()));
  }
  const std::size_t start = options.centers.size();
  const auto dimensions = static_cast<std::size_t>(points.dimensions());
  if (start > 0 && start != static_cast<std::size_t>(options.k) * dimensions) {
    throw UsageError(
        fmt::format("{} centers of {} coordinates were expected to start from, not {} "
                    "numbers",
                    options.k, dimensions, start));
  }
  return Lloyd(points, options).run();
}

}  // namespace grappa::mapreduce
