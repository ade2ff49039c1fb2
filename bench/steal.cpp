// bench steal: how quickly a core takes work from another one.
//
// Half a queue: core 0 fills its queue of public tasks and keeps its processor; core 1 steals once,
// which gives it half of them. One producer: all tasks are spawned on core 0, each works for a
// while, and all cores take part; the time is compared with that of an even division. Check: core 1
// has half of the tasks afterwards, and every task runs once.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "grappa/grappa.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::bench {
namespace {

/// What the two cores of one steal tell each other; they are threads of one process.
struct Meeting {
  std::atomic<bool> thief_is_here{false};
  std::atomic<bool> queue_is_full{false};
  std::atomic<bool> stolen{false};
  std::atomic<std::int64_t> ran{0};
  std::uint64_t nanoseconds = 0;
  std::int64_t taken = 0;
};

void wait_for(const std::atomic<bool>& flag) {
  while (!flag.load(std::memory_order_acquire)) internal::cpu_relax();
}

/// One steal from a queue of `length`.
void steal_once(Meeting& meeting, std::int64_t length) {
  Meeting* const shared = &meeting;
  CompletionEvent done;
  spawn_on(done, 1, [shared] {
    internal::Core& me = internal::here();
    shared->thief_is_here.store(true, std::memory_order_release);
    wait_for(shared->queue_is_full);
    const std::uint64_t start = internal::now_ns();
    const bool any = me.scheduler->steal();
    shared->nanoseconds = internal::now_ns() - start;
    shared->taken = any ? me.scheduler->public_tasks() + 1 : 0;  // one is private to it
    shared->stolen.store(true, std::memory_order_release);
  });
  while (!meeting.thief_is_here.load(std::memory_order_acquire)) yield();
  for (std::int64_t i = 0; i < length; ++i)
    spawn_public(done, [shared] { shared->ran.fetch_add(1, std::memory_order_relaxed); });
  meeting.queue_is_full.store(true, std::memory_order_release);
  wait_for(meeting.stolen);
  done.wait();
  if (meeting.ran.load() != length) throw Error("bench steal: tasks were lost");
}

void work_for(std::uint64_t ns) {
  const std::uint64_t end = internal::now_ns() + ns;
  while (internal::now_ns() < end) internal::cpu_relax();
}

class Steal final : public Benchmark {
 public:
  Steal() : Benchmark("steal", "how quickly a core takes public tasks from another one") {}

  void add_options(Options& options) override {
    options.add_counts("--lengths", lengths_, 1, Options::kMany,
                       "tasks in the queue that is stolen from");
    options.add_count("--tasks", tasks_, 1, Options::kMany, "tasks of the one producer");
    options.add_count("--work", work_ns_, 0, Options::kMany,
                      "nanoseconds that each of these works");
    options.add_trials(trials_);
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    config.scan_payloads = false;  // what is shared here is shared by threads of one process
    grappa::run(config, [&] {
      if (core_count() < 2 || locale_count() > 1)
        throw UsageError("bench steal: needs one locale of two or more cores");
      halves(report);
      one_producer(report);
    });
    report.line("Checked", "{}",
                fact("checked", true, "half was taken each time, and every task ran once"));
  }

  bool draws() const override { return true; }

 private:
  void halves(Report& report) const {
    constexpr int kSteals = 20;  // in a trial
    cli::Chart& chart = report.chart();
    chart.title = "Stealing half of a queue";
    chart.x = {.title = "tasks in the queue", .scale = cli::Scale::kLog};
    chart.y = {.title = "µs a steal", .scale = cli::Scale::kLog};
    cli::Series& line = chart.panels.emplace_back().line("one steal");
    Table rows(report, "halves",
               {{.head = "queue", .width = 10},
                {.head = "taken", .width = 10},
                {.head = "a steal", .format = "{:.2f} us", .width = 12}});
    for (const std::int64_t length : lengths_) {
      std::int64_t taken = 0;
      const auto median_of_steals = [&] {
        std::vector<double> times;
        for (int i = 0; i < kSteals; ++i) {
          Meeting meeting;
          steal_once(meeting, length);
          // A third core may have been quicker.
          if (core_count() == 2 && meeting.taken != expected(length))
            throw Error(
                fmt::format("bench steal: {} of {} tasks were taken", meeting.taken, length));
          taken = meeting.taken;
          times.push_back(static_cast<double>(meeting.nanoseconds));
        }
        return median(times);
      };
      const double ns = median(run_trials(trials_, median_of_steals));
      rows.add(fact("length", length), fact("taken", taken), fact("nanoseconds", ns, ns * 1e-3));
      line.points.push_back({static_cast<double>(length), ns * 1e-3});
    }
  }

  static std::int64_t expected(std::int64_t length) {
    return std::min<std::int64_t>((length + 1) / 2, internal::Scheduler::kMaxStolen);
  }

  void one_producer(Report& report) const {
    const auto ran = symmetric_alloc<std::int64_t>();
    const auto work = static_cast<std::uint64_t>(work_ns_);
    std::vector<std::int64_t> counts;  // of the last trial
    const auto times = run_trials(trials_, [&] {
      on_all_cores([=] { ran.local() = 0; });
      const std::uint64_t start = internal::now_ns();
      CompletionEvent done;
      for (std::int64_t i = 0; i < tasks_; ++i) {
        spawn_public(done, [ran, work] {
          work_for(work);
          ++ran.local();
        });
      }
      done.wait();
      const auto nanoseconds = static_cast<double>(internal::now_ns() - start);
      counts = gather_cores([=] { return ran.local(); });
      if (std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) != tasks_)
        throw Error("bench steal: tasks of the producer were lost");
      return nanoseconds;
    });
    symmetric_free(ran);
    const double ideal = static_cast<double>(tasks_) * static_cast<double>(work_ns_) / core_count();
    const double ours = median(times);
    report.line("Producer",
                "{} tasks of {} ns on {} cores: {:.2f} ms, evenly divided {:.2f} ms, {:.2f} of it; "
                "core 0 ran {:.0f} %",
                tasks_, work_ns_, core_count(),
                fact("/result/one_producer/milliseconds", ours * 1e-6),
                fact("/result/one_producer/ideal_milliseconds", ideal * 1e-6),
                fact("/result/one_producer/efficiency", ideal / ours),
                100.0 * static_cast<double>(counts.front()) / static_cast<double>(tasks_));
    report.set("/result/one_producer/tasks_of_each_core", counts);
  }

  std::vector<std::int64_t> lengths_{2, 10, 100, 1000, 2000};
  std::int64_t tasks_ = 20'000;
  std::int64_t work_ns_ = 1000;
  int trials_ = 5;
};

const Steal steal_benchmark;

}  // namespace
}  // namespace grappa::bench
