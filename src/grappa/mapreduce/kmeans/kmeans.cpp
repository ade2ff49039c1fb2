#include "grappa/mapreduce/kmeans/kmeans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/mapreduce/internal/stage.hpp"
#include "grappa/mapreduce/kmeans/internal/bounded_pass.hpp"
#include "grappa/mapreduce/kmeans/internal/moving_centers.hpp"
#include "grappa/mapreduce/kmeans/internal/nearest.hpp"
#include "grappa/mapreduce/kmeans/internal/pass_plan.hpp"
#include "grappa/mapreduce/kmeans/internal/starts.hpp"
#include "grappa/mapreduce/kmeans/internal/sums.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::mapreduce {
namespace {

using detail::PassPlan;
using detail::Sums;
using Vector = std::vector<double>;
using Shared = LocaleState<detail::MovingCenters>;

constexpr double kMostNeighbours = 1024;

/// A sum of squared distances.
double required_finite(double squares) {
  if (std::isfinite(squares)) return squares;
  throw UsageError(
      "the squares of the distances between the points are too large for double precision; scale "
      "the points down");
}

/// take(i) for each block of the calling core.
template <class Take>
void for_each_block(const PointBlocks& mine, Take take) {
  constexpr std::int64_t kBetweenYields = 4096;
  constexpr std::int64_t kAhead = 12;
  for (std::int64_t i = 0; i < mine.blocks(); ++i) {
    // The processor's own prefetching rests while the points of a block are added up.
    mine.prefetch(i + kAhead);
    take(i);
    if (i % kBetweenYields == kBetweenYields - 1) yield();
  }
}

/// What the cores return, added up in their order.
template <class F, class Add>
auto sum_of_cores(F f, Add add) {
  auto sums = detail::gather_values(f);
  for (std::size_t core = 1; core < sums.size(); ++core) add(sums.front(), sums[core]);
  return std::move(sums.front());
}

class Lloyd {
 public:
  Lloyd(const Points& points, const KMeansOptions& options)
      : points_(points),
        options_(options),
        plan_((points.size() + kLanes - 1) / kLanes, options.k, locale_count()),
        shared_(Shared::create(
            [dimensions = points.dimensions()] { return detail::MovingCenters(dimensions); })),
        bounds_(detail::CoreState<detail::Bounds>::create()),
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
    result.sizes.assign(sums.sizes.begin(), sums.sizes.end() - 1);
    result.inertia = required_finite(sums.total_inertia());
    result.centers = std::move(centers_);
    return result;
  }

 private:
  /// What the points add to their nearest centers; and which these are, where somebody asks.
  Sums assign(const Labels* labels) {
    const PassPlan::Pass pass = plan_.next(labels != nullptr);
    tell_centers();
    if (pass == PassPlan::Pass::kBounded) look_around();
    const Labels to = labels == nullptr ? Labels() : *labels;
    const Sums sums = pass == PassPlan::Pass::kAll
                          ? all_distances(to, labels != nullptr)
                          : few_distances(pass == PassPlan::Pass::kBegin, to, labels != nullptr);
    if (pass == PassPlan::Pass::kBounded) plan_.note(sums.distances);
    return sums;
  }

  Sums all_distances(Labels labels, bool keep) const {
    const auto of_core = [points = points_, shared = *shared_, labels, keep] {
      const detail::MovingCenters& centers = *shared;
      const PointBlocks& mine = points.mine();
      Sums sums(centers.count(), centers.dimensions());
      for_each_block(mine, [&](std::int64_t i) {
        const detail::Nearest near = detail::nearest_centers(mine.block(i), centers.dimensions(),
                                                             centers.data(), centers.count());
        sums.add(mine.block(i), detail::first_lanes(mine.points_of(i)), near);
        if (!keep) return;
        for (int lane = 0; lane < mine.points_of(i); ++lane)
          labels.mine().push_back(static_cast<std::uint32_t>(near.label[lane]));
      });
      return sums;
    };
    return sum_of_cores(of_core, [](Sums& all, const Sums& more) { all.add(more); });
  }

  Sums few_distances(bool begins, Labels labels, bool keep) const {
    const auto of_core = [points = points_, shared = *shared_, bounds = *bounds_, begins, labels,
                          keep] {
      const PointBlocks& mine = points.mine();
      Sums sums(shared->count(), shared->dimensions());
      detail::BoundedPass pass(mine, *shared, bounds.mine(), sums);
      if (begins)
        for_each_block(mine, [&](std::int64_t i) { pass.begin(i); });
      else
        for_each_block(mine, [&](std::int64_t i) { pass.add(i); });
      pass.finish();
      if (keep) {
        labels.mine() = std::move(bounds.mine().labels);
        labels.mine().resize(static_cast<std::size_t>(mine.size()));
      }
      return sums;
    };
    return sum_of_cores(of_core, [](Sums& all, const Sums& more) { all.add(more); });
  }

  void tell_centers() {
    exchange_->broadcast(centers_);
    on_all_locales(
        [exchange = *exchange_, shared = *shared_] { shared->move_to(exchange.take<double>(0)); });
  }

  /// The neighbours of the centers take no more than the points.
  void look_around() {
    const double room = 2.0 * static_cast<double>(points_.size()) * points_.dimensions() /
                        (static_cast<double>(options_.k) * locale_count());
    const int most = static_cast<int>(std::clamp(room, 1.0, kMostNeighbours));
    on_all_locales([shared = *shared_, most] { shared->prepare(most); });
    on_all_cores([shared = *shared_] {
      shared->look_around(this_core() - first_core_of(this_locale()), cores_per_locale());
    });
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
    if (squares < detail::kLeastSquares &&
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
    const Owned<LocaleState<Vector>> shared = LocaleState<Vector>::create();
    exchange_->broadcast(from);
    on_all_locales(
        [exchange = *exchange_, shared = *shared] { *shared = exchange.take<double>(0); });
    const auto of_core = [points = points_, shared = *shared, f] {
      const PointBlocks& mine = points.mine();
      Vector sums(shared->size());
      for_each_block(mine, [&](std::int64_t i) {
        const double* const block = mine.block(i);
        for (std::size_t d = 0; d < sums.size(); ++d) {
          for (int lane = 0; lane < mine.points_of(i); ++lane)
            sums[d] += f(block[d * kLanes + static_cast<std::size_t>(lane)] - (*shared)[d]);
        }
      });
      return sums;
    };
    return sum_of_cores(of_core, [](Vector& all, const Vector& more) {
      for (std::size_t d = 0; d < all.size(); ++d) all[d] += more[d];
    });
  }

  const Points points_;
  const KMeansOptions& options_;
  PassPlan plan_;
  const Owned<Shared> shared_;
  const Owned<detail::CoreState<detail::Bounds>> bounds_;
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
