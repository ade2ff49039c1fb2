#pragma once

// How many units of a loop run between two polls: as many as take about 50 us.

#include <algorithm>
#include <cstdint>

namespace grappa::internal {

/// Used by one core.
class UnitPacer {
 public:
  static constexpr int kMaxUnits = 32;

  /// Counts a unit. Returns whether it is time to poll.
  bool unit_is_last() { return --left_ <= 0; }

  /// A poll now, in ns on any clock; they take twice or half as many units as before.
  void adapt(std::uint64_t now) {
    units_ =
        now - last_poll_ns_ > kPeriodNs ? std::max(1, units_ / 2) : std::min(kMaxUnits, units_ * 2);
    last_poll_ns_ = now;
  }

  /// After a poll.
  void renew() { left_ = units_; }

 private:
  static constexpr std::uint64_t kPeriodNs = 50'000;

  int units_ = kMaxUnits;
  int left_ = kMaxUnits;
  std::uint64_t last_poll_ns_ = 0;
};

}  // namespace grappa::internal
