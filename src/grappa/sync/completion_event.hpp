#pragma once

// CompletionEvent: counts work begun and finished anywhere, and wakes its waiter when nothing is
// left.
//
//   CompletionEvent done;
//   for (int c = 0; c < core_count(); ++c) spawn_on(done, c, [] { … });
//   done.wait();                     // all of it, and all that it caused, has finished
//
// Events are objects: they are made at run time, nest freely and live where they are declared. Work
// joins an event when it is started with it, or when it is started by work that belongs to it. An
// event must outlive its work: an exception that passes one waits for it there, and otherwise the
// destructor of one that is not finished ends the process with a message.
//
// wait() switches tasks; nothing else here does. Owned by the core that made it: only tasks and
// delegates of that core use it by name (to enroll, complete, start work with it, or wait, one
// waiter at a time).
//
// Errors: an exception that leaves a task or asynchronous delegate of the event is kept (the first
// one and the number of the others). wait() throws it as RemoteError; if nobody waits, run() does.
// UsageError on another core, for a second waiter, and if more is completed than was enrolled.

#include <cstdint>

#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

/// Counts work of any core, and lets a task of its own core wait for it.
class CompletionEvent {
 public:
  CompletionEvent();
  ~CompletionEvent();
  CompletionEvent(const CompletionEvent&) = delete;
  CompletionEvent& operator=(const CompletionEvent&) = delete;

  /// For work that the program counts itself: n more pieces have begun, or have finished.
  void enroll(std::int64_t n = 1);
  void complete(std::int64_t n = 1);

  /// Suspends the task until nothing is unfinished. Then the event can be used again.
  void wait();

  /// Whether nothing is unfinished now.
  bool finished() const { return share_.pending == 0; }

  // ---- for other ways to wait (sync/awaitable.hpp)

  static constexpr const char* kWhatIsAwaited = "a completion event";

  /// Wakes `waiter` once, when the last piece of work finishes; never if nothing is unfinished now.
  void wake_when_finished(internal::Suspended waiter);
  /// Throws what the event's work has thrown, once.
  void throw_errors();

  /// What work that is started with this event joins.
  internal::CompletionShare& share() {
    require_owner();
    return share_;
  }

 private:
  void require_owner() const {
    if (internal::here().id != internal::event_owner(share_.id)) refuse_core();
  }
  [[noreturn]] void refuse_core() const;

  internal::CompletionShare share_;
  internal::ErrorRecord errors_;
};

namespace internal {

/// The completion event that the running task or delegate belongs to.
inline CompletionShare* enclosing_scope() { return this_scheduler().current().scope; }

}  // namespace internal

}  // namespace grappa
