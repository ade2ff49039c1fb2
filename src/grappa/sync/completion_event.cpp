#include "grappa/sync/completion_event.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {
namespace {

RemoteError take(internal::ErrorRecord& kept) {
  const internal::ErrorRecord error = std::exchange(kept, internal::ErrorRecord{});
  return {error.type_name, error.message, static_cast<std::uint64_t>(error.count - 1)};
}

}  // namespace

CompletionEvent::CompletionEvent() {
  if (!internal::inside_runtime())
    throw UsageError("a CompletionEvent can only be made inside a run");
  share_.errors = &errors_;
  internal::here().ledger->open(share_);
}

CompletionEvent::~CompletionEvent() {
  internal::Core& me = internal::here();
  if (std::uncaught_exceptions() > 0) {
    // The work may use what is on this stack. What it throws itself comes too late.
    try {
      wait();
    } catch (const RemoteError&) {
    }
  } else if (share_.pending != 0) {
    internal::fatal(
        "a CompletionEvent was destroyed while work of it was unfinished; wait() for it first");
  } else if (errors_.count != 0) {
    // Nobody has waited: whoever waits for this task is told.
    me.ledger->report(*me.scheduler->current().scope, std::make_exception_ptr(take(errors_)));
  }
  me.ledger->close(share_);
}

void CompletionEvent::enroll(std::int64_t n) {
  require_owner();
  if (n < 0) throw UsageError("CompletionEvent: a negative number was enrolled");
  internal::here().ledger->add(share_, n);
}

void CompletionEvent::complete(std::int64_t n) {
  require_owner();
  if (n < 0) throw UsageError("CompletionEvent: a negative number was completed");
  if (n > share_.pending) throw UsageError("CompletionEvent: more was completed than was enrolled");
  if (n > 0) internal::here().ledger->finish(share_, n);
}

void CompletionEvent::wait() {
  require_owner();
  // More work may have joined between the wake-up and the turn of this task.
  while (!finished()) {
    internal::Scheduler& scheduler = internal::this_scheduler();
    wake_when_finished(&scheduler.current());
    scheduler.suspend(kWhatIsAwaited);
  }
  throw_errors();
}

void CompletionEvent::wake_when_finished(internal::Suspended waiter) {
  if (share_.waiter) throw UsageError("CompletionEvent: two tasks wait for one event");
  share_.waiter = waiter;
}

void CompletionEvent::throw_errors() {
  if (errors_.count != 0) throw take(errors_);
}

void CompletionEvent::refuse_core() const {
  throw UsageError(
      fmt::format("a CompletionEvent of core {} was used on core {}; there, work joins it by being "
                  "started from "
                  "work that belongs to it",
                  internal::event_owner(share_.id), internal::here().id));
}

}  // namespace grappa
