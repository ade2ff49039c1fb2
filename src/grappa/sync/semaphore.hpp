#pragma once

// Semaphore: a number of permits, for tasks of one core.
//
//   Semaphore room(16);
//   room.acquire();           // waits while there is none
//   …
//   room.release();           // also in a delegate that another core has sent
//
// First come, first served: a released permit goes to the task that has waited longest.
//
// Belongs to the core that made it. acquire() may switch tasks, nothing else does.
//
// Errors: UsageError when used on another core, for a negative number of permits, or for more than
// 2^63-1 in all. Destroying one for which tasks wait ends the process with a message.

#include <cstdint>

#include "grappa/sync/wait_queue.hpp"

namespace grappa {

/// A counting semaphore for tasks of one core.
class Semaphore {
 public:
  /// Throws UsageError for a negative number.
  explicit Semaphore(std::int64_t permits = 0);

  /// Takes a permit; switches tasks if there is none.
  void acquire();
  /// Takes a permit if there is one.
  bool try_acquire();
  /// Adds permits, or hands them to those that wait. Never switches tasks.
  void release(std::int64_t permits = 1);

  /// Permits that nobody has.
  std::int64_t available() const { return permits_; }

 private:
  internal::WaitQueue queue_;
  std::int64_t permits_;
};

}  // namespace grappa
