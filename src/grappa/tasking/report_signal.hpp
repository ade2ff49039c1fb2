#pragma once

// SIGUSR1: a running program says what its tasks wait for, and goes on.
//
//   const ReportSignal signal;                // while it lives the signal does not end the process
//   ReportRequests requests;                  // whoever answers (core_watch.hpp)
//   while (running) {
//     if (requests.wait(timeout_ns)) report();
//   }
//
// The signal belongs to the library only where the program has left it alone: a handler of the
// program's own, or its wish to ignore the signal, stays. Without a run a line says that there is
// none.
//
// The same handler answers another question: what does that thread run? Only the thread itself can
// tell, and one that a task hogs would never look; a signal to the thread makes it.
//
// Thread safety: all functions may be called by any thread; ask_for_report in signal handlers, too.

#include <pthread.h>

#include <cstdint>
#include <optional>
#include <typeinfo>

namespace grappa::internal {

class ReportSignal {
 public:
  ReportSignal();
  ~ReportSignal();
  ReportSignal(const ReportSignal&) = delete;
  ReportSignal& operator=(const ReportSignal&) = delete;
};

/// Asks all runs of this process for a report, as the signal does. False: there is no run.
bool ask_for_report() noexcept;

/// What a thread hears that reports on a run.
class ReportRequests {
 public:
  ReportRequests();
  ~ReportRequests();
  ReportRequests(const ReportRequests&) = delete;
  ReportRequests& operator=(const ReportRequests&) = delete;

  /// Waits until a report is asked for (true), `timeout_ns` has passed or interrupt() was called.
  bool wait(std::uint64_t timeout_ns);
  /// What was asked until now is answered.
  void forget();
  /// Ends one wait, whether it has begun or is about to.
  void interrupt() noexcept;

 private:
  std::uint32_t seen_asks_;
  std::uint32_t seen_changes_;
};

/// What a thread that drives cores is doing: the core that has its turn, and the task that runs
/// there; null: none, or a message handler.
struct Running {
  int core = -1;
  const std::type_info* task = nullptr;
};

/// Asks the thread, which must not have been joined. Nothing where it does not answer within a
/// tenth of a second, or where the signal belongs to the program.
std::optional<Running> what_runs_on(pthread_t thread);

}  // namespace grappa::internal
