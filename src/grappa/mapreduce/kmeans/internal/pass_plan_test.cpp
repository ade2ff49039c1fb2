#include "grappa/mapreduce/kmeans/internal/pass_plan.hpp"

#include <gtest/gtest.h>

namespace grappa::mapreduce::detail {
namespace {

using Pass = PassPlan::Pass;

TEST(PassPlan, FewCentersAreComparedWithAll) {
  PassPlan plan(1'000'000, 20, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(plan.next(false), Pass::kAll);
}

TEST(PassPlan, FewPointsForManyCentersToo) {
  PassPlan plan(5'000, 10'000, 1);
  EXPECT_EQ(plan.next(false), Pass::kAll);
}

TEST(PassPlan, TheLastPassBeginsNothing) {
  PassPlan plan(1'000'000, 100, 1);
  EXPECT_EQ(plan.next(true), Pass::kAll);
}

TEST(PassPlan, GoesOnWhileItPays) {
  PassPlan plan(1'000'000, 100, 1);
  EXPECT_EQ(plan.next(false), Pass::kBegin);
  for (const std::int64_t searched : {30'000'000, 20'000'000, 0}) {
    EXPECT_EQ(plan.next(false), Pass::kBounded);
    plan.note(searched);
  }
  EXPECT_EQ(plan.next(true), Pass::kBounded);
}

TEST(PassPlan, TriesAgainEverMoreRarely) {
  PassPlan plan(1'000'000, 100, 1);
  for (const int pause : {1, 2, 4, 8}) {
    EXPECT_EQ(plan.next(false), Pass::kBegin);
    EXPECT_EQ(plan.next(false), Pass::kBounded);
    plan.note(40'000'000);
    for (int i = 0; i < pause; ++i) EXPECT_EQ(plan.next(false), Pass::kAll);
  }
}

}  // namespace
}  // namespace grappa::mapreduce::detail
