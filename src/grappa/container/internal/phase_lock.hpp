#pragma once

// PhaseLock: tasks of one core that do the same kind of thing do it together; those that do another
// kind wait.
//
//   lock.enter(kGrow);        // waits until nobody is in another phase
//   …                         // others may enter the same one
//   lock.leave();
//
// Group mutual exclusion (Y.-J. Joung, "Asynchronous group mutual exclusion", PODC 1998), first
// come, first served: who comes while somebody waits waits, too, so no phase starves another.
// leave() may be called by a delegate.

#include <cstdint>

#include "grappa/sync/wait_queue.hpp"

namespace grappa::internal {

class PhaseLock {
 public:
  void enter(int phase) {
    if (try_enter(phase)) return;
    do {
      queue_.wait("another phase of a container");
    } while (!try_enter(phase, true));
  }
  /// Without waiting; for delegates, too. False when it would have to wait. `has_waited`: nobody
  /// else who waits comes first.
  bool try_enter(int phase, bool has_waited = false) {
    if ((!has_waited && !queue_.empty()) || (inside_ != 0 && phase_ != phase)) return false;
    phase_ = phase;
    ++inside_;
    return true;
  }
  void leave() {
    if (--inside_ == 0) queue_.resume_all();
  }

 private:
  WaitQueue queue_;
  int phase_ = 0;
  std::int64_t inside_ = 0;
};

}  // namespace grappa::internal
