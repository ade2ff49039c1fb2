#pragma once

// How threads outside of a run call one of its tasks.
//
//   doorbell.wait();     // that task, on its core: sleeps until it is rung, unless it was before
//   doorbell.ring();     // any thread, after it has left what the task is to find
//
// While the task waits, a run in which all threads sleep is no deadlock: who rings is outside, and
// nobody knows whether and when. So such a run sleeps without a timer.

#include <atomic>

#include "grappa/tasking/core.hpp"
#include "grappa/tasking/worker.hpp"

namespace grappa::internal {

/// One for each core, for one task at a time.
class Doorbell {
 public:
  explicit Doorbell(Core& core) : core_(core) {}

  /// Any thread, while the run goes on.
  void ring() {
    rung_.store(true, std::memory_order_seq_cst);
    core_.wake_thread();
  }

  /// For a task of the core. Switches tasks.
  void wait();

  /// Whether a task waits. Any thread may ask.
  bool has_waiter() const { return waiter_.load(std::memory_order_seq_cst) != nullptr; }

  // ---- for the scheduler ----

  /// Whether a task waits that is to be woken.
  bool is_heard() const {
    return waiter_.load(std::memory_order_relaxed) != nullptr &&
           rung_.load(std::memory_order_relaxed);
  }
  /// The same for a thread that has announced its sleep: it hears the bell or is woken.
  bool is_heard_before_sleep() const {
    return has_waiter() && rung_.load(std::memory_order_seq_cst);
  }
  /// The task to wake, once.
  Worker* take_waiter() { return waiter_.exchange(nullptr, std::memory_order_seq_cst); }

 private:
  Core& core_;
  std::atomic<bool> rung_{false};
  std::atomic<Worker*> waiter_{nullptr};  // changed on the core only
};

}  // namespace grappa::internal
