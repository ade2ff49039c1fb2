#pragma once

// Cancelling what a run computes, and not the run.
//
//   std::atomic<bool> asked{false};              // set by any thread, or by a signal handler
//   run([&] {
//     Cancellation cancellation(asked);
//     try {
//       compute();
//     } catch (...) {                            // soon after it was asked for
//       if (!is_of_cancelling(std::current_exception())) throw;
//       cancellation.clear();                    // what is computed next goes on to its end
//     }
//   });
//
// What takes long has a cancellation_point() between blocks, rounds or pieces of a file, wherever
// it may throw and switch tasks, and frees what it had as after any error. What bodies of loops
// and other cores throw comes out as the RemoteError that stands for it, like any error of theirs.
// Where several locales take the same steps, each throws at a moment of its own: as with other
// errors, the one that throws tells the others when they meet.
//
// The first locale sees the flag at once, the others within 10 ms, once their first core handles
// messages. Beside a Cancellation on several locales no deadlock is found, because a task looks at
// the flag again and again.

#include <atomic>
#include <exception>

#include "grappa/base/error.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/sync/mutex.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

/// While it lives, what the run computes can be cancelled. Made, used and destroyed by a task on
/// core 0, which it makes switch; one at a time.
class Cancellation {
 public:
  /// `asked` may be set at any moment, by whoever. It stays as long as this.
  explicit Cancellation(std::atomic<bool>& asked);
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// Nothing is cancelled any more, on any locale.
  void clear();

 private:
  void tell_others();
  void tell(bool cancelled);

  std::atomic<bool>& asked_;
  Mutex telling_;
  bool is_told_ = false;
  bool is_over_ = false;
  CompletionEvent watching_;
};

namespace internal {
inline constinit const std::atomic<bool> never_cancelled{false};

/// Whether what this locale computes is to end, as long as there is no other Cancellation: for
/// loops in which a load more would be felt.
inline const std::atomic<bool>& cancel_flag() {
  return inside_runtime() ? *here().locale.cancel.load(std::memory_order_relaxed) : never_cancelled;
}
}  // namespace internal

/// Whether what this locale computes is to end; false outside of a run. Costs two loads.
inline bool is_cancelled() { return internal::cancel_flag().load(std::memory_order_relaxed); }

/// Throws Cancelled if so. Does not switch tasks: for inner loops.
inline void stop_if_cancelled() {
  if (is_cancelled()) [[unlikely]]
    throw Cancelled();
}

/// Whether it is what cancelling makes of a computation, wherever it was thrown; false for null.
bool is_of_cancelling(const std::exception_ptr& failure);

/// Lets messages be handled and other tasks run, and throws Cancelled if that is asked for: between
/// pieces of work that take a millisecond, say. Switches tasks, so its caller holds no lock of a
/// thread. Nothing outside of a run.
inline void cancellation_point() {
  if (!internal::inside_runtime()) return;
  internal::this_scheduler().yield();
  stop_if_cancelled();
}

}  // namespace grappa
