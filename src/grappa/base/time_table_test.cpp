#include "grappa/base/time_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MetricValue value(const char* name, std::vector<std::uint64_t> per_core) {
  return {.name = name, .help = "", .per_core = std::move(per_core), .buckets = {}};
}

MetricsSnapshot of_two_cores() {
  return {value("message.bytes", {3 << 20, 1 << 20}),
          value("message.messages", {100, 300}),
          value("tasking.most_live", {7, 1}),
          value("tasking.most_suspended", {5, 0}),
          value("time.aggregation_ns", {50'000'000, 0}),
          value("time.elsewhere_ns", {0, 0}),
          value("time.idle_ns", {100'000'000, 500'000'000}),
          value("time.network_ns", {50'000'000, 0}),
          value("time.parked_ns", {0, 250'000'000}),
          value("time.program_ns", {750'000'000, 250'000'000}),
          value("time.scheduling_ns", {50'000'000, 0})};
}

TEST(TimeTable, HasALineForEachCoreAndOneForAll) {
  EXPECT_THAT(time_table(of_two_cores()),
              ::testing::ContainsRegex("0 +75.0 % +5.0 % +5.0 % +5.0 % +10.0 % +7 +5 +100 +3 MiB"));
  EXPECT_THAT(time_table(of_two_cores()),
              ::testing::ContainsRegex("1 +25.0 % +0.0 % +0.0 % +0.0 % +75.0 % +1 +0 +300 +1 MiB"));
  EXPECT_THAT(
      time_table(of_two_cores()),
      ::testing::ContainsRegex("all +50.0 % +2.5 % +2.5 % +2.5 % +42.5 % +8 +5 +400 +4 MiB"));
  EXPECT_THAT(time_table(of_two_cores()), HasSubstr("of 1.000 s"));
  EXPECT_THAT(time_table(of_two_cores()), Not(HasSubstr("elsewhere")));
}

TEST(TimeTable, NamesTheTimeOfCoresThatShareAThread) {
  MetricsSnapshot metrics = of_two_cores();
  metrics[5].per_core = {1'000'000'000, 0};
  EXPECT_THAT(time_table(metrics), ::testing::ContainsRegex("idle +elsewhere"));
}

TEST(TimeTable, IsEmptyWhereNothingWasRecorded) {
  EXPECT_EQ(time_table({value("message.messages", {3})}), "");
}

}  // namespace
}  // namespace grappa::internal
