// bench spawn: what it costs to start and run an empty task.
//
// A burst of tasks is spawned on one core and awaited, burst after burst; the smallest fit in the
// nearest cache, the largest in none. Kinds: private tasks, public ones (nobody steals: there is
// one core), coroutines, and tasks that a second core is sent. Check: every task counts itself.

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

Coroutine<> count(std::int64_t* ran) {
  ++*ran;
  co_return;
}

/// Nanoseconds a task: bursts of `burst` tasks until about `tasks` have run. start(event, ran)
/// starts one.
template <class Start>
double trial(std::int64_t burst, std::int64_t tasks, const Start& start) {
  const std::int64_t bursts = std::max<std::int64_t>(1, tasks / burst);
  std::int64_t ran = 0;
  const std::uint64_t begin = internal::now_ns();
  for (std::int64_t b = 0; b < bursts; ++b) {
    CompletionEvent done;
    for (std::int64_t i = 0; i < burst; ++i) start(done, &ran);
    done.wait();
  }
  const std::uint64_t end = internal::now_ns();
  if (ran != bursts * burst) throw Error("bench spawn: tasks were lost");
  return static_cast<double>(end - begin) / static_cast<double>(ran);
}

/// The same with tasks that core 1 is sent.
double remote_trial(std::int64_t burst, std::int64_t tasks) {
  const auto counter = symmetric_alloc<std::int64_t>();
  const std::int64_t bursts = std::max<std::int64_t>(1, tasks / burst);
  const std::uint64_t begin = internal::now_ns();
  for (std::int64_t b = 0; b < bursts; ++b) {
    CompletionEvent done;
    for (std::int64_t i = 0; i < burst; ++i) spawn_on(done, 1, [counter] { ++counter.local(); });
    done.wait();
  }
  const std::uint64_t end = internal::now_ns();
  const std::int64_t ran = delegate::read(counter.on(1));
  symmetric_free(counter);
  if (ran != bursts * burst) throw Error("bench spawn: tasks of the other core were lost");
  return static_cast<double>(end - begin) / static_cast<double>(ran);
}

class Spawn final : public Benchmark {
 public:
  Spawn() : Benchmark("spawn", "nanoseconds to start and run an empty task, of each kind") {}

  void add_options(Options& options) override {
    options.add_counts("--bursts", bursts_, 1, Options::kMany,
                       "tasks that are spawned before they are awaited");
    options.add_count("--tasks", tasks_, 1, Options::kMany, "tasks in a trial, about");
    options.add_trials(trials_);
  }

  void run(const Config& base_config, Report& report) override {
    Config config = base_config;
    config.locales = 1;
    cli::Chart& chart = report.chart();
    chart.title = "Starting and running an empty task";
    chart.x = {.title = "tasks in a burst", .scale = cli::Scale::kLog};
    chart.y = {.title = "ns a task", .scale = cli::Scale::kLog};
    cli::Panel& panel = chart.panels.emplace_back();
    Table rows(report, "rows",
               {{.head = "burst", .width = 10},
                {.head = "kind", .width = 16, .left = true},
                {.head = "ns a task", .format = "{:.1f}", .width = 10}});
    const auto measure = [&](const char* kind, std::int64_t burst,
                             const std::function<double()>& one_trial) {
      const double ns = median(run_trials(trials_, one_trial));
      rows.add(fact("burst", burst), fact("kind", kind), fact("nanoseconds", ns));
      panel.line(kind).points.push_back({static_cast<double>(burst), ns});
    };
    const auto measure_here = [&](const char* kind, std::int64_t burst, auto start) {
      measure(kind, burst, [&] { return trial(burst, tasks_, start); });
    };
    Config alone = config;
    alone.cores = 1;
    alone.scan_payloads = false;  // the public ones stay here
    for (const std::int64_t burst : bursts_) {
      grappa::run(alone, [&] {
        measure_here("private", burst, [](CompletionEvent& done, std::int64_t* ran) {
          spawn(done, [ran] { ++*ran; });
        });
        measure_here("public", burst, [](CompletionEvent& done, std::int64_t* ran) {
          spawn_public(done, [ran] { ++*ran; });
        });
        measure_here("coroutine", burst,
                     [](CompletionEvent& done, std::int64_t* ran) { spawn(done, count(ran)); });
      });
      grappa::run(config, [&] {
        if (core_count() > 1)
          measure("to another core", burst, [&] { return remote_trial(burst, tasks_); });
      });
    }
    report.line("Checked", "{}", fact("checked", true, "every task ran once"));
  }

  bool draws() const override { return true; }

 private:
  std::vector<std::int64_t> bursts_{10, 100, 1000, 10'000, 100'000, 1'000'000};
  std::int64_t tasks_ = 2'000'000;
  int trials_ = 5;
};

const Spawn spawn_benchmark;

}  // namespace
}  // namespace grappa::bench
