#include "grappa/transport/watch/deadlock_vote.hpp"

#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

RunReport quiet(std::uint64_t sent, std::uint64_t received) {
  return {.run = 1, .wakes = 3, .sent = sent, .received = received, .quiet = 1};
}

// After how many rounds of the same reports the vote is decided; 0: not within 20.
int rounds_until_decided(DeadlockVote& vote, const std::vector<RunReport>& reports) {
  for (int round = 1; round <= 20; ++round) {
    for (std::size_t rank = 0; rank < reports.size(); ++rank) {
      if (vote.add(static_cast<int>(rank), reports[rank])) return round;
    }
  }
  return 0;
}

TEST(DeadlockVote, AllQuietAndNothingOnItsWay) {
  DeadlockVote vote(3);
  EXPECT_GE(rounds_until_decided(vote, {quiet(10, 4), quiet(2, 6), quiet(1, 3)}), 4);
}

TEST(DeadlockVote, APacketOnItsWayIsHope) {
  DeadlockVote vote(2);
  EXPECT_EQ(rounds_until_decided(vote, {quiet(10, 4), quiet(2, 7)}), 0);
}

TEST(DeadlockVote, AnyBusyProcessIsHope) {
  DeadlockVote vote(2);
  RunReport busy = quiet(5, 5);
  busy.quiet = 0;
  EXPECT_EQ(rounds_until_decided(vote, {quiet(5, 5), busy}), 0);
}

TEST(DeadlockVote, ProcessesOutsideARunAreNotStuck) {
  DeadlockVote vote(2);
  RunReport between = quiet(0, 0);
  between.run = 0;
  EXPECT_EQ(rounds_until_decided(vote, {between, between}), 0);
  RunReport next = quiet(0, 0);
  next.run = 2;
  EXPECT_EQ(rounds_until_decided(vote, {quiet(0, 0), next}), 0);
}

TEST(DeadlockVote, WhoeverMovesBeginsTheCountAgain) {
  DeadlockVote vote(2);
  RunReport a = quiet(1, 1);
  const RunReport b = quiet(1, 1);
  for (int i = 0; i < 30; ++i) {
    if (i % 3 == 0) ++a.wakes;
    EXPECT_FALSE(vote.add(0, a));
    EXPECT_FALSE(vote.add(1, b));
  }
}

// A process that says nothing has agreed to nothing.
TEST(DeadlockVote, EverybodyMustSpeakInEveryRound) {
  DeadlockVote vote(3);
  for (const int rank : {0, 1, 2}) vote.add(rank, quiet(1, 1));
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(vote.add(0, quiet(1, 1)));
    EXPECT_FALSE(vote.add(1, quiet(1, 1)));
  }
}

}  // namespace
}  // namespace grappa::internal
