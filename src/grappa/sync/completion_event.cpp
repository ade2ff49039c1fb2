#include "grappa/sync/completion_event.hpp"

#include "grappa/base/error.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

CompletionEvent::CompletionEvent() {
  share_.errors = &errors_;
  here().ledger->open(share_);
}

CompletionEvent::~CompletionEvent() {
  if (share_.pending != 0)
    fatal("a CompletionEvent was destroyed while work of it was unfinished; wait() for it first");
  here().ledger->close(share_);
}

void CompletionEvent::enroll(std::int64_t n) { here().ledger->add(share_, n); }

void CompletionEvent::complete(std::int64_t n) {
  if (n > share_.pending) throw UsageError("CompletionEvent: more was completed than was enrolled");
  here().ledger->finish(share_, n);
}

void CompletionEvent::wait() {
  if (share_.pending != 0) {
    if (share_.waiter != nullptr) throw UsageError("CompletionEvent: two tasks wait for one event");
    Scheduler& scheduler = *here().scheduler;
    share_.waiter = &scheduler.current();
    scheduler.suspend("a completion event");
  }
  if (errors_.count != 0) {
    const ErrorRecord error = errors_;
    errors_ = ErrorRecord{};
    throw RemoteError(error.type_name, error.message, static_cast<std::uint64_t>(error.count - 1));
  }
}

CompletionShare* enclosing_scope() { return here().scheduler->current().scope; }

}  // namespace grappa
