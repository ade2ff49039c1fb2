// What the benchmarks measure with.
#include "bench/measure.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/stolen_time.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

TEST(Median, IsTheMiddleOrBetweenTheTwo) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

/// What the next rounds lose to the host; 0 when the list is at its end.
std::deque<double> next_fractions;

double next_share(const std::function<void()>& round) {
  round();
  if (next_fractions.empty()) return 0;
  const double share = next_fractions.front();
  next_fractions.pop_front();
  return share;
}

TEST(RunInTurn, RunsEachThingOnceARoundAndOnceBefore) {
  std::string order;
  next_fractions.clear();
  const auto trials = run_in_turn(2,
                                  {[&] {
                                     order += 'a';
                                     return static_cast<double>(order.size());
                                   },
                                   [&] {
                                     order += 'b';
                                     return static_cast<double>(order.size());
                                   }},
                                  next_share);
  EXPECT_EQ(order, "ababab");
  EXPECT_EQ(trials.results, (std::vector<std::vector<double>>{{3, 5}, {4, 6}}));
  EXPECT_EQ(trials.runs, 3);
}

TEST(RunInTurn, RepeatsARoundThatTheHostDisturbed) {
  next_fractions = {0, 0.5, 0.01, 0.03, 0.02};
  const RoundCounts before = round_counts();
  double run = 0;
  const auto trials = run_in_turn(3, {[&] { return run++; }}, next_share);
  EXPECT_EQ(trials.results.front(), (std::vector<double>{1, 3, 5}));
  EXPECT_EQ(trials.runs, 6);
  EXPECT_EQ(round_counts().kept - before.kept, 3);
  EXPECT_EQ(round_counts().repeated - before.repeated, 2);
  EXPECT_EQ(round_counts().disturbed - before.disturbed, 0);
}

TEST(RunInTurn, KeepsTheLeastDisturbedWhenTheHostGivesNoRest) {
  next_fractions.assign(100, 0.4);
  next_fractions[6] = 0.1;
  const RoundCounts before = round_counts();
  double run = 0;
  const auto trials = run_in_turn(2, {[&] { return run++; }}, next_share);
  EXPECT_EQ(trials.runs, 11) << "the warm-up, two trials, four repeats of each";
  EXPECT_EQ(trials.results.front(), (std::vector<double>{7, 1}));
  EXPECT_EQ(round_counts().disturbed - before.disturbed, 2);
}

TEST(StolenTime, IsNoMoreThanTheProcessorsHad) {
  const StolenFraction share;
  EXPECT_GE(stolen_ns(), 0);
  const std::uint64_t end = internal::now_ns() + 50'000'000;
  while (internal::now_ns() < end) {
  }
  EXPECT_GE(share.so_far(), 0);
  // A tick more for each processor, as ticks are counted when they end.
  EXPECT_LE(share.so_far(), 1.5 * static_cast<double>(std::thread::hardware_concurrency()));
}

/// The processors on which `threads` threads of the team run.
std::set<int> processors_of(const OpenMpTeam& team, int threads) {
  std::vector<int> processors(static_cast<std::size_t>(threads), -1);
  team.run(threads,
           [&](int thread) { processors[static_cast<std::size_t>(thread)] = sched_getcpu(); });
  return {processors.begin(), processors.end()};
}

// A baseline whose threads share a processor makes everything else look twice as good.
TEST(OpenMpTeam, HasAProcessorForEachThread) {
#if defined(GRAPPA_TSAN)
  GTEST_SKIP() << "the thread sanitizer does not see how OpenMP synchronizes";
#endif
  const auto usable = internal::usable_cpus().size();
  const int threads = static_cast<int>(std::min<std::size_t>(usable, 4));
  const OpenMpTeam team;
  EXPECT_EQ(processors_of(team, threads).size(), static_cast<std::size_t>(threads));
  grappa::run([&] {
    EXPECT_EQ(processors_of(team, threads).size(), static_cast<std::size_t>(threads))
        << "inside of a run";
  });
}

TEST(OpenMpTeam, IsNotMadeInsideOfARun) {
  grappa::run([] { EXPECT_THROW(OpenMpTeam(), Error); });
}

}  // namespace
}  // namespace grappa::bench
