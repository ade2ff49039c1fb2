#include "grappa/tasking/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "grappa/base/core_recorder.hpp"
#include "grappa/tasking/test_locale.hpp"

namespace grappa::internal {
namespace {

using namespace std::chrono_literals;

Config recorded_config() {
  Config config = tasking_test_config();
  config.time_metrics = true;
  return config;
}

/// By time; of each sample the first core's.
std::vector<std::uint64_t> times_of(Sampler& sampler, std::size_t cores) {
  std::vector<std::uint64_t> times;
  const std::vector<CoreSample> samples = sampler.samples();
  for (std::size_t at = 0; at < samples.size(); at += cores) times.push_back(samples[at].ns);
  return times;
}

TEST(Sampler, LooksAtEveryCore) {
  TestLocale locale(2, recorded_config());
  locale.core(0).recorder->count_tasks(5, 3);
  locale.core(1).recorder->count_tasks(7, 1);
  locale.core(1).recorder->start(Activity::kProgram);
  Sampler sampler(locale.locale(), 3'600'000'000'000);
  std::this_thread::sleep_for(1ms);
  const std::vector<CoreSample> samples = sampler.samples();
  ASSERT_EQ(samples.size(), 4u);  // at the start, and now
  EXPECT_EQ(samples[2].tasks, 5u);
  EXPECT_EQ(samples[2].suspended, 3u);
  EXPECT_EQ(samples[3].tasks, 7u);
  EXPECT_EQ(samples[2].ns, samples[3].ns);
  const std::size_t program = index_of(Activity::kProgram);
  EXPECT_GE(samples[3].times[program], samples[1].times[program] + 1'000'000);
  EXPECT_EQ(samples[2].times[program], 0u);
}

TEST(Sampler, TakesThemByItself) {
  TestLocale locale(1, recorded_config());
  Sampler sampler(locale.locale(), 1'000'000);
  while (times_of(sampler, 1).size() < 20) std::this_thread::sleep_for(1ms);
}

TEST(Sampler, HasRoomForSoManyAndThenTakesFewer) {
  TestLocale locale(2, recorded_config());
  Sampler sampler(locale.locale(), 1'000'000, 16);
  while (sampler.period_ns() < 4'000'000) std::this_thread::sleep_for(1ms);
  const std::vector<std::uint64_t> times = times_of(sampler, 2);
  EXPECT_LE(times.size(), 17u);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

}  // namespace
}  // namespace grappa::internal
