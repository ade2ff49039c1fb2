#include "grappa/sync/mutex.hpp"

#include "grappa/base/error.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

namespace {

/// The task that runs.
std::uint64_t this_task() {
  return reinterpret_cast<std::uintptr_t>(&internal::this_scheduler().current());
}

}  // namespace

void Mutex::lock() {
  if (try_lock_for(this_task())) return;
  internal::WorkerWaiter self;
  enqueue(self, this_task());
  internal::this_scheduler().suspend("a mutex");
}

bool Mutex::try_lock() {
  queue_.require_owner("a mutex");
  return holder_ == 0 && try_lock_for(this_task());
}

void Mutex::unlock() { unlock_by(this_task()); }

bool Mutex::try_lock_for(std::uint64_t holder) {
  queue_.require_owner("a mutex");
  if (holder_ == holder) throw UsageError("a task locks a mutex that it holds already");
  if (holder_ != 0) return false;
  holder_ = holder;
  return true;
}

void Mutex::enqueue(internal::Waiter& waiter, std::uint64_t holder) {
  waiter.kept = holder;
  queue_.push(waiter);
}

void Mutex::unlock_by(std::uint64_t holder) {
  queue_.require_owner("a mutex");
  if (holder_ != holder) throw UsageError("a task unlocks a mutex that it does not hold");
  if (queue_.empty()) {
    holder_ = 0;
    return;
  }
  internal::Waiter& next = queue_.pop();
  holder_ = next.kept;
  next.resume(next);
}

}  // namespace grappa
