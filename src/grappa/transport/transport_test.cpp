#include "grappa/transport/transport.hpp"

#include <gtest/gtest.h>

#include "grappa/base/clock.hpp"
#include "grappa/base/config.hpp"
#include "grappa/base/error.hpp"
#include "grappa/transport/loopback.hpp"
#include "grappa/transport/simulated.hpp"

namespace grappa::internal {
namespace {

TEST(MakeTransport, OneLocaleGetsTheLoopback) {
  const auto transport = make_transport(Config{});
  EXPECT_NE(dynamic_cast<LoopbackTransport*>(transport.get()), nullptr);
  EXPECT_EQ(transport->locale_count(), 1);
  EXPECT_EQ(transport->endpoint(0).packet_bytes(), kDefaultPacketBytes);
}

TEST(MakeTransport, SeveralLocalesAreSimulated) {
  Config config;
  config.locales = 5;
  const auto transport = make_transport(config);
  EXPECT_NE(dynamic_cast<SimulatedNetwork*>(transport.get()), nullptr);
  EXPECT_EQ(transport->locale_count(), 5);
  EXPECT_EQ(transport->endpoint_count(), 5);
  EXPECT_EQ(transport->endpoint(4).locale(), 4);
}

TEST(MakeTransport, OneLocaleIsSimulatedOnRequest) {
  Config config;
  config.simulated = true;
  config.simulation.mode = SimulationMode::kDeterministic;
  VirtualClock clock;
  const auto transport = make_transport(config, &clock);
  EXPECT_NE(dynamic_cast<SimulatedNetwork*>(transport.get()), nullptr);
  EXPECT_EQ(transport->locale_count(), 1);
}

TEST(MakeTransport, ADeterministicSimulationNeedsAClock) {
  Config config;
  config.locales = 2;
  config.simulation.mode = SimulationMode::kDeterministic;
  EXPECT_THROW(make_transport(config), UsageError);
}

}  // namespace
}  // namespace grappa::internal
