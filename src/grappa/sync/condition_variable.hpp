#pragma once

// ConditionVariable: tasks of one core wait until another one says that something has changed.
//
//   std::unique_lock lock(mutex);
//   changed.wait(lock, [&] { return !letters.empty(); });
//   …
//   letters.push_back(x);
//   changed.notify_one();
//
// wait() takes anything with lock() and unlock(): a std::unique_lock<Mutex> or a Mutex. There are
// no spurious wake-ups, but others may run between the notification and the waiter, hence the form
// with a predicate. First come, first served. A notification that nobody waits for is lost.
//
// Belongs to the core that made it. wait() switches tasks; notifying does not, and may be done by
// delegates of that core, with or without the mutex.
//
// Errors: UsageError when used on another core, and when the caller does not hold the lock (what
// unlock() throws, where the lock cannot be asked). Destroying one for which tasks wait ends the
// process with a message.

#include "grappa/base/error.hpp"
#include "grappa/sync/wait_queue.hpp"

namespace grappa {

/// Lets tasks of one core wait for a change.
class ConditionVariable {
 public:
  ConditionVariable() = default;

  /// Gives up `lock`, waits for a notification, takes `lock` again.
  template <class Lock>
  void wait(Lock& lock) {
    queue_.require_owner(kName);
    if constexpr (requires { lock.owns_lock(); }) {
      if (!lock.owns_lock())
        throw UsageError("ConditionVariable::wait: the task does not hold the lock");
    }
    lock.unlock();
    queue_.wait(kName);
    lock.lock();
  }

  /// Waits until `ready()`, which is called with the lock held.
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate ready) {
    while (!ready()) wait(lock);
  }

  /// Wakes the task that has waited longest, if any.
  void notify_one() {
    queue_.require_owner(kName);
    if (!queue_.empty()) queue_.resume_first();
  }

  /// Wakes all that wait.
  void notify_all() {
    queue_.require_owner(kName);
    queue_.resume_all();
  }

 private:
  static constexpr const char* kName = "a condition variable";

  internal::WaitQueue queue_;
};

}  // namespace grappa
