// bench caches: from how many uses on a cache beats delegates.
//
// Many tasks a core; each uses random elements of ranges that lie at the next core, so many times
// a range. With delegates each use is a blocking read; with a cache the range is acquired once and
// used as plain memory. Both in turn, for ranges of several lengths. Check: the sums of what was
// read, which must be those of a plain loop.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

using Words = GlobalArray<std::int64_t>;

/// What a task does with its ranges.
struct Shape {
  std::int64_t tasks;   // a core
  std::int64_t ranges;  // of a core, by its tasks in turn
  std::int64_t length;
  std::int64_t uses;  // of each range

  /// The first element of a core's range.
  std::int64_t first(const Words& words, std::int64_t range, int core) const {
    const int there = (core + 1) % core_count();
    const std::int64_t places = words.block() - length + 1;
    return there * words.block() + random_index(range * core_count() + core, places);
  }
  /// Which element of a range is used.
  std::int64_t place(std::int64_t range, std::int64_t use) const {
    return random_index(range * 8191 + use, length);
  }
};

/// The sum of what use(first element, range) returns for all ranges.
template <class F>
std::int64_t sum_of_ranges(const Shape& shape, const Words& words, const F& use) {
  return reduce_cores(
      [=] {
        std::int64_t sum = 0;
        const auto to = GlobalAddress<std::int64_t>::of_local(&sum);
        CompletionEvent done;
        for (std::int64_t task = 0; task < shape.tasks; ++task) {
          spawn(done, [=] {
            std::int64_t mine = 0;
            for (std::int64_t range = task; range < shape.ranges; range += shape.tasks)
              mine += use(words, shape.first(words, range, this_core()), range);
            *to.pointer() += mine;
          });
        }
        done.wait();
        return sum;
      },
      std::int64_t{0}, std::plus<>{});
}

std::int64_t by_delegates(const Shape& shape, const Words& all) {
  return sum_of_ranges(shape, all,
                       [shape](const Words& words, std::int64_t first, std::int64_t range) {
                         std::int64_t sum = 0;
                         for (std::int64_t use = 0; use < shape.uses; ++use)
                           sum += delegate::read(words[first + shape.place(range, use)]);
                         return sum;
                       });
}

std::int64_t by_caches(const Shape& shape, const Words& all) {
  return sum_of_ranges(shape, all,
                       [shape](const Words& words, std::int64_t first, std::int64_t range) {
                         const CacheRO<std::int64_t> cache(words, first, shape.length);
                         std::int64_t sum = 0;
                         for (std::int64_t use = 0; use < shape.uses; ++use)
                           sum += cache[shape.place(range, use)];
                         return sum;
                       });
}

std::int64_t value_at(std::int64_t i) {
  return static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(i)) >> 20);
}

std::int64_t by_plain_loop(const Shape& shape, const Words& words) {
  std::int64_t sum = 0;
  for (int core = 0; core < core_count(); ++core) {
    for (std::int64_t range = 0; range < shape.ranges; ++range) {
      const std::int64_t first = shape.first(words, range, core);
      for (std::int64_t use = 0; use < shape.uses; ++use)
        sum += value_at(first + shape.place(range, use));
    }
  }
  return sum;
}

class Caches final : public Benchmark {
 public:
  Caches() : Benchmark("caches", "from how many uses on a cache beats delegates") {}

  void add_options(Options& options) override {
    options.add_counts("--lengths", lengths_, 1, 1'000'000, "elements of a range, of 8 bytes");
    options.add_counts("--uses", uses_, 1, 1'000'000, "uses of a range, in ascending order");
    options.add_count("--tasks", tasks_, 1, 1'000'000, "tasks a core");
    options.add_count("--operations", operations_, 1, 1'000'000'000, "uses a core in a trial");
    options.add_trials(trials_);
  }

  void run(const Config& config, Report& report) override {
    if (!std::is_sorted(uses_.begin(), uses_.end()))
      throw UsageError("--uses: they come in ascending order");
    grappa::run(config, [&] {
      cli::print_cores(report);
      const std::int64_t longest = *std::max_element(lengths_.begin(), lengths_.end());
      const Owned<Words> words =
          Words::create(core_count() * std::max<std::int64_t>(1 << 18, 2 * longest));
      words->forall([](std::int64_t i, std::int64_t& x) { x = value_at(i); });
      Table table(report, "rows",
                  {{"Elements", "{}", 8},
                   {"Uses", "{}", 6},
                   {"Delegates, M/s", "{:.2f}", 14},
                   {"Cache, M/s", "{:.2f}", 10}});
      for (const std::int64_t length : lengths_) measure_length(*words, length, table, report);
    });
    report.line("Checked", "{}", fact("checked", true, "all sums"));
  }

 private:
  void measure_length(const Words& words, std::int64_t length, Table& table, Report& report) {
    std::int64_t from = 0;  // so many uses a cache is better; 0: from none
    for (const std::int64_t uses : uses_) {
      const Shape shape{tasks_, std::max<std::int64_t>(1, operations_ / uses), length, uses};
      const std::int64_t expected = by_plain_loop(shape, words);
      const auto seconds = [&](auto read) {
        return [&, read] {
          std::int64_t sum = 0;
          const double taken = seconds_of([&] { sum = read(shape, words); });
          if (sum != expected) throw Error("bench caches: what was read has the wrong sum");
          return taken;
        };
      };
      const PairedTrials trials = run_paired(trials_, seconds(&by_caches), seconds(&by_delegates));
      const auto rate = [&](const std::vector<double>& taken) {
        return static_cast<double>(shape.ranges * uses * core_count()) / median(taken) * 1e-6;
      };
      const double cached = rate(trials.ours);
      const double delegated = rate(trials.baseline);
      if (cached < delegated) {
        from = 0;
      } else if (from == 0) {
        from = uses;
      }
      nlohmann::json& row = table.add(fact("elements", length), fact("uses", uses),
                                      fact("delegates_million_per_second", delegated),
                                      fact("cache_million_per_second", cached));
      row["ratio"] = cached / delegated;
    }
    nlohmann::json& found = report.at("better_from").emplace_back();
    found["elements"] = length;
    found["uses"] = from;
  }

  std::vector<std::int64_t> lengths_ = {1, 8, 64, 512};
  std::vector<std::int64_t> uses_ = {1, 2, 4, 8, 16, 64, 256};
  std::int64_t tasks_ = 1000;
  std::int64_t operations_ = 1'000'000;
  int trials_ = 3;
};

const Caches caches;

}  // namespace
}  // namespace grappa::bench
