#include "grappa/base/activity_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

namespace grappa::internal {
namespace {

std::uint64_t of(const ActivityClock::Now& now, Activity activity) {
  return now.totals[index_of(activity)];
}

TEST(ActivityClock, TimeGoesToWhatWasDone) {
  ActivityClock clock;
  clock.start(Activity::kScheduling, 100);
  clock.enter(Activity::kProgram, 130);
  clock.enter(Activity::kNetwork, 180);
  clock.enter(Activity::kProgram, 181);
  const ActivityClock::Now now = clock.read(200);
  EXPECT_EQ(now.activity, Activity::kProgram);
  EXPECT_EQ(now.since, 181u);
  EXPECT_EQ(of(now, Activity::kScheduling), 30u);
  EXPECT_EQ(of(now, Activity::kProgram), 50u + 19u);
  EXPECT_EQ(of(now, Activity::kNetwork), 1u);
}

TEST(ActivityClock, BeforeItsStartItHasCountedNothing) {
  const ActivityClock::Now now = ActivityClock().read(1'000'000);
  EXPECT_EQ(std::accumulate(now.totals.begin(), now.totals.end(), std::uint64_t{0}), 0u);
}

TEST(ActivityClock, WhoeverAsksMeanwhileMissesNothing) {
  ActivityClock clock;
  clock.start(Activity::kIdle, 1);
  std::atomic<bool> stop{false};
  std::thread core([&] {
    for (std::uint64_t now = 2; !stop.load(); ++now)
      clock.enter(static_cast<Activity>(now % kActivities), now);
  });
  for (int answers = 0; answers < 20'000;) {
    // Asked for no time after the last change, the totals are those until then.
    const ActivityClock::Now now = clock.read(0);
    if (now.since == 0) {  // the core was stopped in the middle of a change
      std::this_thread::yield();
      continue;
    }
    ++answers;
    EXPECT_EQ(std::accumulate(now.totals.begin(), now.totals.end(), std::uint64_t{0}),
              now.since - 1);
  }
  stop = true;
  core.join();
}

}  // namespace
}  // namespace grappa::internal
