#include "bench/delay_line.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace grappa::bench {
namespace {

struct Asked {
  std::uint64_t ticket;
  std::uint64_t at_ns;
};

TEST(DelayLine, NothingArrivesBeforeItsDelay) {
  constexpr std::uint64_t kDelay = 20'000;
  for (const std::size_t tasks : {1, 3, 8, 50}) {
    DelayLine line(kDelay, static_cast<std::int64_t>(tasks));
    std::vector<Asked> ring(tasks);
    for (Asked& asked : ring) {
      const std::uint64_t before = now_ns();
      asked = {line.issue(), before};
    }
    for (int round = 0; round < 100; ++round) {
      for (Asked& asked : ring) {
        while (!line.arrived(asked.ticket)) {
        }
        ASSERT_GE(now_ns() - asked.at_ns, kDelay) << tasks << " tasks, round " << round;
        const std::uint64_t before = now_ns();
        asked = {line.issue(), before};
      }
    }
  }
}

TEST(DelayLine, WhatHasWaitedLongEnoughArrives) {
  DelayLine line(1000, 2);
  const std::uint64_t ticket = line.issue();
  const std::uint64_t asked = now_ns();
  while (!line.arrived(ticket)) ASSERT_LT(now_ns() - asked, 10'000'000'000u);
}

// The slowest of a shuffled ring asks when its slot has been taken again: later, and never early.
TEST(DelayLine, ATaskThatIsOvertakenOftenStillArrives) {
  constexpr std::uint64_t kDelay = 1000;
  DelayLine line(kDelay, 2);
  const std::uint64_t slow = line.issue();
  const std::uint64_t asked = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t quick = line.issue();
    while (!line.arrived(quick)) {
    }
  }
  while (!line.arrived(slow)) ASSERT_LT(now_ns() - asked, 10'000'000'000u);
  EXPECT_GE(now_ns() - asked, kDelay);
}

}  // namespace
}  // namespace grappa::bench
