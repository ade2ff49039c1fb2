#include "grappa/sync/barrier.hpp"

#include "grappa/base/error.hpp"

namespace grappa {

Barrier::Barrier(std::int64_t tasks) : tasks_(tasks), missing_(tasks) {
  if (tasks < 1) throw UsageError("Barrier: needs at least one task");
}

bool Barrier::arrive_and_wait() {
  queue_.require_owner("a barrier");
  if (--missing_ > 0) {
    queue_.wait("a barrier");
    return false;
  }
  missing_ = tasks_;
  queue_.resume_all();
  return true;
}

}  // namespace grappa
