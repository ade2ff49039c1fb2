#pragma once

// Mutex: one task at a time, for tasks of one core.
//
//   Mutex mutex;
//   {
//     const std::lock_guard guard(mutex);     // std::unique_lock and std::scoped_lock work, too
//     const int x = delegate::read(a);        // tasks may switch while it is held
//   }
//
// Tasks of a core never run at the same time, so a mutex is needed only where a task switches (a
// blocking delegate, a wait, a yield) in the middle of what must look like one step.
//
// Belongs to the core that made it; tasks of other cores ask that core to do the work (a delegate
// must not suspend, so it may try_lock, or spawn_on a task that locks). First come, first served:
// unlock hands the mutex to the task that has waited longest.
//
// lock() may switch tasks, nothing else does. Not recursive. Coroutines hold it by co::lock
// (sync/awaitable.hpp).
//
// Errors: UsageError when used on another core, when a task locks what it holds, or unlocks what it
// does not hold. Destroying a mutex for which tasks wait ends the process with a message.

#include <cstdint>

#include "grappa/sync/wait_queue.hpp"

namespace grappa {

/// A mutex for tasks of one core; fits std::lock_guard and std::unique_lock.
class Mutex {
 public:
  Mutex() = default;

  /// Waits for the mutex; switches tasks if another task holds it.
  void lock();
  /// Takes the mutex if it is free.
  bool try_lock();
  /// Hands it to the task that has waited longest.
  void unlock();

  /// Whether some task holds it.
  bool locked() const { return holder_ != 0; }

  // ---- for other ways to wait (sync/awaitable.hpp): a number stands for who holds it

  /// Takes the mutex for `holder` if it is free.
  bool try_lock_for(std::uint64_t holder);
  /// Queues the waiter, which holds the mutex as `holder` when it is resumed.
  void enqueue(internal::Waiter& waiter, std::uint64_t holder);
  void unlock_by(std::uint64_t holder);

 private:
  internal::WaitQueue queue_;
  std::uint64_t holder_ = 0;
};

}  // namespace grappa
