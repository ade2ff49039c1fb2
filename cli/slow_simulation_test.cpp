#include "cli/slow_simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace grappa::cli {
namespace {

std::string warning_of(const Config& config) {
  testing::internal::CaptureStderr();
  warn_of_slow_simulation(config);
  return testing::internal::GetCapturedStderr();
}

TEST(SlowSimulation, IsSaid) {
  Config config;
  EXPECT_EQ(warning_of(config), "");
  config.locales = 8;
  EXPECT_EQ(warning_of(config), "");
  config.simulation.latency_ns = 60'000'000'000;
  EXPECT_EQ(warning_of(config),
            "grappa: even a small run will take about 3 hours with these --locales, --latency and "
            "--bandwidth\n");
  config.simulation.mode = SimulationMode::kDeterministic;
  EXPECT_EQ(warning_of(config), "") << "nobody waits for its clock";
  config = {};
  config.locales = 2;
  config.simulation.bandwidth_bytes_per_s = 1;
  EXPECT_THAT(warning_of(config), testing::HasSubstr("about 6 days"));
  config = {};
  config.locales = 65536;
  EXPECT_THAT(warning_of(config), testing::HasSubstr("about 5 days"));
  config.locales = 1;
  config.simulation.latency_ns = 60'000'000'000;
  EXPECT_EQ(warning_of(config), "") << "there is no network";
}

}  // namespace
}  // namespace grappa::cli
