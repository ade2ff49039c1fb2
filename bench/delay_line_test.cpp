#include "bench/delay_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
      const std::uint64_t before = internal::now_ns();
      asked = {line.issue(), before};
    }
    for (int round = 0; round < 100; ++round) {
      for (Asked& asked : ring) {
        line.wait_for(asked.ticket);
        ASSERT_GE(internal::now_ns() - asked.at_ns, kDelay) << tasks << " tasks, round " << round;
        const std::uint64_t before = internal::now_ns();
        asked = {line.issue(), before};
      }
    }
  }
}

TEST(DelayLine, ALoneReferenceArrivesSoonAfterItsDelay) {
  constexpr std::uint64_t kDelay = 1000;
  DelayLine line(kDelay, 2);
  std::uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t asked = internal::now_ns();
    line.wait_for(line.issue());
    shortest = std::min(shortest, internal::now_ns() - asked);
  }
  EXPECT_GE(shortest, kDelay);
  EXPECT_LT(shortest, 100 * kDelay);
}

// The slowest of a shuffled ring asks when its slot has been taken again: later, and never early.
TEST(DelayLine, ATaskThatIsOvertakenOftenStillArrives) {
  constexpr std::uint64_t kDelay = 100'000;
  DelayLine line(kDelay, 2);
  const std::uint64_t slow = line.issue();
  // Eight references share a ticket, and eight tickets are kept: the last one closes the ninth.
  for (int i = 0; i < 70; ++i) line.issue();
  const std::uint64_t before = internal::now_ns();
  line.issue();
  line.wait_for(slow);
  EXPECT_GE(internal::now_ns() - before, kDelay);
}

}  // namespace
}  // namespace grappa::bench
