#pragma once

// Barrier: a fixed number of tasks of one core wait for one another, again and again.
//
//   Barrier round(4);                      // four tasks
//   round.arrive_and_wait();               // the fourth to arrive lets all of them continue
//
// For tasks of one core; grappa::barrier() is the one between cores.
//
// Belongs to the core that made it. arrive_and_wait() switches tasks, unless it is the last.
//
// Errors: UsageError when used on another core, or made for fewer than one task. Destroying one at
// which tasks wait ends the process with a message.

#include <cstdint>

#include "grappa/sync/wait_queue.hpp"

namespace grappa {

/// A barrier for a fixed number of tasks of one core.
class Barrier {
 public:
  /// Throws UsageError for fewer than one task.
  explicit Barrier(std::int64_t tasks);

  /// Waits until all tasks of the round have arrived. True for the last one.
  bool arrive_and_wait();

 private:
  internal::WaitQueue queue_;
  std::int64_t tasks_;
  std::int64_t missing_;  // in this round
};

}  // namespace grappa
