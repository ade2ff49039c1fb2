#pragma once

// Says that the calling thread waits for something outside of the process, such as a pipe from
// which nothing comes yet or that nobody empties. That is no fault of the task that it runs, and so
// is not warned of as a stall.
//
//   {
//     const ExternalWait wait;
//     n = ::read(descriptor, out, capacity);
//   }
//
// Any thread; where nobody watches it, nothing happens. Within one there is no other, and no task
// is suspended.

#include <atomic>

namespace grappa::internal {

class ExternalWait {
 public:
  ExternalWait() noexcept { set(true); }
  ~ExternalWait() { set(false); }
  ExternalWait(const ExternalWait&) = delete;
  ExternalWait& operator=(const ExternalWait&) = delete;

  /// From now on `waits` tells whether the calling thread is in one; null: nobody wants to know.
  static void watch(std::atomic<bool>* waits) noexcept { waits_ = waits; }

 private:
  static void set(bool waits) noexcept {
    if (waits_ != nullptr) waits_->store(waits, std::memory_order_relaxed);
  }

  static inline constinit thread_local std::atomic<bool>* waits_ = nullptr;
};

}  // namespace grappa::internal
