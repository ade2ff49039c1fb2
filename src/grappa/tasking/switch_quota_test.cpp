#include "grappa/tasking/switch_quota.hpp"

#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

TEST(SwitchQuota, GrowsWhileSwitchesAreShort) {
  SwitchQuota quota;
  std::uint64_t now = 1;
  EXPECT_EQ(quota.look(now), std::nullopt) << "there was none before";
  EXPECT_EQ(quota.renew(SwitchQuota::kMax), SwitchQuota::kMin);
  for (const int expected : {2, 4, 8, 16, 32, 64, 128, 256, 512, 512}) {
    EXPECT_EQ(quota.look(now += 1000), 1000u);
    EXPECT_EQ(quota.renew(SwitchQuota::kMax), expected);
  }
  EXPECT_EQ(quota.look(now += 1'000'000), 1'000'000u);
  EXPECT_EQ(quota.renew(SwitchQuota::kMax), 256);
  EXPECT_EQ(quota.renew(64), 64);
}

TEST(SwitchQuota, DoesNotMeasureIdleness) {
  SwitchQuota quota;
  quota.set_greatest();
  quota.look(1);
  quota.forget_look();
  EXPECT_EQ(quota.look(1'000'000'000), std::nullopt);
  EXPECT_EQ(quota.renew(SwitchQuota::kMax), SwitchQuota::kMax);
}

TEST(SwitchQuota, CountsTasksApart) {
  SwitchQuota quota;
  quota.set_greatest();
  EXPECT_TRUE(quota.tasks_are_used());
  quota.renew(3);
  EXPECT_TRUE(quota.task_has_run());
  EXPECT_TRUE(quota.task_has_run());
  EXPECT_FALSE(quota.tasks_are_used());
  EXPECT_FALSE(quota.task_has_run());
  EXPECT_TRUE(quota.tasks_are_used());
}

}  // namespace
}  // namespace grappa::internal
