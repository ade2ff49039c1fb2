#include "grappa/message/owed_credit.hpp"

#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

TEST(OwedCredit, WaitsUntilItIsWorthAMessage) {
  OwedCredit owed(2, 100);
  EXPECT_EQ(owed.add(0, 60), 0u);
  EXPECT_EQ(owed.add(1, 99), 0u);
  EXPECT_EQ(owed.add(0, 60), 120u);
  EXPECT_EQ(owed.add(0, 99), 0u) << "what was returned is owed no more";
  EXPECT_EQ(owed.add(1, 1), 100u);
}

TEST(OwedCredit, ReturnsNoMoreAtATimeThanAMessageCanSay) {
  OwedCredit owed(1, UINT32_MAX);
  EXPECT_EQ(owed.add(0, UINT32_MAX - 1), 0u);
  EXPECT_EQ(owed.add(0, 1), OwedCredit::kMaxReturned);
  EXPECT_EQ(owed.add(0, OwedCredit::kMaxReturned), OwedCredit::kMaxReturned)
      << "the rest is still owed";
}

}  // namespace
}  // namespace grappa::internal
