#pragma once

// Where the time of a core goes.
//
//   ActivityClock clock;
//   clock.start(Activity::kScheduling, now_ns());
//   clock.enter(Activity::kProgram, now_ns());
//   clock.read(now_ns()).totals[index_of(Activity::kProgram)];      // nanoseconds
//
// A core is in one activity at any time, so the totals sum to the time since the start.
// Thread safety: read may be called by any thread, the rest is for the core's own.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace grappa::internal {

enum class Activity : std::uint8_t {
  kProgram,      // tasks, loops and the closures of messages
  kScheduling,   // deciding what runs next
  kAggregation,  // filling, handing over and taking buffers of messages
  kNetwork,      // sending and receiving packets
  kIdle,         // nothing to do, looking for something
  kParked,       // nothing to do, asleep
  kElsewhere,    // in a simulation: its thread drives another core
};
inline constexpr std::size_t kActivities = 7;

constexpr std::size_t index_of(Activity activity) { return static_cast<std::size_t>(activity); }

/// In a word: "program".
std::string_view name_of(Activity activity);

using ActivityTimes = std::array<std::uint64_t, kActivities>;  // nanoseconds

class ActivityClock {
 public:
  void start(Activity first, std::uint64_t now) { publish(first, now); }

  void enter(Activity next, std::uint64_t now) {
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    auto& total = ns_[state & kActivityMask];
    // Whoever reads the new total (acquire) sees that the state is changing.
    state_.store(kChanging, std::memory_order_relaxed);
    total.store(total.load(std::memory_order_relaxed) + (now - (state >> kActivityBits)),
                std::memory_order_release);
    publish(next, now);
  }

  Activity current() const {
    return static_cast<Activity>(state_.load(std::memory_order_relaxed) & kActivityMask);
  }
  /// When the current activity began.
  std::uint64_t since() const { return state_.load(std::memory_order_relaxed) >> kActivityBits; }

  struct Now {
    std::uint64_t at;
    Activity activity;
    std::uint64_t since;
    ActivityTimes totals;  // with the activity under way
  };
  Now read(std::uint64_t now) const;

 private:
  static constexpr int kActivityBits = 3;
  static constexpr std::uint64_t kActivityMask = (1 << kActivityBits) - 1;
  static constexpr std::uint64_t kChanging = UINT64_MAX;

  void publish(Activity activity, std::uint64_t now) {
    state_.store(now << kActivityBits | static_cast<std::uint64_t>(activity),
                 std::memory_order_release);
  }

  // Since when, and what; 0: it has not been started.
  std::atomic<std::uint64_t> state_{0};
  std::array<std::atomic<std::uint64_t>, kActivities> ns_{};
};

}  // namespace grappa::internal
