#include "grappa/transport/loopback.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

PacketBuffer* numbered_packet(Endpoint& endpoint, int number) {
  PacketBuffer* packet = endpoint.acquire();
  std::memcpy(packet->data(), &number, sizeof number);
  packet->size = sizeof number;
  return packet;
}

int number_of(const PacketBuffer& packet) {
  int number = 0;
  std::memcpy(&number, packet.data(), sizeof number);
  return number;
}

TEST(Loopback, DescribesItself) {
  LoopbackTransport transport(512);
  EXPECT_EQ(transport.locale_count(), 1);
  EXPECT_EQ(transport.endpoint_count(), 1);
  Endpoint& endpoint = transport.endpoint(0);
  EXPECT_EQ(endpoint.locale(), 0);
  EXPECT_EQ(endpoint.locale_count(), 1);
  EXPECT_EQ(endpoint.packet_bytes(), 512u);
  EXPECT_TRUE(endpoint.wakes());
  EXPECT_FALSE(endpoint.lost(0));
}

TEST(Loopback, DeliversAtOnceAndInOrder) {
  LoopbackTransport transport;
  Endpoint& endpoint = transport.endpoint(0);
  EXPECT_EQ(endpoint.poll(), nullptr);
  EXPECT_EQ(endpoint.next_event_ns(), kNever);
  EXPECT_EQ(transport.earliest_arrival(), kNever);
  for (int i = 0; i < 5; ++i) endpoint.send(0, numbered_packet(endpoint, i));
  EXPECT_EQ(transport.in_flight(), 5u);
  EXPECT_EQ(endpoint.next_event_ns(), 0u);
  for (int i = 0; i < 5; ++i) {
    PacketBuffer* packet = endpoint.poll();
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(number_of(*packet), i);
    EXPECT_EQ(packet->source, 0);
    endpoint.release(packet);
  }
  EXPECT_EQ(endpoint.poll(), nullptr);
  EXPECT_EQ(transport.in_flight(), 0u);
  EXPECT_EQ(transport.earliest_arrival(), kNever);
}

TEST(Loopback, CountsAndReusesPackets) {
  LoopbackTransport transport;
  Endpoint& endpoint = transport.endpoint(0);
  for (int i = 0; i < 100; ++i) {
    endpoint.send(0, numbered_packet(endpoint, i));
    endpoint.release(endpoint.poll());
  }
  const TransportStatistics statistics = endpoint.statistics();
  EXPECT_EQ(statistics.packets_sent, 100u);
  EXPECT_EQ(statistics.bytes_sent, 100 * sizeof(int));
  EXPECT_EQ(statistics.packets_received, 100u);
  EXPECT_EQ(statistics.bytes_received, 100 * sizeof(int));
  EXPECT_EQ(statistics.packets_dropped, 0u);
  EXPECT_EQ(statistics.packets_allocated, 1u);
}

TEST(Loopback, WakesForTheFirstPacketOnly) {
  LoopbackTransport transport;
  Endpoint& endpoint = transport.endpoint(0);
  int wakeups = 0;
  endpoint.set_wakeup([&] { ++wakeups; });
  endpoint.send(0, endpoint.acquire());
  endpoint.send(0, endpoint.acquire());
  EXPECT_EQ(wakeups, 1);
  endpoint.release(endpoint.poll());
  endpoint.release(endpoint.poll());
  endpoint.send(0, endpoint.acquire());
  EXPECT_EQ(wakeups, 2);
}

TEST(Loopback, RefusesMisuseAndLeavesThePacketWithTheCaller) {
  LoopbackTransport transport(64);
  Endpoint& endpoint = transport.endpoint(0);
  PacketBuffer* packet = endpoint.acquire();
  EXPECT_THROW(endpoint.send(1, packet), UsageError);
  EXPECT_THROW(endpoint.send(-1, packet), UsageError);
  packet->size = 65;
  EXPECT_THROW(endpoint.send(0, packet), UsageError);
  packet->size = 64;
  EXPECT_EQ(endpoint.statistics().packets_sent, 0u);
  endpoint.send(0, packet);
  EXPECT_THROW(endpoint.send(0, packet), UsageError) << "sent twice";
  EXPECT_THROW(endpoint.release(packet), UsageError) << "released while on its way";
  EXPECT_THROW(endpoint.send(0, nullptr), UsageError);
  EXPECT_THROW(endpoint.lost(1), UsageError);
  EXPECT_THROW(transport.endpoint(1), UsageError);
  EXPECT_EQ(transport.in_flight(), 1u);
}

TEST(Loopback, EveryPacketArrivesOnceAmongThreads) {
  constexpr int kThreads = 4;
  constexpr int kPacketsEach = 2000;
  LoopbackTransport transport(64);
  Endpoint& endpoint = transport.endpoint(0);
  std::vector<std::atomic<int>> seen(std::size_t{kThreads} * kPacketsEach);
  std::atomic<int> received{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      int sent = 0;
      while (sent < kPacketsEach || received.load() < kThreads * kPacketsEach) {
        if (sent < kPacketsEach) {
          endpoint.send(0, numbered_packet(endpoint, t * kPacketsEach + sent++));
        }
        if (PacketBuffer* packet = endpoint.poll()) {
          ++seen[static_cast<std::size_t>(number_of(*packet))];
          endpoint.release(packet);
          ++received;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& times : seen) ASSERT_EQ(times.load(), 1);
  EXPECT_EQ(endpoint.poll(), nullptr);
}

}  // namespace
}  // namespace grappa::internal
