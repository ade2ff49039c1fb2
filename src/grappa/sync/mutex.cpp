#include "grappa/sync/mutex.hpp"

#include "grappa/base/error.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

void Mutex::lock() {
  queue_.require_owner("a mutex");
  internal::Worker* const me = &internal::this_scheduler().current();
  if (owner_ == me) throw UsageError("a task locks a mutex that it holds already");
  if (owner_ == nullptr) {
    owner_ = me;
  } else {
    queue_.wait("a mutex");
  }
}

bool Mutex::try_lock() {
  queue_.require_owner("a mutex");
  if (owner_ != nullptr) return false;
  owner_ = &internal::this_scheduler().current();
  return true;
}

void Mutex::unlock() {
  queue_.require_owner("a mutex");
  if (owner_ != &internal::this_scheduler().current()) {
    throw UsageError("a task unlocks a mutex that it does not hold");
  }
  if (queue_.empty()) {
    owner_ = nullptr;
    return;
  }
  // Only tasks wait here.
  auto& next = static_cast<internal::WorkerWaiter&>(queue_.pop());
  owner_ = next.worker;
  next.resume(next);
}

}  // namespace grappa
