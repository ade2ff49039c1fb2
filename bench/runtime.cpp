// bench runtime: what the runtime costs when there is nothing to compute.
//
//   start and stop       an empty grappa::run, from call to return
//   resident memory      of the process while an idle runtime is up
//   empty loop           a forall of one iteration a core, all cores, from call to return
//   barrier, all-reduce  over all cores
//   spawn                an empty private task, made and run
//   parked               processor time used in a second in which all tasks sleep
//
// Check: every loop and task counts itself.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages >> pages;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

template <class F>
double nanoseconds_each(int rounds, F&& round) {
  const std::uint64_t start = internal::now_ns();
  for (int i = 0; i < rounds; ++i) round();
  return static_cast<double>(internal::now_ns() - start) / rounds;
}

class RuntimeCosts final : public Benchmark {
 public:
  RuntimeCosts()
      : Benchmark(
            "runtime",
            "start-up, idle memory, empty loops, barriers, spawns, processor time when parked") {}

  void add_options(Options& options) override { options.add_trials(trials_); }

  void run(const Config& config, Report& report) override {
    Table costs(report, "",
                {{.head = "Cost", .width = 22, .left = true},
                 {.head = "value", .format = "{:.3f}", .width = 10},
                 {.head = "unit", .width = 4, .left = true}});
    const auto say = [&](const char* name, double value, const char* unit) {
      report.at(name) = costs.add(name, fact("value", value), fact("unit", unit));
    };
    const auto median_of = [&](const std::function<double()>& trial) {
      return median(run_trials(trials_, trial));
    };
    say("Start and stop",
        median_of([&] { return nanoseconds_each(1, [&] { grappa::run(config, [] {}); }) * 1e-6; }),
        "ms");
    grappa::run(config, [&] {
      say("Resident memory", resident_mib(), "MiB");
      constexpr int kRounds = 10'000;
      const auto count = symmetric_alloc<std::int64_t>();
      const std::int64_t cores = core_count();
      std::int64_t loops = 0;
      say("Empty loop", median_of([&] {
            loops += kRounds;
            return nanoseconds_each(
                       kRounds, [&] { forall(0, cores, [=](std::int64_t) { ++count.local(); }); }) *
                   1e-3;
          }),
          "us");
      const auto counted =
          reduce_cores([=] { return count.local(); }, std::int64_t{0}, std::plus<>{});
      if (counted != cores * loops)
        throw Error("bench runtime: iterations of empty loops were lost");
      symmetric_free(count);
      const auto on_every_core = [&](auto operation) {
        return median_of([&] {
          return gather_cores([=] { return nanoseconds_each(kRounds, operation); }).front() * 1e-3;
        });
      };
      say("Barrier", on_every_core([] { barrier(); }), "us");
      say("All-reduce", on_every_core([] {
            if (all_reduce(std::int64_t{1}, std::plus<>{}) != core_count())
              throw Error("bench runtime: a wrong sum");
          }),
          "us");
      say("Spawn", median_of([&] {
            constexpr int kTasks = 100'000;
            std::int64_t ran = 0;
            std::int64_t* counter = &ran;
            const double ns = nanoseconds_each(1, [&] {
              CompletionEvent done;
              for (int i = 0; i < kTasks; ++i) spawn(done, [counter] { ++*counter; });
              done.wait();
            });
            if (ran != kTasks) throw Error("bench runtime: tasks were lost");
            return ns / kTasks;
          }),
          "ns");
      const double before = cpu_seconds();
      sleep_for(1'000'000'000);
      say("Parked", (cpu_seconds() - before) * 1e3, "ms of processor time in 1 s, all cores");
    });
    report.set("checked", true);
  }

 private:
  int trials_ = 5;
};

const RuntimeCosts runtime_costs;

}  // namespace
}  // namespace grappa::bench
