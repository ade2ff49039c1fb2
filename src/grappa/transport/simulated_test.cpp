// The simulated network under the virtual clock: every time is exact.

#include "grappa/transport/simulated.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

SimulationConfig deterministic(std::uint64_t latency_ns) {
  SimulationConfig simulation;
  simulation.mode = SimulationMode::kDeterministic;
  simulation.latency_ns = latency_ns;
  return simulation;
}

void send(Endpoint& endpoint, int destination, int number, std::uint32_t size = sizeof(int)) {
  PacketBuffer* packet = endpoint.acquire(size);
  std::memset(packet->data(), 0, size);
  std::memcpy(packet->data(), &number, sizeof number);
  packet->size = size;
  endpoint.send(destination, packet);
}

struct Delivery {
  std::uint64_t time_ns;
  int receiver;
  int source;
  int number;
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

// Takes everything that can be polled now.
void collect(SimulatedNetwork& network, const VirtualClock& clock, std::vector<Delivery>& trace) {
  for (int locale = 0; locale < network.locale_count(); ++locale) {
    Endpoint& endpoint = network.endpoint(locale);
    while (PacketBuffer* packet = endpoint.poll()) {
      int number = 0;
      std::memcpy(&number, packet->data(), sizeof number);
      trace.push_back({clock.now(), locale, packet->source, number});
      endpoint.release(packet);
    }
  }
}

// Advances from arrival to arrival until nothing is on its way.
std::vector<Delivery> run_dry(SimulatedNetwork& network, VirtualClock& clock) {
  std::vector<Delivery> trace;
  collect(network, clock, trace);
  for (std::uint64_t next = 0; (next = network.earliest_arrival()) != kNever;) {
    clock.advance_to(next);
    collect(network, clock, trace);
  }
  return trace;
}

TEST(SimulatedNetwork, DescribesItself) {
  VirtualClock clock;
  SimulatedNetwork network(3, deterministic(10), &clock, 2048);
  EXPECT_EQ(network.locale_count(), 3);
  EXPECT_EQ(network.endpoint_count(), 3);
  for (int locale = 0; locale < 3; ++locale) {
    EXPECT_EQ(network.endpoint(locale).locale(), locale);
    EXPECT_EQ(network.endpoint(locale).locale_count(), 3);
    EXPECT_EQ(network.endpoint(locale).packet_bytes(), 2048u);
    EXPECT_TRUE(network.endpoint(locale).wakes());
    EXPECT_FALSE(network.endpoint(0).lost(locale));
  }
}

TEST(SimulatedNetwork, APacketArrivesAfterTheLatencyAndNotBefore) {
  VirtualClock clock;
  SimulatedNetwork network(2, deterministic(5000), &clock);
  Endpoint& receiver = network.endpoint(1);
  clock.advance_to(100);
  send(network.endpoint(0), 1, 42);
  EXPECT_EQ(network.in_flight(), 1u);
  EXPECT_EQ(receiver.next_event_ns(), 5100u);
  EXPECT_EQ(network.endpoint(0).next_event_ns(), kNever);
  EXPECT_EQ(network.earliest_arrival(), 5100u);
  clock.advance_to(5099);
  EXPECT_EQ(receiver.poll(), nullptr);
  clock.advance_to(5100);
  PacketBuffer* packet = receiver.poll();
  ASSERT_NE(packet, nullptr);
  EXPECT_EQ(packet->source, 0);
  EXPECT_EQ(packet->size, sizeof(int));
  receiver.release(packet);
  EXPECT_EQ(receiver.poll(), nullptr);
  EXPECT_EQ(network.in_flight(), 0u);
  EXPECT_EQ(network.earliest_arrival(), kNever);
}

TEST(SimulatedNetwork, ALocaleReachesItselfAtOnce) {
  VirtualClock clock;
  SimulationConfig simulation = deterministic(5000);
  simulation.bandwidth_bytes_per_s = 1;
  simulation.reorder = 1.0;
  SimulatedNetwork network(2, simulation, &clock);
  clock.advance_to(7);
  send(network.endpoint(1), 1, 1);
  EXPECT_EQ(network.endpoint(1).next_event_ns(), 7u);
  EXPECT_EQ(run_dry(network, clock), (std::vector<Delivery>{{7, 1, 1, 1}}));
}

TEST(SimulatedNetwork, PacketsOfALinkFollowOneAnother) {
  VirtualClock clock;
  SimulationConfig simulation = deterministic(1000);
  simulation.bandwidth_bytes_per_s = 1'000'000'000;  // a byte a nanosecond
  SimulatedNetwork network(3, simulation, &clock);
  send(network.endpoint(0), 1, 1, 400);  // leaves at 400
  send(network.endpoint(0), 1, 2, 100);  // leaves at 500
  send(network.endpoint(0), 2, 3, 50);   // another link
  send(network.endpoint(2), 1, 4, 450);  // yet another
  std::vector<Delivery> expected = {
      {1050, 2, 0, 3}, {1400, 1, 0, 1}, {1450, 1, 2, 4}, {1500, 1, 0, 2}};
  EXPECT_EQ(run_dry(network, clock), expected);

  clock.advance_to(10'000);  // the link has been idle: nothing is left of its past
  send(network.endpoint(0), 1, 5, 100);
  EXPECT_EQ(run_dry(network, clock), (std::vector<Delivery>{{11'100, 1, 0, 5}}));
}

TEST(SimulatedNetwork, TransferTimesAreRoundedUpToNanoseconds) {
  VirtualClock clock;
  SimulationConfig simulation = deterministic(0);
  simulation.bandwidth_bytes_per_s = 3'000'000'000;
  SimulatedNetwork network(2, simulation, &clock);
  send(network.endpoint(0), 1, 1, 4);  // 4/3 ns: leaves at 2
  send(network.endpoint(0), 1, 2, 6);  // 2 ns: leaves at 4
  send(network.endpoint(0), 1, 3, 7);  // 7/3 ns: leaves at 7
  std::vector<Delivery> expected = {{2, 1, 0, 1}, {4, 1, 0, 2}, {7, 1, 0, 3}};
  EXPECT_EQ(run_dry(network, clock), expected);
}

TEST(SimulatedNetwork, EmptyPacketsTakeNoBandwidth) {
  VirtualClock clock;
  SimulationConfig simulation = deterministic(10);
  simulation.bandwidth_bytes_per_s = 1;
  SimulatedNetwork network(2, simulation, &clock);
  network.endpoint(0).send(1, network.endpoint(0).acquire());
  EXPECT_EQ(network.earliest_arrival(), 10u);
}

TEST(SimulatedNetwork, TimesBeyondTheEndOfTheClockDoNotWrap) {
  VirtualClock clock;
  SimulationConfig simulation = deterministic(kMaxLatencyNs);
  simulation.reorder = 1.0;
  SimulatedNetwork network(2, simulation, &clock);
  clock.advance_to(kNever - 1000);
  send(network.endpoint(0), 1, 1);
  EXPECT_EQ(network.earliest_arrival(), kNever - 1);
}

TEST(SimulatedNetwork, EqualTimesKeepTheOrderOfSending) {
  VirtualClock clock;
  SimulatedNetwork network(4, deterministic(100), &clock);
  for (int i = 0; i < 30; ++i) send(network.endpoint(i % 3), 3, i);
  const std::vector<Delivery> trace = run_dry(network, clock);
  ASSERT_EQ(trace.size(), 30u);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(trace[static_cast<std::size_t>(i)], (Delivery{100, 3, i % 3, i}));
  }
}

// Sends in rounds along all links while deliveries go on.
std::vector<Delivery> random_traffic(std::uint64_t seed, double reorder) {
  VirtualClock clock;
  SimulationConfig simulation = deterministic(2000);
  simulation.bandwidth_bytes_per_s = 1'000'000'000;
  simulation.reorder = reorder;
  simulation.seed = seed;
  SimulatedNetwork network(4, simulation, &clock);
  std::vector<Delivery> trace;
  for (int round = 0; round < 50; ++round) {
    for (int link = 0; link < 16; ++link) {
      send(network.endpoint(link / 4), link % 4, round * 16 + link, 64);
    }
    clock.advance_to(clock.now() + 300);
    collect(network, clock, trace);
  }
  const std::vector<Delivery> rest = run_dry(network, clock);
  trace.insert(trace.end(), rest.begin(), rest.end());
  return trace;
}

bool overtaken(const std::vector<Delivery>& trace) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    for (std::size_t j = i + 1; j < trace.size(); ++j) {
      const bool same_link =
          trace[i].receiver == trace[j].receiver && trace[i].source == trace[j].source;
      if (same_link && trace[i].number > trace[j].number) return true;
    }
  }
  return false;
}

TEST(SimulatedNetwork, TheSameSeedGivesTheSameTrace) {
  const std::vector<Delivery> first = random_traffic(17, 0.5);
  EXPECT_EQ(first.size(), 50u * 16u);
  EXPECT_EQ(first, random_traffic(17, 0.5));
  EXPECT_NE(first, random_traffic(18, 0.5));
}

TEST(SimulatedNetwork, WithoutReorderingTheSeedDoesNotMatterAndLinksKeepTheirOrder) {
  const std::vector<Delivery> first = random_traffic(17, 0.0);
  EXPECT_EQ(first, random_traffic(18, 0.0));
  EXPECT_FALSE(overtaken(first));
}

TEST(SimulatedNetwork, ReorderingMakesPacketsOvertakeAndLosesNone) {
  const std::vector<Delivery> trace = random_traffic(5, 0.3);
  EXPECT_TRUE(overtaken(trace));
  std::set<int> numbers;
  for (const Delivery& delivery : trace) numbers.insert(delivery.number);
  EXPECT_EQ(trace.size(), 50u * 16u);
  EXPECT_EQ(numbers.size(), 50u * 16u);
}

TEST(SimulatedNetwork, ReorderingDelaysTheShareOfPacketsThatWasAskedForWithinItsBounds) {
  for (const std::uint64_t latency_ns : {std::uint64_t{0}, std::uint64_t{5000}}) {
    VirtualClock clock;
    SimulationConfig simulation = deterministic(latency_ns);
    simulation.reorder = 0.25;
    SimulatedNetwork network(2, simulation, &clock);
    for (int i = 0; i < 4000; ++i) send(network.endpoint(0), 1, i);
    const std::uint64_t most = kOvertakeLatencies * std::max(latency_ns, kMinOvertakeNs);
    int late = 0;
    std::uint64_t latest = 0;
    for (const Delivery& delivery : run_dry(network, clock)) {
      late += delivery.time_ns > latency_ns ? 1 : 0;
      latest = delivery.time_ns;
    }
    EXPECT_NEAR(late, 1000, 150);
    EXPECT_LE(latest, latency_ns + most);
    EXPECT_GT(latest, latency_ns + most * 9 / 10);
  }
}

TEST(SimulatedNetwork, OtherTrafficDoesNotChangeTheDelaysOfALink) {
  std::vector<std::vector<Delivery>> traces;
  for (const bool busy : {false, true}) {
    VirtualClock clock;
    SimulationConfig simulation = deterministic(1000);
    simulation.reorder = 0.5;
    SimulatedNetwork network(3, simulation, &clock);
    for (int i = 0; i < 100; ++i) {
      send(network.endpoint(0), 1, i);
      if (busy) send(network.endpoint(2), 1, i);
      if (busy) send(network.endpoint(1), 0, i);
    }
    std::vector<Delivery>& kept = traces.emplace_back();
    for (const Delivery& delivery : run_dry(network, clock)) {
      if (delivery.source == 0) kept.push_back(delivery);
    }
  }
  EXPECT_EQ(traces[0].size(), 100u);
  EXPECT_EQ(traces[0], traces[1]);
}

TEST(SimulatedNetwork, OnlyAnEarlierArrivalWakes) {
  VirtualClock clock;
  SimulationConfig simulation = deterministic(1000);
  simulation.bandwidth_bytes_per_s = 1'000'000'000;
  SimulatedNetwork network(3, simulation, &clock);
  std::vector<int> wakeups(3);
  for (int locale = 0; locale < 3; ++locale) {
    int& count = wakeups[static_cast<std::size_t>(locale)];
    network.endpoint(locale).set_wakeup([&count] { ++count; });
  }
  send(network.endpoint(0), 1, 1, 500);
  EXPECT_EQ(wakeups, (std::vector<int>{0, 1, 0}));
  send(network.endpoint(0), 1, 2, 500);
  EXPECT_EQ(wakeups, (std::vector<int>{0, 1, 0})) << "arrives later than the first";
  send(network.endpoint(2), 1, 3, 100);
  EXPECT_EQ(wakeups, (std::vector<int>{0, 2, 0})) << "arrives earlier";
  network.endpoint(1).set_wakeup(nullptr);
  send(network.endpoint(1), 1, 4);
  EXPECT_EQ(wakeups, (std::vector<int>{0, 2, 0}));
}

TEST(SimulatedNetwork, OversizedPacketsArriveWhole) {
  VirtualClock clock;
  SimulatedNetwork network(2, deterministic(10), &clock, 1024);
  constexpr std::uint32_t kBytes = 3'000'000;
  PacketBuffer* packet = network.endpoint(0).acquire(kBytes);
  EXPECT_EQ(packet->capacity, kBytes);
  for (std::uint32_t i = 0; i < kBytes; ++i) packet->data()[i] = static_cast<std::byte>(i * 7);
  packet->size = kBytes;
  network.endpoint(0).send(1, packet);
  clock.advance_to(10);
  PacketBuffer* arrived = network.endpoint(1).poll();
  ASSERT_NE(arrived, nullptr);
  ASSERT_EQ(arrived->size, kBytes);
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    ASSERT_EQ(arrived->data()[i], static_cast<std::byte>(i * 7));
  }
  network.endpoint(1).release(arrived);
  EXPECT_EQ(network.endpoint(0).statistics().bytes_sent, kBytes);
  EXPECT_EQ(network.endpoint(1).statistics().bytes_received, kBytes);
}

TEST(SimulatedNetwork, OneSidedTrafficDoesNotGrowThePools) {
  VirtualClock clock;
  SimulatedNetwork network(2, deterministic(100), &clock);
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 8; ++i) send(network.endpoint(0), 1, i);
    EXPECT_EQ(run_dry(network, clock).size(), 8u);
  }
  EXPECT_EQ(network.endpoint(0).statistics().packets_allocated, 8u);
  EXPECT_EQ(network.endpoint(1).statistics().packets_allocated, 0u);
}

TEST(SimulatedNetwork, WordsOfTheLayerAboveAreResetOnArrival) {
  VirtualClock clock;
  SimulatedNetwork network(2, deterministic(0), &clock);
  PacketBuffer* packet = network.endpoint(0).acquire();
  packet->references = 5;
  network.endpoint(0).send(1, packet);
  PacketBuffer* arrived = network.endpoint(1).poll();
  ASSERT_NE(arrived, nullptr);
  EXPECT_EQ(arrived->references.load(), 0u);
  network.endpoint(1).release(arrived);
}

TEST(SimulatedNetwork, ALostLocaleNeitherSendsNorReceives) {
  VirtualClock clock;
  SimulatedNetwork network(3, deterministic(1000), &clock);
  send(network.endpoint(0), 1, 1);  // on its way to the lost one
  send(network.endpoint(1), 0, 2);  // on its way from the lost one
  send(network.endpoint(2), 0, 3);
  network.lose(1);
  for (int locale = 0; locale < 3; ++locale) {
    EXPECT_TRUE(network.endpoint(locale).lost(1));
    EXPECT_FALSE(network.endpoint(locale).lost(0));
    EXPECT_FALSE(network.endpoint(locale).lost(2));
  }
  EXPECT_EQ(network.in_flight(), 1u);
  EXPECT_EQ(network.endpoint(1).next_event_ns(), kNever);
  send(network.endpoint(0), 1, 4);
  send(network.endpoint(1), 0, 5);
  send(network.endpoint(1), 1, 6);
  EXPECT_EQ(network.in_flight(), 1u);
  EXPECT_EQ(run_dry(network, clock), (std::vector<Delivery>{{1000, 0, 2, 3}}));
  EXPECT_EQ(network.in_flight(), 0u);
  EXPECT_EQ(network.endpoint(0).statistics().packets_dropped, 2u);
  EXPECT_EQ(network.endpoint(1).statistics().packets_dropped, 3u);
}

TEST(SimulatedNetwork, ALocaleIsLostAtTheTimeConfigured) {
  VirtualClock clock;
  clock.advance_to(50);
  SimulationConfig simulation = deterministic(1000);
  simulation.lose_locale = 1;
  simulation.lose_at_ns = 1500;
  SimulatedNetwork network(2, simulation, &clock);
  send(network.endpoint(0), 1, 1);  // arrives at 1050
  clock.advance_to(1000);
  send(network.endpoint(0), 1, 2);  // would arrive at 2000
  send(network.endpoint(1), 0, 3);
  clock.advance_to(1549);
  EXPECT_FALSE(network.endpoint(0).lost(1));
  EXPECT_EQ(network.in_flight(), 3u);
  std::vector<Delivery> trace;
  collect(network, clock, trace);
  EXPECT_EQ(trace, (std::vector<Delivery>{{1549, 1, 0, 1}}));
  clock.advance_to(1550);
  EXPECT_TRUE(network.endpoint(0).lost(1));
  EXPECT_EQ(network.in_flight(), 0u);
  EXPECT_TRUE(run_dry(network, clock).empty());
  EXPECT_EQ(network.endpoint(1).poll(), nullptr);
}

TEST(SimulatedNetwork, WhatIsStillOnItsWayIsDiscardedAtTheEnd) {
  VirtualClock clock;
  SimulatedNetwork network(3, deterministic(1000), &clock);
  for (int i = 0; i < 9; ++i) send(network.endpoint(i % 3), i / 3, i);
  EXPECT_EQ(network.in_flight(), 9u);
}

TEST(SimulatedNetwork, RefusesMisuseAndLeavesThePacketWithTheCaller) {
  VirtualClock clock;
  SimulatedNetwork network(2, deterministic(1000), &clock, 64);
  Endpoint& endpoint = network.endpoint(0);
  PacketBuffer* packet = endpoint.acquire();
  EXPECT_THROW(endpoint.send(2, packet), UsageError);
  EXPECT_THROW(endpoint.send(-1, packet), UsageError);
  packet->size = 65;
  EXPECT_THROW(endpoint.send(1, packet), UsageError);
  packet->size = 0;
  EXPECT_EQ(network.in_flight(), 0u);
  endpoint.send(1, packet);
  EXPECT_THROW(endpoint.send(1, packet), UsageError);
  EXPECT_THROW(endpoint.release(packet), UsageError);
  EXPECT_THROW(endpoint.lost(2), UsageError);
  EXPECT_THROW(endpoint.lost(-1), UsageError);
  EXPECT_THROW(network.endpoint(2), UsageError);
  EXPECT_THROW(network.lose(-1), UsageError);
  EXPECT_EQ(network.in_flight(), 1u);
}

TEST(SimulatedNetwork, RefusesSettingsThatMakeNoSense) {
  VirtualClock clock;
  const SimulationConfig good = deterministic(1);
  EXPECT_THROW(SimulatedNetwork(0, good, &clock), UsageError);
  EXPECT_THROW(SimulatedNetwork(2, good, nullptr), UsageError);
  SimulationConfig bad = good;
  for (const double reorder : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    bad.reorder = reorder;
    EXPECT_THROW(SimulatedNetwork(2, bad, &clock), UsageError);
  }
  bad = good;
  for (const int locale : {-2, 2}) {
    bad.lose_locale = locale;
    EXPECT_THROW(SimulatedNetwork(2, bad, &clock), UsageError);
  }
  bad = good;
  bad.latency_ns = kMaxLatencyNs + 1;
  EXPECT_THROW(SimulatedNetwork(2, bad, &clock), UsageError);
}

}  // namespace
}  // namespace grappa::internal
