#pragma once

// How many switches between workers, or short tasks, lie between two looks at whether the main
// context is wanted: as many as take about 50 us.

#include <algorithm>
#include <cstdint>
#include <optional>

namespace grappa::internal {

/// Used by one core.
class SwitchQuota {
 public:
  static constexpr int kMin = 1;
  static constexpr int kMax = 512;

  /// A look now, in ns on any clock. Returns how long ago the last one was, if the core has been
  /// busy since.
  std::optional<std::uint64_t> look(std::uint64_t now) {
    std::optional<std::uint64_t> gap;
    if (last_look_ns_ != 0) {
      gap = now - last_look_ns_;
      quota_ = *gap > kPeriodNs ? std::max(kMin, quota_ / 2) : std::min(kMax, quota_ * 2);
    }
    last_look_ns_ = now;
    return gap;
  }
  /// For runs that must not depend on the time.
  void set_greatest() { quota_ = kMax; }

  /// What follows is idleness.
  void forget_look() { last_look_ns_ = 0; }

  /// Begins anew, with at most so many. Returns how many switches there may be.
  int renew(int most) {
    quota_ = std::min(quota_, most);
    tasks_left_ = quota_;
    return quota_;
  }

  /// Counts a task. Returns whether there may be another one.
  bool task_has_run() { return --tasks_left_ > 0; }
  bool tasks_are_used() const { return tasks_left_ <= 0; }

 private:
  static constexpr std::uint64_t kPeriodNs = 50'000;

  int quota_ = kMin;
  int tasks_left_ = 0;
  std::uint64_t last_look_ns_ = 0;
};

}  // namespace grappa::internal
