// bench containers: what combining does for containers that all cores use.
//
// Stack, queue: half of the operations of many tasks a core put a value, half try to take one. Map:
// half look-ups, half insertions, of keys that are drawn evenly or by Zipf's law with exponent
// 0.99. Counting map: additions to keys by Zipf's law. Vector: pushes that nobody waits for.
// Gather: elements of an array, 8 at a time by many tasks, of all, and very many at a time by one
// task a core, of 256. Each with combining and without, in turn. Sort: random
// 64-bit integers in memory.
//
// Every trial is checked: values that were put and taken balance, maps hold what was put into them,
// counts and vectors have the right sums, what was gathered is what was written, and the sorted
// array is one with the same sum.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

void require(bool right, const char* what) {
  if (!right) throw Error(fmt::format("bench containers, {}: the result is wrong", what));
}

std::uint64_t draw(std::uint64_t i, std::uint64_t stream) {
  return hash_number(i ^ hash_number(stream));
}

/// Keys by Zipf's law, from a number that is drawn evenly (W. Hörmann, G. Derflinger,
/// "Rejection-inversion to generate variates from monotone discrete distributions", 1996; the
/// inversion alone, of a law that is close to the one with steps).
class Zipf {
 public:
  Zipf(std::int64_t keys, double exponent)
      : one_minus_(1 - exponent), most_(std::pow(static_cast<double>(keys) + 1, one_minus_)) {}
  std::int64_t key(std::uint64_t drawn) const {
    const double u = static_cast<double>(drawn >> 11) * 0x1p-53;
    return static_cast<std::int64_t>(std::pow(1 + u * (most_ - 1), 1 / one_minus_)) - 1;
  }

 private:
  double one_minus_;
  double most_;
};

/// Runs body(task, index within the core's operations) of `tasks` tasks a core; each does its part
/// of `operations`.
template <class F>
void by_tasks(std::int64_t tasks, std::int64_t operations, const F& body) {
  on_all_cores([tasks, operations, body] {
    CompletionEvent done;
    for (std::int64_t task = 0; task < tasks; ++task) {
      spawn(done, [task, tasks, operations, body] {
        for (std::int64_t i = task; i < operations; i += tasks) body(i);
      });
    }
    done.wait();
  });
}

struct Balance {
  std::int64_t sum = 0;  // put, less taken
};

/// Half puts, half takes.
template <class List, class Put, class Take>
double list_seconds(std::int64_t tasks, std::int64_t operations, const char* what, const Put& put,
                    const Take& take) {
  const Owned<List> owned = List::create();
  const List list = *owned;
  const auto balance = symmetric_alloc<Balance>();
  const double seconds = seconds_of([&] {
    by_tasks(tasks, operations, [list, put, take, balance](std::int64_t i) {
      if ((draw(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(this_core())) & 1) == 0) {
        put(list, i);
        balance->sum += i;
      } else if (const std::optional<std::int64_t> value = take(list)) {
        balance->sum -= *value;
      }
    });
  });
  std::int64_t left = 0;
  std::vector<std::int64_t> some(1000);
  while (const std::size_t count = [&] {
    if constexpr (std::is_same_v<List, GlobalStack<std::int64_t>>) {
      return list.try_pop(std::span<std::int64_t>(some));
    } else {
      return list.try_dequeue(std::span<std::int64_t>(some));
    }
  }()) {
    for (std::size_t k = 0; k < count; ++k) left += some[k];
  }
  const auto sum = reduce_cores([=] { return balance->sum; }, std::int64_t{0}, std::plus<>{});
  symmetric_free(balance);
  require(sum == left, what);
  return seconds;
}

double stack_seconds(std::int64_t tasks, std::int64_t operations) {
  using Stack = GlobalStack<std::int64_t>;
  return list_seconds<Stack>(
      tasks, operations, "stack", [](const Stack& s, std::int64_t x) { s.push(x); },
      [](const Stack& s) { return s.try_pop(); });
}
double queue_seconds(std::int64_t tasks, std::int64_t operations) {
  using Queue = GlobalQueue<std::int64_t>;
  return list_seconds<Queue>(
      tasks, operations, "queue", [](const Queue& q, std::int64_t x) { q.enqueue(x); },
      [](const Queue& q) { return q.try_dequeue(); });
}

double map_seconds(std::int64_t tasks, std::int64_t operations,
                   const GlobalArray<std::int64_t>& keys, std::int64_t key_count) {
  const auto map = GlobalHashMap<std::int64_t, std::int64_t>::create(key_count);
  const Owned<GlobalHashMap<std::int64_t, std::int64_t>> owned = map;
  const auto wrong = GlobalCounter::create();
  const Owned<GlobalCounter> owned_wrong = wrong;
  const double seconds = seconds_of([&] {
    by_tasks(tasks, operations, [=](std::int64_t i) {
      const std::int64_t key = keys.local()[static_cast<std::size_t>(i)];
      if (i / tasks % 2 == 0) {
        map.insert(key, 3 * key);
      } else if (const auto value = map.find(key); value && *value != 3 * key) {
        wrong.async_add();
      }
    });
  });
  require(wrong.value() == 0, "map");
  const auto missing = GlobalCounter::create();
  const Owned<GlobalCounter> owned_missing = missing;
  on_all_cores([=] {
    std::vector<std::int64_t> inserted;
    for (std::int64_t i = 0; i < operations; ++i) {
      if (i / tasks % 2 == 0) inserted.push_back(keys.local()[static_cast<std::size_t>(i)]);
    }
    std::vector<std::optional<std::int64_t>> found(inserted.size());
    map.find(inserted, found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k] != 3 * inserted[k]) missing.async_add();
    }
  });
  require(missing.value() == 0, "map");
  return seconds;
}

double count_seconds(const GlobalArray<std::int64_t>& keys, std::int64_t key_count) {
  const auto counts = CountingMap<std::int64_t>::create(key_count);
  const Owned<CountingMap<std::int64_t>> owned = counts;
  const double seconds = seconds_of(
      [&] { keys.forall([counts](const std::int64_t& key) { counts.async_add(key); }); });
  require(counts.total() == keys.size(), "counting map");
  return seconds;
}

/// Each operation is one element; `several` of them are gathered in one call.
double gather_seconds(std::int64_t tasks, std::int64_t operations, std::int64_t several,
                      const GlobalArray<std::int64_t>& keys, std::int64_t key_count) {
  const auto table = GlobalArray<std::int64_t>::create_for_overwrite(key_count);
  const Owned<GlobalArray<std::int64_t>> owned = table;
  table.forall([](std::int64_t i, std::int64_t& x) { x = 3 * i; });
  const auto wrong = GlobalCounter::create();
  const Owned<GlobalCounter> owned_wrong = wrong;
  const double seconds = seconds_of([&] {
    by_tasks(tasks, operations / several, [=](std::int64_t i) {
      const std::span<const std::int64_t> asked = keys.local().subspan(
          static_cast<std::size_t>(i * several), static_cast<std::size_t>(several));
      std::vector<std::int64_t> values(asked.size());
      table.gather(asked, values);
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k] != 3 * asked[k]) wrong.async_add();
      }
    });
  });
  require(wrong.value() == 0, "gather");
  return seconds;
}

double append_seconds(std::int64_t n) {
  const auto vector = GlobalVector<std::int64_t>::create(n);
  const Owned<GlobalVector<std::int64_t>> owned = vector;
  const auto push_all = [&] {
    return seconds_of([&] { forall(0, n, [vector](std::int64_t i) { vector.async_push(i); }); });
  };
  push_all();  // its pages are new
  vector.clear();
  const double seconds = push_all();
  const auto sum = symmetric_alloc<std::int64_t>();
  vector.forall([sum](std::int64_t x) { sum.local() += x; });
  const auto all = reduce_cores([=] { return sum.local(); }, std::int64_t{0}, std::plus<>{});
  symmetric_free(sum);
  require(vector.size() == n && all == n * (n - 1) / 2, "vector");
  return seconds;
}

double sort_seconds(const GlobalArray<std::uint64_t>& array) {
  array.forall(
      [](std::int64_t i, std::uint64_t& x) { x = draw(static_cast<std::uint64_t>(i), 7); });
  const std::uint64_t before = reduce(array, std::uint64_t{0}, std::plus<>{});
  const double seconds = seconds_of([&] { sort(array); });
  const auto disorder = reduce_cores(
      [=] {
        std::int64_t count = 0;
        const auto mine = array.local();
        if (mine.empty()) return count;
        std::uint64_t previous =
            array.global_index(0) == 0 ? 0 : delegate::read(array[array.global_index(0) - 1]);
        for (const std::uint64_t x : mine) {
          count += x < previous ? 1 : 0;
          previous = x;
        }
        return count;
      },
      std::int64_t{0}, std::plus<>{});
  require(disorder == 0 && before == reduce(array, std::uint64_t{0}, std::plus<>{}), "sort");
  return seconds;
}

class Containers final : public Benchmark {
 public:
  Containers()
      : Benchmark("containers",
                  "stack, queue, maps, vector, gathers, with combining and without; sort") {}

  void add_options(Options& options) override {
    options.add_words("--of", of_, kNames, "which of them");
    options.add_count("--tasks", tasks_, 1, 1'000'000, "tasks a core");
    options.add_count("--operations", operations_, 1, 1'000'000'000,
                      "operations a core in a trial");
    options.add_count("--keys", keys_, 1, 1'000'000'000, "different keys that may be drawn");
    options.add_number("--zipf", zipf_, 0.1, 0.999, "exponent of Zipf's law");
    options.add_count("--elements", elements_, 1, 10'000'000'000, "integers that are sorted");
    options.add_trials(trials_);
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    config.max_forall_workers = static_cast<int>(std::min<std::int64_t>(tasks_, 4096));
    grappa::run(config, [&] {
      cli::print_cores(report);
      report.line("Trials", "{} tasks a core, {} operations a core", tasks_, operations_);
    });
    const auto wanted = [&](const char* name) {
      return of_.empty() || std::find(of_.begin(), of_.end(), name) != of_.end();
    };
    const auto million = [](double count, double seconds) { return count / seconds * 1e-6; };
    if (wanted("stack"))
      either_way(config, report, "stack", [&] { return stack_seconds(tasks_, operations_); });
    if (wanted("queue"))
      either_way(config, report, "queue", [&] { return queue_seconds(tasks_, operations_); });
    if (wanted("map")) {
      either_way(config, report, "map_even", [&] { return with_keys(false, map_of_keys()); });
      either_way(config, report, "map_zipf", [&] { return with_keys(true, map_of_keys()); });
    }
    if (wanted("counts")) {
      either_way(config, report, "counts_zipf", [&] {
        return with_keys(true, [&](const GlobalArray<std::int64_t>& keys) {
          return count_seconds(keys, keys_);
        });
      });
    }
    if (wanted("gather")) {
      const auto gather = [&](std::int64_t different, std::int64_t tasks, std::int64_t several) {
        const auto use = [&](const GlobalArray<std::int64_t>& keys) {
          return gather_seconds(tasks, operations_, several, keys, keys_);
        };
        return with_keys(false, use, std::min(different, keys_));
      };
      either_way(config, report, "gather_few",
                 [&] { return gather(keys_, tasks_, std::min<std::int64_t>(8, operations_)); });
      either_way(config, report, "gather_alike", [&] { return gather(256, 1, operations_); });
    }
    if (wanted("vector")) {
      either_way(config, report, "vector",
                 [&] { return append_seconds(operations_ * core_count()); });
    }
    if (wanted("sort")) {
      const double seconds = median(run_trials(trials_, [&] {
        double trial = 0;
        grappa::run(config, [&] {
          const Owned<GlobalArray<std::uint64_t>> array =
              GlobalArray<std::uint64_t>::create_for_overwrite(elements_);
          trial = sort_seconds(*array);
        });
        return trial;
      }));
      report.line("sort", "{:.3f} s for {} integers, {:.1f} M/s",
                  fact("/result/sort_seconds", seconds), elements_,
                  million(static_cast<double>(elements_), seconds));
    }
    report.line("Checked", "{}", fact("checked", true, "all results"));
  }

 private:
  inline static const std::vector<std::string> kNames = {"stack",  "queue",  "map", "counts",
                                                         "gather", "vector", "sort"};

  std::function<double(const GlobalArray<std::int64_t>&)> map_of_keys() const {
    return [this](const GlobalArray<std::int64_t>& keys) {
      return map_seconds(tasks_, operations_, keys, keys_);
    };
  }

  /// `different`: how many keys may be drawn; 0: as many as there are.
  double with_keys(bool skewed, const std::function<double(const GlobalArray<std::int64_t>&)>& use,
                   std::int64_t different = 0) const {
    const Owned<GlobalArray<std::int64_t>> keys =
        GlobalArray<std::int64_t>::create(operations_ * core_count(), Distribution::kCyclic);
    const Zipf zipf(keys_, zipf_);
    keys->forall(
        [=, count = different == 0 ? keys_ : different](std::int64_t i, std::int64_t& key) {
          const std::uint64_t drawn = draw(static_cast<std::uint64_t>(i), 1);
          key = skewed ? zipf.key(drawn)
                       : static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(count));
        });
    return use(*keys);
  }

  /// Measures with combining and without, in turn. `trial` returns the seconds of all operations.
  template <class F>
  void either_way(const Config& config, Report& report, const char* name, const F& trial) {
    std::int64_t operations = 0;
    const auto measured = [&](bool combining) {
      return [&, combining] {
        double seconds = 0;
        Config own = config;
        own.combining = combining;
        grappa::run(own, [&] {
          operations = operations_ * core_count();
          seconds = trial();
        });
        return seconds;
      };
    };
    const PairedTrials trials = run_paired(trials_, measured(true), measured(false));
    const auto rate = [&](const std::vector<double>& seconds) {
      return static_cast<double>(operations) / median(seconds) * 1e-6;
    };
    const double on = rate(trials.ours);
    const double off = rate(trials.baseline);
    const std::string path = fmt::format("/result/{}", name);
    report.line(name, "{:8.2f} M/s   without combining {:8.2f} M/s, ratio {:.2f}",
                fact(path + "/on", on), fact(path + "/off", off), fact(path + "/ratio", on / off));
  }

  std::vector<std::string> of_;
  std::int64_t tasks_ = 1000;
  std::int64_t operations_ = 1'000'000;
  std::int64_t keys_ = 1 << 20;
  double zipf_ = 0.99;
  std::int64_t elements_ = 50'000'000;
  int trials_ = 5;
};

const Containers containers;

}  // namespace
}  // namespace grappa::bench
