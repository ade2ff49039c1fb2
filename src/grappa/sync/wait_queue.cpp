#include "grappa/sync/wait_queue.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {

WorkerWaiter::WorkerWaiter()
    : Waiter{nullptr, [](Waiter& self) { static_cast<WorkerWaiter&>(self).wake(); }},
      worker(&this_scheduler().current()),
      core(here().id) {}

void WorkerWaiter::wake() {
  Core& me = here();
  if (core != me.id) {
    fatal(fmt::format(
        "core {} resumes a task of core {} that waits for {}: what is waited for belongs "
        "to one core; use it from there, or through a delegate",
        me.id, core, worker->waits_for));
  }
  me.scheduler->wake(worker);
}

void WaitQueue::wait(WorkerWaiter& self, const char* what) {
  push(self);
  this_scheduler().suspend(what);
}

void WaitQueue::resume_all() {
  // Only those that wait now: a waiter that is not a task may wait again as soon as it is resumed.
  if (empty()) return;
  const Waiter* const back = last();
  for (;;) {
    Waiter& first = pop();
    const bool was_last = &first == back;
    first.resume(first);
    if (was_last) return;
  }
}

void refuse_user(int owner, const char* what) {
  throw UsageError(fmt::format(
      "{} of core {} was used {}; it may be used by tasks and delegates of its core only", what,
      owner,
      inside_runtime() ? fmt::format("on core {}", here().id) : std::string("outside a run")));
}

void destroyed_while_waited_for() {
  fatal("a synchronization object was destroyed while somebody waits for it");
}

}  // namespace grappa::internal
