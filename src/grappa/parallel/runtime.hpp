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
// everything it caused has finished. It may be called again afterwards, and from a program that has
// threads of its own; the calling thread drives core 0 meanwhile, and has its affinity back
// afterwards. Not from inside a run.
//
// Under an MPI launcher the processes are the locales of one run. Either all of them call run, as
// often and with the same configuration; or all but process 0 call `serve`, which takes part in
// every run of process 0 until that ends the job. Either way the function is executed once, in
// process 0, and what stands outside of `run` is executed by every process: print and judge inside,
// and let what the function sets begin with the value that is right for the others,
//
//   bool right = true;
//   run([&] { … right = sum == expected; });
//   return right ? 0 : 1;
//
// Errors: what the function throws comes out unchanged (in process 0); what other tasks throw,
// unless somebody waited for their event, comes out as RemoteError. A configuration that the
// machine cannot fulfil is a UsageError.

#include <cstdint>
#include <memory>
#include <type_traits>

#include "grappa/base/config.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

namespace internal {
void run_root(const Config& config, void (*body)(void*), void* argument);
}

template <class F>
void run(const Config& config, F&& f) {
  using Body = std::remove_reference_t<F>;
  internal::run_root(
      config, [](void* body) { (*static_cast<Body*>(body))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

template <class F>
void run(F&& f) {
  run(Config{}.with_environment(), f);
}

/// Whether an MPI launcher has started this process as another one than the first of its job. Joins
/// the job; collective like the first run.
bool is_follower(const Config& config = Config{}.with_environment());

/// In a follower: takes part in the runs of process 0 until that calls end_job, and returns the
/// status it gave.
int serve(const Config& config = Config{}.with_environment());

/// In process 0, when the others serve: they return from `serve` with this status. Without other
/// processes it does nothing.
void end_job(int status, const Config& config = Config{}.with_environment());

inline int this_core() { return here().id; }
inline int core_count() { return here().locale.core_count(); }
inline int this_locale() { return here().locale.id; }
inline int locale_count() { return here().locale.count; }
inline int cores_per_locale() { return here().locale.cores_each; }
inline int locale_of(int core) { return core / here().locale.cores_each; }
inline int first_core_of(int locale) { return locale * here().locale.cores_each; }

/// Lets other workers of this core run, and messages be handled. Switches tasks.
inline void yield() { this_scheduler().yield(); }

/// Asks for the cache line that `address` is in, and lets others run while it comes: the split
/// phase of memory of this core (hotpar11, 3.1). Switches tasks.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  yield();
}

/// Suspends the task for at least `ns` nanoseconds of the run's clock.
void sleep_for(std::uint64_t ns);

/// Nanoseconds on the clock of the run: wall time, or the virtual time of a deterministic
/// simulation.
inline std::uint64_t run_time_ns() { return here().now(); }

/// The metrics of all locales, at about this moment. Switches tasks where some are other processes.
MetricsSnapshot metrics_snapshot();

}  // namespace grappa
