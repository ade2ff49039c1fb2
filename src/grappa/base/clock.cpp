#include "grappa/base/clock.hpp"

#include <chrono>
#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace grappa::internal {
namespace clock_detail {
namespace {

std::uint64_t steady_ns() noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

// The same moment on both clocks.
struct Moment {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;
};

void publish(const Moment& origin, double ns_per_tick) noexcept {
  scale.origin_ticks = origin.ticks;
  scale.origin_ns = origin.ns;
  scale.multiplier.store(static_cast<std::uint64_t>(ns_per_tick * 4294967296.0),
                         std::memory_order_release);
}

#if defined(__x86_64__)

// Between two readings of the counter; of several tries the one that was least disturbed.
Moment read_both() noexcept {
  Moment best;
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t ns = steady_ns();
    const std::uint64_t after = ticks();
    if (after - before < shortest) {
      shortest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

// The counter must run at one rate in all power states, and the kernel must still trust it: it
// takes a TSC that differs between processors off this list.
bool counter_is_usable() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  for (std::string name; file >> name;) {
    if (name == "tsc") return true;
  }
  return false;
}

void calibrate() noexcept {
  constexpr std::uint64_t kCalibrationNs = 1'000'000;
  if (!counter_is_usable()) return;
  const Moment start = read_both();
  while (steady_ns() - start.ns < kCalibrationNs) cpu_relax();
  const Moment end = read_both();
  if (end.ticks <= start.ticks || end.ns <= start.ns) return;
  // The origin lies a millisecond back, so that a processor whose counter is a little behind never
  // sees a negative time.
  publish(start,
          static_cast<double>(end.ns - start.ns) / static_cast<double>(end.ticks - start.ticks));
}

#elif defined(__aarch64__)

// The architecture says how fast the counter runs.
void calibrate() noexcept {
  std::uint64_t hertz = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  if (hertz == 0) return;
  publish({ticks() - hertz / 1000, steady_ns() - 1'000'000}, 1e9 / static_cast<double>(hertz));
}

#else

void calibrate() noexcept {}

#endif

}  // namespace

std::uint64_t slow_now_ns() noexcept {
  calibrate_clock();
  return clock_uses_cycle_counter() ? now_ns() : steady_ns();
}

}  // namespace clock_detail

void calibrate_clock() noexcept {
  // Not std::call_once: see GRAPPA_PYTHON_MODULE in cmake/GrappaOptions.cmake.
  [[maybe_unused]] static const bool done = [] {
    clock_detail::calibrate();
    return true;
  }();
}

bool clock_uses_cycle_counter() noexcept {
  calibrate_clock();
  return clock_detail::scale.multiplier.load(std::memory_order_acquire) != 0;
}

}  // namespace grappa::internal
