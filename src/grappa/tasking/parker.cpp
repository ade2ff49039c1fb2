#include "grappa/tasking/parker.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace grappa::internal {

void Parker::park(std::uint64_t timeout_ns) {
  timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                   static_cast<long>(timeout_ns % 1'000'000'000)};
  if (state_.load(std::memory_order_acquire) == kParked) {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAIT_PRIVATE, kParked,
              timeout_ns == kForever ? nullptr : &timeout, nullptr, 0);
  }
  state_.store(kRunning, std::memory_order_seq_cst);
}

void Parker::wake_slow() {
  if (state_.exchange(kRunning, std::memory_order_seq_cst) == kParked) {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAKE_PRIVATE, 1, nullptr,
              nullptr, 0);
  }
}

}  // namespace grappa::internal
