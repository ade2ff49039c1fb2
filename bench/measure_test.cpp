// What the benchmarks measure with.
#include "bench/measure.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <set>

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
  const auto usable = usable_cpus().size();
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
