#pragma once

// How a thread with nothing to do sleeps, and how others wake it.

#include <atomic>
#include <cstdint>

namespace grappa::internal {

/// One for each thread. The sleeper announces itself, looks for work once more, then parks; a waker
/// publishes its work, then looks for the announcement. Both sides are sequentially consistent, so
/// at least one of them sees the other.
class Parker {
 public:
  void announce() { state_.store(kParked, std::memory_order_seq_cst); }
  void retract() { state_.store(kRunning, std::memory_order_relaxed); }

  /// Sleeps until woken or until `timeout_ns` passed (kForever: no timeout). Spurious returns
  /// happen.
  void park(std::uint64_t timeout_ns);

  /// Any thread.
  void wake() {
    if (state_.load(std::memory_order_seq_cst) == kParked) wake_slow();
  }

  bool parked() const { return state_.load(std::memory_order_seq_cst) == kParked; }

  static constexpr std::uint64_t kForever = UINT64_MAX;

 private:
  static constexpr std::uint32_t kRunning = 0;
  static constexpr std::uint32_t kParked = 1;
  void wake_slow();

  alignas(64) std::atomic<std::uint32_t> state_{kRunning};
};

}  // namespace grappa::internal
