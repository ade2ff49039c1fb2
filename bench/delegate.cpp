// bench delegate: latency and throughput of delegate operations.
//
// Latency: one task reads, writes, fetch-adds a word of another core, one after the other.
// Blocking: many tasks a core do so on random words of a table (half of them at the own core on two
// cores); reads also as coroutines. Async: asynchronous increments of a table that fits in the
// caches; and closures that bring 16 characters, which lie in the closure or, serialized, in a
// std::string beside it. Gather: a large table is read at random indices through bulk gather.
//
// Baselines: mpi-rma does the same by one-sided operations of MPI (see delegate_mpi.hpp), with as
// many outstanding as ours has tasks; mpi-send has the round trip of a message. All check their
// sums.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "bench/delegate_mpi.hpp"
#include "bench/measure.hpp"
#include "bench/mpi_messages.hpp"
#include "bench/registry.hpp"
#include "bench/with_mpi.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

using Words = GlobalArray<std::int64_t>;

void require_equal(std::int64_t sum, std::int64_t expected, const char* what) {
  if (sum != expected)
    throw Error(fmt::format("bench delegate, {}: the sum is {}, expected {}", what, sum, expected));
}

void require_sum(const Words& table, std::int64_t expected, const char* what) {
  const auto sum = reduce_cores(
      [=] {
        std::int64_t s = 0;
        for (const std::int64_t x : table.local()) s += x;
        return s;
      },
      std::int64_t{0}, std::plus<>{});
  require_equal(sum, expected, what);
}

/// Random words of the table, or only those of the next core.
std::int64_t word_to_read(const Words& table, std::int64_t i, bool of_next) {
  if (!of_next) return random_index(i, table.size());
  const int next = (this_core() + 1) % core_count();
  return next * table.block() + random_index(i, table.block());
}

void require_zero(std::int64_t value) {
  if (value != 0) throw Error("a read returned what was never written");
}

Coroutine<> read_words(Words table, std::int64_t first, std::int64_t last, bool of_next) {
  for (std::int64_t i = first; i < last; ++i)
    require_zero(co_await co::read(table[word_to_read(table, i, of_next)]));
}

/// A figure of the benchmark, as a line and as facts: of ours, and of a baseline if it has one.
struct Measured {
  std::string label;
  std::string name;  // of the fact
  std::string title;
  std::string unit;
};

void say(Report& report, const Measured& figure, double ours, double theirs,
         const std::string& baseline) {
  const auto own = fact("/result/" + figure.name, ours);
  if (theirs == 0)
    return report.line(figure.label, "{:<16} {:8.1f} {}", figure.title, own, figure.unit);
  report.line(figure.label, "{:<16} {:8.1f} {}   {} {:8.1f} {}, ratio {:.2f}", figure.title, own,
              figure.unit, baseline, fact("/baseline/" + figure.name, theirs), figure.unit,
              ours / theirs);
}

double rate(std::int64_t operations, const std::vector<double>& seconds) {
  return seconds.empty() ? 0 : static_cast<double>(operations) / median(seconds) * 1e-6;
}

constexpr std::int64_t kMaxSmall = std::int64_t{1} << 30;  // words: 8 GiB a core
constexpr std::int64_t kMaxTasks = 1'000'000;
constexpr std::int64_t kMaxOperations = 1'000'000'000;  // a gather lists four times as many

class Delegates final : public Benchmark {
 public:
  Delegates()
      : Benchmark("delegate",
                  "latency and throughput of reads, writes, fetch-adds, increments, gathers") {}

  void add_options(Options& options) override {
    options.add_count("--small", small_, 1, kMaxSmall, "words a core of the cached table");
    options.add("--table", table_, "size of the large table");
    options.add_count("--tasks", tasks_, 1, kMaxTasks, "tasks a core for blocking operations");
    options.add_count("--operations", operations_, 1, kMaxOperations,
                      "operations a core in a trial");
    options.add_trials(trials_);
    options.add_choice("--baseline", baseline_, {"mpi-rma", "mpi-send"},
                       "also, in turn, on one thread of each process: mpi-rma: MPI_Get, MPI_Put, "
                       "MPI_Fetch_and_op, MPI_Accumulate; mpi-send: MPI_Send and MPI_Recv there "
                       "and back, for the latencies");
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    config.max_forall_workers = tasks_;
    if (!baseline_.empty()) config.stall_ns = 0;  // MPI keeps its core
    grappa::run(config, [&] {
      if (!baseline_.empty()) require_mpi("bench delegate", baseline_);
      cli::print_cores(report);
      report.line("Trials", "{} tasks a core, {} operations a core", tasks_, operations_);
      if (!baseline_.empty()) report.set("/baseline/name", baseline_);
      latency(report);
      blocking(report);
      asynchronous(report);
      closures(report);
      gathers(report);
      report.line("Checked", "{}", fact("checked", true, "all sums"));
    });
  }

 private:
  bool one_sided() const { return baseline_ == "mpi-rma"; }

  PairedTrials pairs(const std::function<double()>& ours,
                     const std::function<double()>& baseline) const {
    return run_paired(trials_, ours, baseline);
  }

  void latency(Report& report) const {
    const std::int64_t rounds = std::min<std::int64_t>(20'000, operations_);
    const int other = core_count() - 1;
    auto word = symmetric_alloc<std::int64_t>();
    const auto address = word.on(other);
    std::optional<RemoteWords> remote;
    if (one_sided()) remote.emplace(1, 0);
    const auto measure = [&](const char* name, RemoteOperation remote_operation, auto&& operation) {
      std::function<double()> baseline;
      if (baseline_ == "mpi-send") baseline = [&] { return mpi_round_trips(8, rounds); };
      if (remote) baseline = [&] { return remote->one_by_one(remote_operation, rounds); };
      const PairedTrials trials = pairs(
          [&] {
            return seconds_of([&] {
              for (std::int64_t i = 0; i < rounds; ++i) operation();
            });
          },
          baseline);
      const double scale = 1e9 / static_cast<double>(rounds);
      const double ours = median(trials.ours) * scale;
      const double theirs = median(trials.baseline) * scale;
      say(report, {"Latency", fmt::format("latency_ns/{}", name), name, "ns"}, ours, theirs,
          baseline_);
      if (theirs > 0 && name == std::string_view("read")) report.set("/ratio", ours / theirs);
      return trials.runs;
    };
    measure("read", RemoteOperation::kGet, [&] { delegate::read(address); });
    measure("write", RemoteOperation::kPut, [&] { delegate::write(address, 1); });
    delegate::write(address, 0);
    if (remote) remote->set_all(0);
    const std::int64_t expected = rounds * measure("fetch_add", RemoteOperation::kFetchAdd,
                                                   [&] { delegate::fetch_add(address, 1); });
    if (delegate::read(address) != expected) throw Error("bench delegate: fetch_adds were lost");
    if (remote) require_equal(remote->sum(), expected, "MPI_Fetch_and_op, one by one");
    symmetric_free(word);
  }

  void blocking(Report& report) const {
    const Owned<Words> owned = Words::create(small_ * core_count());
    const Words table = *owned;
    const std::int64_t length = table.size();
    const std::int64_t n = operations_ * core_count();
    const std::int64_t each = operations_ * cores_per_locale();
    std::optional<RemoteWords> remote;
    if (one_sided()) remote.emplace(small_ * cores_per_locale(), 0);
    // As many units as tasks: each task does its part one after the other.
    const LoopOptions parts{std::max<std::int64_t>(1, n / (std::int64_t{tasks_} * core_count()))};
    const auto measure = [&](const char* name, RemoteOperation remote_operation, bool next,
                             const std::function<void()>& loop) {
      std::function<double()> baseline;
      if (remote) baseline = [&] { return remote->many(remote_operation, each, tasks_, next); };
      const PairedTrials trials = pairs([&] { return seconds_of(loop); }, baseline);
      say(report,
          {"Blocking", fmt::format("blocking_million_per_second_per_core/{}", name), name,
           "M/s a core"},
          rate(operations_, trials.ours), rate(operations_, trials.baseline), baseline_);
      return trials.runs;
    };
    for (const bool of_next : {false, true}) {
      measure(of_next ? "read remote" : "read", RemoteOperation::kGet, of_next, [&] {
        forall(0, n, parts, [=](std::int64_t i) {
          require_zero(delegate::read(table[word_to_read(table, i, of_next)]));
        });
      });
      measure(of_next ? "co remote" : "co read", RemoteOperation::kGet, of_next, [&] {
        const std::int64_t each_task = operations_ / tasks_;
        const int tasks = tasks_;
        const std::int64_t operations = operations_;
        on_all_cores([=] {
          const std::int64_t begin = this_core() * operations;
          for (std::int64_t t = 0; t < tasks; ++t) {
            const std::int64_t first = begin + t * each_task;
            spawn(read_words(table, first, t + 1 == tasks ? begin + operations : first + each_task,
                             of_next));
          }
        });
      });
    }
    const int runs = measure("fetch_add", RemoteOperation::kFetchAdd, false, [&] {
      forall(0, n, parts,
             [=](std::int64_t i) { delegate::fetch_add(table[random_index(i, length)], 1); });
    });
    require_sum(table, n * runs, "fetch_add");
    if (remote) require_equal(remote->sum(), n * runs, "MPI_Fetch_and_op");
    measure("write", RemoteOperation::kPut, false, [&] {
      forall(0, n, parts,
             [=](std::int64_t i) { delegate::write(table[random_index(i, length)], 1); });
    });
  }

  void asynchronous(Report& report) const {
    const Owned<Words> owned = Words::create(small_ * core_count());
    const Words table = *owned;
    const std::int64_t length = table.size();
    const std::int64_t n = operations_ * core_count() * 16;
    // The baseline does a sixteenth of that in a trial: it is slower by more.
    const std::int64_t each = operations_ * cores_per_locale();
    std::optional<RemoteWords> remote;
    std::function<double()> baseline;
    if (one_sided()) {
      remote.emplace(small_ * cores_per_locale(), 0);
      baseline = [&] { return remote->many(RemoteOperation::kAccumulate, each, tasks_, false); };
    }
    const PairedTrials trials = pairs(
        [&] {
          return seconds_of([&] {
            forall(0, n, [=](std::int64_t i) {
              delegate::async::increment(table[random_index(i, length)]);
            });
          });
        },
        baseline);
    require_sum(table, n * trials.runs, "asynchronous increment");
    if (remote) require_equal(remote->sum(), n / 16 * trials.runs, "MPI_Accumulate");
    say(report, {"Async", "async_million_per_second/increment", "increment", "M/s"},
        rate(n, trials.ours), rate(n / 16, trials.baseline), baseline_);
  }

  void closures(Report& report) const {
    const Owned<Words> owned = Words::create(small_ * core_count());
    const Words table = *owned;
    const std::int64_t length = table.size();
    const std::int64_t n = operations_ * core_count() * 4;
    static constexpr std::string_view kText = "sixteen letters.";
    static_assert(kText.size() == 16);
    const TrialsInTurn trials =
        run_in_turn(trials_, {[&] {
                                return seconds_of([&] {
                                  forall_range(0, n, [=](std::int64_t first, std::int64_t last) {
                                    const ShortString<16> text(kText);
                                    for (std::int64_t i = first; i < last; ++i) {
                                      delegate::async::call(
                                          table[random_index(i, length)], [text](std::int64_t& x) {
                                            x += static_cast<std::int64_t>(text.view().size());
                                          });
                                    }
                                  });
                                });
                              },
                              [&] {
                                return seconds_of([&] {
                                  forall_range(0, n, [=](std::int64_t first, std::int64_t last) {
                                    const std::string text(kText);
                                    for (std::int64_t i = first; i < last; ++i) {
                                      delegate::async::call(
                                          table[random_index(i, length)],
                                          [](std::int64_t& x, const std::string& s) {
                                            x += static_cast<std::int64_t>(s.size());
                                          },
                                          text);
                                    }
                                  });
                                });
                              }});
    require_sum(table, 2 * 16 * n * trials.runs, "closures with texts");
    const double plain = rate(n, trials.results[0]);
    const double serialized = rate(n, trials.results[1]);
    report.line("Closures",
                "with 16 bytes: plain {:.1f} M/s, as a std::string {:.1f} M/s, ratio {:.2f}",
                fact("/result/closure_million_per_second/plain", plain),
                fact("/result/closure_million_per_second/string", serialized),
                fact("/result/closure_ratio", serialized / plain));
  }

  void gathers(Report& report) const {
    const std::uint64_t bytes = internal::parse_size(table_).value_or(0);
    if (bytes < 1024)
      throw UsageError(
          fmt::format("--table {}: a size of at least 1KiB was expected, such as 1GiB", table_));
    const Owned<Words> owned =
        Words::create(static_cast<std::int64_t>(bytes / sizeof(std::int64_t)));
    const Words table = *owned;
    table.forall([](std::int64_t i, std::int64_t& x) { x = 3 * i; });
    const std::int64_t length = table.size();
    const std::int64_t each = operations_ * 4;
    std::optional<RemoteWords> remote;
    std::function<double()> baseline;
    if (one_sided()) {
      remote.emplace((length + locale_count() - 1) / locale_count(), 3);
      baseline = [&] {
        return remote->many(RemoteOperation::kGet, each * cores_per_locale(), tasks_, false);
      };
    }
    const PairedTrials trials = pairs(
        [&] {
          std::vector<double> spent = gather_cores([=] {
            std::vector<std::int64_t> indices(static_cast<std::size_t>(each));
            std::vector<std::int64_t> values(static_cast<std::size_t>(each));
            for (std::int64_t i = 0; i < each; ++i)
              indices[static_cast<std::size_t>(i)] = random_index(this_core() * each + i, length);
            barrier();
            const double s = seconds_of([&] {
              table.gather(indices, values);
              barrier();
            });
            for (std::size_t i = 0; i < indices.size(); ++i) {
              if (values[i] != 3 * indices[i]) throw Error("a gather returned a wrong value");
            }
            return s;
          });
          return *std::ranges::max_element(spent);
        },
        baseline);
    say(report,
        {"Gather", "gather_million_per_second", fmt::format("{} MiB table", bytes >> 20), "M/s"},
        rate(each * core_count(), trials.ours), rate(each * core_count(), trials.baseline),
        baseline_);
  }

  std::int64_t small_ = 10'000;
  std::string table_ = "1GiB";
  int tasks_ = 1000;
  std::int64_t operations_ = 2'000'000;
  int trials_ = 5;
  std::string baseline_;
};

const Delegates delegates;

}  // namespace
}  // namespace grappa::bench
