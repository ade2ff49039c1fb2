#include "grappa/sync/semaphore.hpp"

#include <limits>

#include "grappa/base/error.hpp"

namespace grappa {
namespace {

constexpr const char* kName = "a semaphore";

void require_not_negative(std::int64_t permits) {
  if (permits < 0) throw UsageError("Semaphore: a negative number of permits");
}

}  // namespace

Semaphore::Semaphore(std::int64_t permits) : permits_(permits) { require_not_negative(permits); }

void Semaphore::acquire() {
  queue_.require_owner(kName);
  if (permits_ > 0) {
    --permits_;
  } else {
    queue_.wait(kName);
  }
}

bool Semaphore::try_acquire() {
  queue_.require_owner(kName);
  if (permits_ == 0) return false;
  --permits_;
  return true;
}

void Semaphore::release(std::int64_t permits) {
  queue_.require_owner(kName);
  require_not_negative(permits);
  if (permits > std::numeric_limits<std::int64_t>::max() - permits_) {
    throw UsageError("Semaphore: more than 2^63-1 permits");
  }
  while (permits > 0 && !queue_.empty()) {
    queue_.resume_first();
    --permits;
  }
  permits_ += permits;
}

}  // namespace grappa
