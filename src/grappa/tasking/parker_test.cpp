// Sleeping and waking: no wake-up is lost, timeouts end, and whoever does not sleep costs nothing.

#include "grappa/tasking/parker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "grappa/base/clock.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(Parker, SaysWhetherItIsParked) {
  Parker parker;
  EXPECT_FALSE(parker.parked());
  parker.announce();
  EXPECT_TRUE(parker.parked());
  parker.retract();
  EXPECT_FALSE(parker.parked());
}

TEST(Parker, ATimeoutEndsTheSleep) {
  Parker parker;
  parker.announce();
  const std::uint64_t start = now_ns();
  parker.park(20 * kMs);
  EXPECT_GE(now_ns() - start, 15 * kMs);
  EXPECT_FALSE(parker.parked());
}

TEST(Parker, AWakeBetweenAnnounceAndParkIsNotLost) {
  Parker parker;
  parker.announce();
  parker.wake();
  const std::uint64_t start = now_ns();
  parker.park(Parker::kForever);
  EXPECT_LT(now_ns() - start, 5'000 * kMs);
}

TEST(Parker, AWakeOfOneThatDoesNotSleepIsForgotten) {
  Parker parker;
  parker.wake();
  parker.announce();
  EXPECT_TRUE(parker.parked());
  const std::uint64_t start = now_ns();
  parker.park(10 * kMs);
  EXPECT_GE(now_ns() - start, 5 * kMs);
}

// The hand-shake of the driver: the sleeper announces itself and looks once more; the waker
// publishes, then wakes. Would a wake-up get lost, the test would not end.
TEST(Parker, NoWakeUpIsLostBetweenTwoThreads) {
  constexpr int kRounds = 20'000;
  Parker here;
  Parker there;
  std::atomic<int> ping{0};
  std::atomic<int> pong{0};
  const auto wait_for = [](Parker& parker, std::atomic<int>& word, int value) {
    while (word.load(std::memory_order_seq_cst) < value) {
      parker.announce();
      if (word.load(std::memory_order_seq_cst) >= value) {
        parker.retract();
      } else {
        parker.park(Parker::kForever);
      }
    }
  };
  std::thread other([&] {
    for (int i = 1; i <= kRounds; ++i) {
      wait_for(there, ping, i);
      pong.store(i, std::memory_order_seq_cst);
      here.wake();
    }
  });
  for (int i = 1; i <= kRounds; ++i) {
    ping.store(i, std::memory_order_seq_cst);
    there.wake();
    wait_for(here, pong, i);
  }
  other.join();
  EXPECT_EQ(pong.load(), kRounds);
}

}  // namespace
}  // namespace grappa::internal
