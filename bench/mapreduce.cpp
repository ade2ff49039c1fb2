// bench mapreduce: what datasets are made of, in memory: sorting numbers, adding up by key, and an
// iteration of k-means.
//
// `sort`: pseudo-random 64-bit integers in ascending order (--numbers), twice in a turn, of which
// the second time counts. `reduce`: as many numbers added up by a key, of which there are a
// thousandth as many. `kmeans`: an iteration on --points points of six columns and --centers
// centers. Baseline of sort, `std`: std::sort on one core.
// Check: what is sorted is in order and has the sum it had; the sums by key have the right sum; the
// sizes of all centers add up to the points.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/error.hpp"
#include "grappa/grappa.hpp"
#include "grappa/mapreduce/dataset.hpp"
#include "grappa/mapreduce/kmeans/kmeans.hpp"

namespace grappa::bench {
namespace {

using mapreduce::generate;

std::int64_t number(std::int64_t i) {
  return static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(i)));
}

/// The numbers of a core, and whether they are in order.
struct Ordered {
  std::int64_t count = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::uint64_t sum = 0;
  bool in_order = true;
};

class MapReduce final : public Benchmark {
 public:
  MapReduce() : Benchmark("mapreduce", "sorting, adding up by key, and k-means, in memory") {}

  void add_options(Options& options) override {
    options.add_count("--numbers", numbers_, 1, std::int64_t{1} << 32, "to sort, and to add up");
    options.add_count("--points", points_, 1, std::int64_t{1} << 32, "of k-means");
    options.add_count("--centers", centers_, 1, 1'000'000, "of k-means");
    options.add_trials(trials_);
    options.add_choice("--baseline", baseline_, {"std"},
                       "also, in turn: std: std::sort of the numbers, on one core");
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    if (!baseline_.empty()) config.stall_ns = 0;  // a baseline keeps its core
    grappa::run(config, [&] { measure(report); });
  }

 private:
  double sort() const {
    const auto numbers = generate(numbers_, [](std::int64_t i) { return number(i); }).cache();
    const auto as_unsigned = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    const std::uint64_t sum = numbers.map(as_unsigned).reduce(std::uint64_t{0}, std::plus<>());
    const std::uint64_t start = internal::now_ns();
    const auto sorted = numbers.sort();
    const double seconds = seconds_since(start);
    const auto check = [](Ordered& all, std::int64_t x) {
      if (all.count++ == 0) all.first = all.last = x;
      all.in_order = all.in_order && all.last <= x;
      all.last = x;
      all.sum += static_cast<std::uint64_t>(x);
    };
    const auto merge = [](Ordered& all, const Ordered& more) {
      if (more.count == 0) return;
      if (all.count == 0) {
        all = more;
        return;
      }
      all.in_order = all.in_order && more.in_order && all.last <= more.first;
      all.last = more.last;
      all.count += more.count;
      all.sum += more.sum;
    };
    const Ordered all = sorted.fold([] { return Ordered(); }, check, merge);
    if (!all.in_order || all.count != numbers_ || all.sum != sum)
      throw Error("bench mapreduce: the numbers are not sorted");
    return seconds;
  }

  double sort_baseline() const {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(numbers_));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = number(static_cast<std::int64_t>(i));
    return seconds_of([&] { std::sort(numbers.begin(), numbers.end()); });
  }

  double reduce() const {
    const std::int64_t keys = numbers_ / 1000 + 1;
    const auto pairs = generate(numbers_, [keys](std::int64_t i) {
      return std::pair(static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(i)) %
                                                 static_cast<std::uint64_t>(keys)),
                       i);
    });
    const std::uint64_t start = internal::now_ns();
    const auto sums = pairs.reduce_by_key(std::plus<>());
    const double seconds = seconds_since(start);
    const std::int64_t sum = sums.map([](const auto& pair) { return pair.second; })
                                 .reduce(std::int64_t{0}, std::plus<>());
    if (sum != numbers_ * (numbers_ - 1) / 2)
      throw Error("bench mapreduce: the sums by key do not add up");
    return seconds;
  }

  double iterate(const mapreduce::Points& points) const {
    const mapreduce::KMeansResult result =
        mapreduce::kmeans(points, {.k = centers_,
                                   .start = mapreduce::KMeansStart::kRandom,
                                   .iterations = 10,
                                   .tolerance = -1});
    if (std::reduce(result.sizes.begin(), result.sizes.end()) != points.size())
      throw Error("bench mapreduce: the sizes of the centers do not add up to the points");
    return result.seconds_of_iterations / 10;
  }

  void measure(Report& report) const;

  std::int64_t numbers_ = 5'000'000;
  std::int64_t points_ = 1'000'000;
  int centers_ = 10;
  int trials_ = 5;
  std::string baseline_;
};

void MapReduce::measure(Report& report) const {
  cli::print_cores(report);
  const Owned<mapreduce::Points> points =
      mapreduce::make_points(points_, 6, [](std::int64_t row, double* point) {
        for (std::int64_t d = 0; d < 6; ++d)
          point[d] =
              static_cast<double>(mix(static_cast<std::uint64_t>(6 * row + d)) >> 11) * 0x1p-53 +
              static_cast<double>(row % 7);
      });
  std::vector<std::function<double()>> things = {second_time([&] { return sort(); }),
                                                 [&] { return reduce(); },
                                                 [&] { return iterate(*points); }};
  if (!baseline_.empty()) things.emplace_back([&] { return sort_baseline(); });
  const auto results = run_in_turn(trials_, things).results;
  const double sorted = median(results[0]);
  nlohmann::json trials = nlohmann::json::array();
  for (const double seconds : results[0]) trials.push_back({{"seconds", seconds}});
  report.set("/trials", trials);
  report.line("Sort", "{:.4f} s, {:.1f} M numbers/s", fact("sort_seconds", sorted),
              fact("million_per_second", static_cast<double>(numbers_) / sorted * 1e-6));
  report.line("Sums by key", "{:.4f} s, {:.1f} M pairs/s",
              fact("reduce_seconds", median(results[1])),
              static_cast<double>(numbers_) / median(results[1]) * 1e-6);
  report.line("k-means", "{:.5f} s an iteration", fact("iteration_seconds", median(results[2])));
  if (!baseline_.empty()) {
    report.line("Baseline", "{:.4f} s ({})", fact("/baseline/sort_seconds", median(results[3])),
                fact("/baseline/name", baseline_));
    report.line("Ratio", "{:.2f}", fact("/ratio", median(results[3]) / sorted));
  }
  report.line("Checked", "{}",
              fact("checked", true, "the order, the sums, and the sizes of the centers"));
}

const MapReduce mapreduce_benchmark;

}  // namespace
}  // namespace grappa::bench
