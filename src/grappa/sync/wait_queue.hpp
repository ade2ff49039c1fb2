#pragma once

// WaitQueue: who waits for something on one core, in the order of arrival, in one word.
//
//   WaitQueue queue;
//   queue.wait("a letter");              // a task: suspends until somebody resumes it
//   if (!queue.empty()) queue.resume_first();
//
// The queue links `Waiter`s that live with those who wait, mostly on the stacks of suspended tasks;
// it allocates nothing. A waiter need not be a task: whoever waits from another core leaves a
// waiter whose `resume` sends the answer (delegate/remote_full_empty.hpp).
//
// It belongs to the core that made it (core 0, when made outside a run) and may be used by tasks
// and delegates of that core only; `require_owner` and resuming a task of another core say so. The
// owner's number and one spare bit, for the state of what is waited for, share the word.
//
// Only wait() switches tasks. Destroying a queue in which somebody waits ends the process with a
// message.

#include <cstdint>

#include "grappa/tasking/core.hpp"

namespace grappa::internal {

struct Worker;

/// Somebody in a queue. `resume` runs once, on the core of the queue, after the waiter was taken
/// out; it may end the waiter's life, and must not suspend.
struct Waiter {
  Waiter* next = nullptr;
  void (*resume)(Waiter& self) = nullptr;
  std::uint64_t kept = 0;  // what the owner of the queue has no room for while somebody waits
};

/// A suspended task in a queue.
struct WorkerWaiter : Waiter {
  /// Of the task that runs now.
  WorkerWaiter();
  /// Makes it ready. Ends the process on any core but the task's own.
  void wake();

  Worker* worker;
  int core;
};

/// Waiters in a ring, as the last of them, whose `next` is the first; null when there is none.
struct WaiterRing {
  Waiter* last;

  void push(Waiter& waiter) {
    if (last != nullptr) {
      waiter.next = last->next;
      last->next = &waiter;
    } else {
      waiter.next = &waiter;
    }
    last = &waiter;
  }

  /// Takes the first one out. Not when there is none.
  Waiter& pop() {
    Waiter& first = *last->next;
    if (&first == last) {
      last = nullptr;
    } else {
      last->next = first.next;
    }
    return first;
  }
};

/// The core that what is made here belongs to.
inline int maker() { return inside_runtime() ? here().id : 0; }

[[noreturn]] void refuse_user(int owner, const char* what);
/// Throws UsageError on any core but the owner. `what` is the name of what was used.
inline void require_owner(int owner, const char* what) {
  if (!inside_runtime() || here().id != owner) [[unlikely]]
    refuse_user(owner, what);
}

[[noreturn]] void destroyed_while_waited_for();

/// The waiters for one thing, first in, first out.
class WaitQueue {
 public:
  WaitQueue() : word_(static_cast<std::uint64_t>(maker()) << kCoreShift) {}
  ~WaitQueue() {
    if (!empty()) destroyed_while_waited_for();
  }
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;

  bool empty() const { return last() == nullptr; }

  void push(Waiter& waiter) {
    WaiterRing ring{last()};
    ring.push(waiter);
    set_last(ring.last);
  }
  /// Takes the first one out. Not when empty.
  Waiter& pop() {
    WaiterRing ring{last()};
    Waiter& first = ring.pop();
    set_last(ring.last);
    return first;
  }

  /// Suspends the calling task in the queue, as `self`. `what` it waits for is shown to people.
  void wait(WorkerWaiter& self, const char* what);
  void wait(const char* what) {
    WorkerWaiter self;
    wait(self, what);
  }

  /// Takes the first one out and resumes it. Not when empty.
  void resume_first() {
    Waiter& first = pop();
    first.resume(first);
  }
  /// Resumes those that wait now.
  void resume_all();

  /// Throws UsageError on any core but the owner. `what` is the name of what was used.
  void require_owner(const char* what) const { internal::require_owner(owner(), what); }

  /// One bit for whoever has the queue.
  bool marked() const { return (word_ & kMark) != 0; }
  void set_mark(bool value) { word_ = value ? word_ | kMark : word_ & ~kMark; }

 private:
  static constexpr std::uint64_t kMark = 1;
  static constexpr int kCoreShift = 48;
  static constexpr std::uint64_t kPointer = ((std::uint64_t{1} << kCoreShift) - 1) & ~kMark;

  Waiter* last() const { return reinterpret_cast<Waiter*>(word_ & kPointer); }
  void set_last(Waiter* waiter) {
    word_ = (word_ & ~kPointer) | reinterpret_cast<std::uint64_t>(waiter);
  }
  int owner() const { return static_cast<int>(word_ >> kCoreShift); }

  // 16 bits of core, 47 of the last waiter (whose `next` is the first: the list is a ring), a mark.
  std::uint64_t word_;
};

}  // namespace grappa::internal
