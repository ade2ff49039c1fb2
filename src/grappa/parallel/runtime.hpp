#pragma once

// run: starts the runtime, runs a function as its first task, and ends when all is quiet.
//
//   grappa::run([] { forall(0, 10, [](int64_t i) { … }); });
//
//   Config config;
//   config.cores = 2;
//   grappa::run(config.with_environment(), [] { … });     // GRAPPA_* wins over code
//
// The function runs as one task on core 0 of locale 0. `run` returns when it has returned and
// everything it caused has finished. It may be called again afterwards, also from a program that
// has threads of its own; the calling thread drives core 0 during the run, and its affinity is
// restored afterwards. It may not be called inside a run nor, in a job of several processes, on
// another thread during one.
//
// Under an MPI launcher the processes are the locales of one run. Either all of them call run,
// equally often and with the same configuration; or all but process 0 call `serve`, which takes
// part in every run of process 0 until that ends the job. Either way the function runs once, in
// process 0, and code outside `run` is executed by every process. So print and check results
// inside, and initialize what the function sets with the value that is right in the other
// processes:
//   bool right = true;
//   run([&] { … right = sum == expected; });
//   return right ? 0 : 1;
//
// Errors: what the function throws comes out unchanged (in process 0); what other tasks throw,
// unless somebody waited for their event, comes out as RemoteError. A configuration that the
// machine cannot fulfil is a UsageError. An Error that nobody catches, and from the first run on
// anything else, ends the process with one line, which counts the errors of other tasks, too: with
// status 2 for a UsageError or InputError, and 1 otherwise. A std::terminate handler of the program
// comes first.

#include <cstdint>
#include <memory>
#include <source_location>
#include <type_traits>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/memory/global_address.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/core_sample.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

namespace internal {
[[noreturn]] void throw_no_such_locale(int locale);
Config config_of_environment();
void run_root(const Config& config, void (*body)(void*), void* argument,
              const std::source_location& where);
}  // namespace internal

/// Runs f() as the first task; not inside a run. UsageError for a configuration that does not work.
template <class F>
void run(const Config& config, F&& f,
         std::source_location where = std::source_location::current()) {
  using Body = std::remove_reference_t<F>;
  internal::require_callable<Body>();
  internal::run_root(
      config, [](void* body) { (*static_cast<Body*>(body))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))), where);
}

/// The same with the defaults, changed by GRAPPA_* variables.
template <class F>
void run(F&& f, std::source_location where = std::source_location::current()) {
  run(internal::config_of_environment(), f, where);
}

/// Whether this process was started by an MPI launcher and is not the first of its job. Joins the
/// job; collective like the first run.
bool is_follower(const Config& config = Config{}.with_environment());

/// In a follower: takes part in the runs of process 0 until that calls end_job, and returns the
/// status it gave.
int serve(const Config& config = Config{}.with_environment());

/// In process 0, when the others serve: they return from `serve` with this status. Without other
/// processes it does nothing.
void end_job(int status, const Config& config = Config{}.with_environment());

/// The calling core, numbered over all locales.
inline int this_core() { return internal::here().id; }
/// Cores of the run.
inline int core_count() { return internal::here().locale.core_count(); }
/// The locale of the calling core.
inline int this_locale() { return internal::here().locale.id; }
/// Locales of the run.
inline int locale_count() { return internal::here().locale.count; }
/// Cores of each locale.
inline int cores_per_locale() { return internal::here().locale.cores_each; }
/// The locale of a core. UsageError for a core that does not exist.
inline int locale_of(int core) {
  const internal::Locale& mine = internal::here().locale;
  if (core < 0 || core >= mine.core_count()) [[unlikely]]
    internal::throw_no_such_core(core);
  return core / mine.cores_each;
}
/// The first core of a locale. UsageError for a locale that does not exist.
inline int first_core_of(int locale) {
  const internal::Locale& mine = internal::here().locale;
  if (locale < 0 || locale >= mine.count) [[unlikely]]
    internal::throw_no_such_locale(locale);
  return locale * mine.cores_each;
}

/// Lets other workers of this core run, and messages be handled. Switches tasks.
inline void yield() { internal::this_scheduler().yield(); }

/// Prefetches the cache line of `address`, and lets other tasks run while it comes: split-phase
/// access to memory of this core (hotpar11, 3.1). Switches tasks.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  yield();
}

/// Suspends the task for at least `ns` nanoseconds of the run's clock.
void sleep_for(std::uint64_t ns);

/// Nanoseconds on the clock of the run: wall time, or the virtual time of a deterministic
/// simulation.
inline std::uint64_t run_time_ns() { return internal::here().now(); }

/// Marks this moment in the timeline of the run (--trace), for example at each iteration of a loop;
/// without a timeline it does nothing. `what` is a text that stays, such as "level".
void trace_mark(const char* what, std::int64_t number);

/// The metrics of all locales, at about this moment. Switches tasks if some locales are in other
/// processes, or the run records where its time goes (Config::records).
MetricsSnapshot metrics_snapshot();

/// Samples of the cores of a locale (Config::stats_every_ns).
struct LocaleSeries {
  int locale;
  int cores;
  std::uint64_t period_ns;                    // more than was asked for when there were too many
  std::vector<internal::CoreSample> samples;  // by time, and in each by core
};

/// What this run was like until now, where samples are taken; of all locales. Switches tasks.
std::vector<LocaleSeries> run_series();

}  // namespace grappa
