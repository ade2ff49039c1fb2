#include "grappa/tasking/steal_backoff.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace grappa::internal {
namespace {

unsigned chances_until_attempt(StealBackoff& backoff) {
  unsigned chances = 1;
  while (!backoff.is_time()) ++chances;
  return chances;
}

TEST(StealBackoff, WaitsLongerAfterEachFailure) {
  StealBackoff backoff;
  for (unsigned failures = 0; failures < 2 * StealBackoff::kMaxWait; ++failures) {
    EXPECT_EQ(chances_until_attempt(backoff), 1 + std::min(failures, StealBackoff::kMaxWait));
    backoff.failed();
  }
}

TEST(StealBackoff, BeginsAnewWhenThereWasWork) {
  StealBackoff backoff;
  for (int i = 0; i < 5; ++i) {
    chances_until_attempt(backoff);
    backoff.failed();
  }
  backoff.reset();
  EXPECT_EQ(chances_until_attempt(backoff), 1u);
  backoff.failed();
  EXPECT_EQ(chances_until_attempt(backoff), 2u);
  backoff.succeeded();
  EXPECT_EQ(chances_until_attempt(backoff), 1u);
}

}  // namespace
}  // namespace grappa::internal
