#include "grappa/base/activity_clock.hpp"

namespace grappa::internal {
namespace {

// A core that is in the middle of a change may be the one that waits for the answer: in a signal
// handler.
constexpr int kMaxTries = 1000;

}  // namespace

std::string_view name_of(Activity activity) {
  constexpr std::array<std::string_view, kActivities> kNames = {
      "program", "scheduling", "aggregation", "network", "idle", "parked", "elsewhere"};
  return kNames[index_of(activity)];
}

ActivityClock::Now ActivityClock::read(std::uint64_t now) const {
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const std::uint64_t state = state_.load(std::memory_order_acquire);
    if (state == kChanging) continue;
    Now result{now, static_cast<Activity>(state & kActivityMask), state >> kActivityBits, {}};
    for (std::size_t i = 0; i < kActivities; ++i)
      result.totals[i] = ns_[i].load(std::memory_order_acquire);
    if (state_.load(std::memory_order_relaxed) != state) continue;
    // The clocks of two processors may be some ns apart.
    if (now > result.since && result.since != 0)
      result.totals[index_of(result.activity)] += now - result.since;
    return result;
  }
  Now result{now, Activity::kElsewhere, now, {}};
  for (std::size_t i = 0; i < kActivities; ++i)
    result.totals[i] = ns_[i].load(std::memory_order_acquire);
  return result;
}

}  // namespace grappa::internal
