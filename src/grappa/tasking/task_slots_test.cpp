#include "grappa/tasking/task_slots.hpp"

#include <gtest/gtest.h>

#include <set>

namespace grappa::internal {
namespace {

TEST(TaskSlots, AreDifferentPlaces) {
  TaskSlots slots;
  std::set<Task*> taken;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(taken.insert(slots.take()).second);
}

TEST(TaskSlots, AreGivenAgainWhoeverMadeThem) {
  TaskSlots mine;
  TaskSlots others;
  Task* const slot = others.take();
  mine.put(slot);
  EXPECT_EQ(mine.take(), slot);
  EXPECT_NE(mine.take(), slot);
}

}  // namespace
}  // namespace grappa::internal
