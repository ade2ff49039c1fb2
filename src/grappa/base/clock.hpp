#pragma once

// Time: a steady clock that is cheap enough for a scheduler's loop, and one that stands still
// until it is told otherwise.
//
//   const std::uint64_t deadline = now_ns() + 1'000'000;
//   while (now_ns() < deadline) cpu_relax();
//
// now_ns() is nanoseconds since an arbitrary start, the same for all threads of the process. It
// reads the processor's counter (TSC on x86-64, CNTVCT on aarch64) where the kernel trusts it, and
// std::chrono::steady_clock elsewhere. The TSC is calibrated on first use, which takes about 1 ms;
// from then on the clock may drift from steady_clock by some tens of ppm, so use it for differences
// only. Between threads it is monotonic but for the few ns by which a read may be reordered.
// Thread and task safety: everything but VirtualClock may be called anywhere; nothing suspends.

#include <atomic>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace grappa::internal {

namespace clock_detail {

// now = origin_ns + (ticks - origin_ticks) * multiplier / 2^32. Properties of the machine, hence
// global. The multiplier is published last; 0 means: not calibrated, or no usable counter.
struct Scale {
  std::atomic<std::uint64_t> multiplier = 0;
  std::uint64_t origin_ticks = 0;
  std::uint64_t origin_ns = 0;
};
inline constinit Scale scale{};

// Calibrates if nobody has, and reads whatever clock there is.
std::uint64_t slow_now_ns() noexcept;

inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

}  // namespace clock_detail

/// Nanoseconds since an arbitrary start, the same for all threads of the process.
inline std::uint64_t now_ns() noexcept {
  const auto& scale = clock_detail::scale;
  const std::uint64_t multiplier = scale.multiplier.load(std::memory_order_acquire);
  if (multiplier == 0) [[unlikely]]
    return clock_detail::slow_now_ns();
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{clock_detail::ticks() - scale.origin_ticks} * multiplier;
  return scale.origin_ns + static_cast<std::uint64_t>(product >> 32);
}

/// From a time that now_ns() told until now.
inline double seconds_since(std::uint64_t start_ns) noexcept {
  return static_cast<double>(now_ns() - start_ns) * 1e-9;
}

/// Calibrates the clock if nobody has yet; a runtime calls it when it starts.
void calibrate_clock() noexcept;

/// True when now_ns() reads the processor's counter directly.
bool clock_uses_cycle_counter() noexcept;

/// Tells the processor that the caller spins.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// The clock of a deterministic simulation. Belongs to one thread.
class VirtualClock {
 public:
  std::uint64_t now() const noexcept { return now_ns_; }

  /// Moves to `time_ns`; a time that has passed already changes nothing.
  void advance_to(std::uint64_t time_ns) noexcept {
    if (time_ns > now_ns_) now_ns_ = time_ns;
  }

 private:
  std::uint64_t now_ns_ = 0;
};

}  // namespace grappa::internal
