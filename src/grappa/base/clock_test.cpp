#include "grappa/base/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace grappa::internal {
namespace {

std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

TEST(Clock, NeverGoesBackOnOneThread) {
  std::uint64_t before = now_ns();
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t after = now_ns();
    ASSERT_GE(after, before);
    before = after;
  }
}

// How far apart two clocks may look depends on when the thread was interrupted between them, so
// each side is bounded by a pair of readings around the other.
TEST(Clock, RunsAsFastAsTheSteadyClock) {
  calibrate_clock();
  const std::uint64_t steady_outer = steady_ns();
  const std::uint64_t first = now_ns();
  const std::uint64_t steady_inner = steady_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::uint64_t steady_inner_end = steady_ns();
  const std::uint64_t last = now_ns();
  const std::uint64_t steady_outer_end = steady_ns();
  const double most = static_cast<double>(steady_outer_end - steady_outer);
  const double least = static_cast<double>(steady_inner_end - steady_inner);
  EXPECT_GE(static_cast<double>(last - first), least * 0.99);
  EXPECT_LE(static_cast<double>(last - first), most * 1.01);
}

TEST(Clock, ThreadsAgreeOnTheTime) {
  const std::uint64_t before = now_ns();
  std::uint64_t within = 0;
  std::thread([&] { within = now_ns(); }).join();
  const std::uint64_t after = now_ns();
  constexpr std::uint64_t kReadingMayBeReordered = 1000;
  EXPECT_GE(within + kReadingMayBeReordered, before);
  EXPECT_LE(within, after + kReadingMayBeReordered);
}

// A program may read the time before anybody has calibrated, from several threads.
TEST(Clock, ManyThreadsMayAskFirst) {
  const auto ask = [] {
    for (int i = 0; i < 1000; ++i) {
      if (now_ns() == 0) std::abort();
      cpu_relax();
    }
  };
  std::thread other(ask);
  ask();
  other.join();
}

TEST(VirtualClock, StandsStillUntilToldOtherwise) {
  VirtualClock clock;
  EXPECT_EQ(clock.now(), 0u);
  clock.advance_to(500);
  EXPECT_EQ(clock.now(), 500u);
  EXPECT_EQ(clock.now(), 500u);
}

TEST(VirtualClock, NeverGoesBack) {
  VirtualClock clock;
  clock.advance_to(500);
  clock.advance_to(100);
  EXPECT_EQ(clock.now(), 500u);
}

}  // namespace
}  // namespace grappa::internal
