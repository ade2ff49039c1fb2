// The measured prefetch distance: one that makes sense, found once.

#include "grappa/tasking/prefetch_distance.hpp"

#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

TEST(PrefetchDistance, IsLongEnoughToHelp) {
  const int distance = measured_prefetch_distance();
  EXPECT_GE(distance, 8) << "shorter ones are worse than none";
  EXPECT_LE(distance, 32);
}

TEST(PrefetchDistance, IsMeasuredOnce) {
  const int first = measured_prefetch_distance();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(measured_prefetch_distance(), first);
}

}  // namespace
}  // namespace grappa::internal
