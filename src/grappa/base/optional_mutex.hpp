#pragma once

// A mutex for what is used by one thread in some runs and by several in others. Where there is only
// one thread it does nothing: two locked instructions less on the path of a packet.
//
//   OptionalMutex mutex(threads > 1);
//   const std::lock_guard lock(mutex);

#include <mutex>

namespace grappa::internal {

class OptionalMutex {
 public:
  explicit OptionalMutex(bool needed = true) : needed_(needed) {}

  /// Only while nobody holds it, and before a second thread uses it.
  void set_needed(bool needed) { needed_ = needed; }

  void lock() {
    if (needed_) mutex_.lock();
  }
  bool try_lock() { return !needed_ || mutex_.try_lock(); }
  void unlock() {
    if (needed_) mutex_.unlock();
  }

 private:
  std::mutex mutex_;
  bool needed_;
};

}  // namespace grappa::internal
