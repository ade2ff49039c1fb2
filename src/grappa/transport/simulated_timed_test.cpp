// The simulated network under the wall clock, with threads on either side. Times are checked from
// below only: nothing here fails because the machine is slow.

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/transport/simulated.hpp"

namespace grappa::internal {
namespace {

SimulationConfig timed(std::uint64_t latency_ns) {
  SimulationConfig simulation;
  simulation.mode = SimulationMode::kTimed;
  simulation.latency_ns = latency_ns;
  return simulation;
}

// Number, then a payload that depends on it, then the sum of all that.
constexpr std::uint32_t kWords = 40;

void send_checked(Endpoint& endpoint, int destination, std::uint64_t number) {
  PacketBuffer* packet = endpoint.acquire();
  std::uint64_t words[kWords];
  std::uint64_t sum = words[0] = number;
  for (std::uint32_t i = 1; i + 1 < kWords; ++i) {
    words[i] = (number + i) * 0x9e3779b97f4a7c15;
    sum += words[i];
  }
  words[kWords - 1] = sum;
  std::memcpy(packet->data(), words, sizeof words);
  packet->size = sizeof words;
  endpoint.send(destination, packet);
}

// The number of a packet, or all ones if it was damaged.
std::uint64_t checked_number(const PacketBuffer& packet) {
  std::uint64_t words[kWords];
  if (packet.size != sizeof words) return ~std::uint64_t{0};
  std::memcpy(words, packet.data(), sizeof words);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i + 1 < kWords; ++i) sum += words[i];
  return sum == words[kWords - 1] ? words[0] : ~std::uint64_t{0};
}

PacketBuffer* wait_for_packet(Endpoint& endpoint) {
  for (;;) {
    if (PacketBuffer* packet = endpoint.poll()) return packet;
    std::this_thread::yield();
  }
}

TEST(SimulatedNetworkTimed, TakesTheLatencyAndTheTransferTime) {
  SimulationConfig simulation = timed(2'000'000);
  simulation.bandwidth_bytes_per_s = 1'000'000;  // a byte a microsecond
  SimulatedNetwork network(2, simulation);
  const std::uint64_t start = now_ns();
  PacketBuffer* packet = network.endpoint(0).acquire();
  packet->size = 1000;
  network.endpoint(0).send(1, packet);
  EXPECT_GE(network.endpoint(1).next_event_ns(), start + 3'000'000);
  PacketBuffer* arrived = wait_for_packet(network.endpoint(1));
  EXPECT_GE(now_ns(), start + 3'000'000);
  network.endpoint(1).release(arrived);
}

// Several threads a locale, all of them sending to all locales and polling their own.
void exchange(const SimulationConfig& simulation) {
  constexpr int kLocales = 3;
  constexpr int kThreadsEach = 2;
  constexpr std::uint64_t kPacketsEach = 1500;
  constexpr std::uint64_t kTotal = kPacketsEach * kLocales * kThreadsEach;
  SimulatedNetwork network(kLocales, simulation, nullptr, 1024);
  std::vector<std::atomic<int>> seen(kTotal);
  std::atomic<std::uint64_t> received{0};
  std::atomic<int> damaged{0};
  std::atomic<int> misdirected{0};
  std::atomic<int> wakeups{0};
  for (int locale = 0; locale < kLocales; ++locale) {
    network.endpoint(locale).set_wakeup([&] { ++wakeups; });
  }
  std::vector<std::thread> threads;
  threads.reserve(std::size_t{kLocales} * kThreadsEach);
  for (int t = 0; t < kLocales * kThreadsEach; ++t) {
    threads.emplace_back([&, t] {
      Endpoint& endpoint = network.endpoint(t % kLocales);
      std::uint64_t next = static_cast<std::uint64_t>(t) * kPacketsEach;
      const std::uint64_t end = next + kPacketsEach;
      while (next < end || received.load() < kTotal) {
        if (next < end) {
          send_checked(endpoint, static_cast<int>(next % kLocales), next);
          ++next;
        }
        PacketBuffer* packet = endpoint.poll();
        if (packet == nullptr) {
          std::this_thread::yield();
          continue;
        }
        const std::uint64_t number = checked_number(*packet);
        if (number >= kTotal) {
          ++damaged;
        } else {
          ++seen[number];
          const auto sender = static_cast<int>(number / kPacketsEach) % kLocales;
          const bool right =
              packet->source == sender && static_cast<int>(number % kLocales) == endpoint.locale();
          if (!right) ++misdirected;
        }
        endpoint.release(packet);
        ++received;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(damaged.load(), 0);
  EXPECT_EQ(misdirected.load(), 0);
  EXPECT_GT(wakeups.load(), 0);
  for (std::uint64_t i = 0; i < kTotal; ++i) ASSERT_EQ(seen[i].load(), 1) << "packet " << i;
  EXPECT_EQ(network.in_flight(), 0u);
  TransportStatistics sum;
  for (int locale = 0; locale < kLocales; ++locale) {
    const TransportStatistics statistics = network.endpoint(locale).statistics();
    sum.packets_sent += statistics.packets_sent;
    sum.packets_received += statistics.packets_received;
    sum.bytes_sent += statistics.bytes_sent;
    sum.bytes_received += statistics.bytes_received;
  }
  EXPECT_EQ(sum.packets_sent, kTotal);
  EXPECT_EQ(sum.packets_received, kTotal);
  EXPECT_EQ(sum.bytes_sent, sum.bytes_received);
}

TEST(SimulatedNetworkTimed, EveryPacketArrivesOnceAndWhole) { exchange(timed(20'000)); }

TEST(SimulatedNetworkTimed, EveryPacketArrivesOnceAndWholeWithoutLatency) { exchange(timed(0)); }

TEST(SimulatedNetworkTimed, EveryPacketArrivesOnceAndWholeWithReorderingAndLimitedBandwidth) {
  SimulationConfig simulation = timed(20'000);
  simulation.reorder = 0.3;
  simulation.bandwidth_bytes_per_s = 1'000'000'000;
  exchange(simulation);
}

// The protocol of a parked locale: announce, look once more, sleep until the next arrival or a
// wake-up. A lost wake-up would leave this test hanging.
TEST(SimulatedNetworkTimed, ASleeperMissesNoWakeUp) {
  constexpr int kRounds = 2000;
  SimulatedNetwork network(2, timed(1000));
  struct Sleeper {
    std::atomic<bool> sleeping{false};
    std::mutex mutex;
    std::condition_variable condition;
    bool woken = false;
  };
  Sleeper sleepers[2];
  for (int locale = 0; locale < 2; ++locale) {
    Sleeper& sleeper = sleepers[locale];
    network.endpoint(locale).set_wakeup([&sleeper] {
      if (!sleeper.sleeping.load()) return;
      {
        const std::lock_guard lock(sleeper.mutex);
        sleeper.woken = true;
      }
      sleeper.condition.notify_one();
    });
  }
  const auto receive = [&](int locale) {
    Sleeper& sleeper = sleepers[locale];
    Endpoint& endpoint = network.endpoint(locale);
    for (;;) {
      if (PacketBuffer* packet = endpoint.poll()) {
        endpoint.release(packet);
        return;
      }
      sleeper.sleeping.store(true);
      if (endpoint.next_event_ns() == kNever) {
        std::unique_lock lock(sleeper.mutex);
        sleeper.condition.wait(lock, [&] { return sleeper.woken; });
        sleeper.woken = false;
      }
      sleeper.sleeping.store(false);
    }
  };
  std::thread echo([&] {
    for (int i = 0; i < kRounds; ++i) {
      receive(1);
      network.endpoint(1).send(0, network.endpoint(1).acquire());
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    network.endpoint(0).send(1, network.endpoint(0).acquire());
    receive(0);
  }
  echo.join();
  EXPECT_EQ(network.in_flight(), 0u);
}

TEST(SimulatedNetworkTimed, LosingALocaleUnderLoadEndsItsTraffic) {
  SimulatedNetwork network(3, timed(5000));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int locale = 0; locale < 3; ++locale) {
    threads.emplace_back([&, locale] {
      Endpoint& endpoint = network.endpoint(locale);
      std::uint64_t number = 0;
      while (!stop.load()) {
        if (network.in_flight() < 100) {
          send_checked(endpoint, static_cast<int>(number % 3), number);
          ++number;
        }
        if (PacketBuffer* packet = endpoint.poll()) endpoint.release(packet);
      }
    });
  }
  while (network.endpoint(1).statistics().packets_received < 50) std::this_thread::yield();
  network.lose(1);
  while (network.endpoint(1).statistics().packets_dropped < 50) std::this_thread::yield();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(network.endpoint(0).lost(1));
  EXPECT_EQ(network.endpoint(1).poll(), nullptr);
  EXPECT_EQ(network.endpoint(1).next_event_ns(), kNever);
}

TEST(SimulatedNetworkTimed, ALocaleIsLostAtTheTimeConfigured) {
  SimulationConfig simulation = timed(0);
  simulation.lose_locale = 1;
  simulation.lose_at_ns = 2'000'000;
  const std::uint64_t start = now_ns();
  SimulatedNetwork network(2, simulation);
  while (!network.endpoint(0).lost(1)) std::this_thread::yield();
  EXPECT_GE(now_ns(), start + 2'000'000);
  network.endpoint(0).send(1, network.endpoint(0).acquire());
  EXPECT_EQ(network.endpoint(1).poll(), nullptr);
  EXPECT_EQ(network.in_flight(), 0u);
}

}  // namespace
}  // namespace grappa::internal
