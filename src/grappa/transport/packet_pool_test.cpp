#include "grappa/transport/packet_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

TEST(PacketPool, HandsOutEmptyAlignedPacketsWithTheFullCapacity) {
  PacketPool pool(4096);
  PacketBuffer* packet = pool.acquire(0);
  EXPECT_EQ(packet->capacity, 4096u);
  EXPECT_EQ(packet->size, 0u);
  EXPECT_EQ(packet->source, -1);
  EXPECT_EQ(packet->references.load(), 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packet->data() - kPacketHeadroom) % kPacketAlignment,
            0u);
  std::memset(packet->data(), 0xff, packet->capacity);
  PacketPool::release(packet);
}

TEST(PacketPool, ResetsAPacketThatIsHandedOutAgain) {
  PacketPool pool(100);
  PacketBuffer* packet = pool.acquire(0);
  packet->size = 7;
  packet->source = 3;
  packet->references = 2;
  PacketPool::release(packet);
  PacketBuffer* again = pool.acquire(100);
  EXPECT_EQ(again, packet);
  EXPECT_EQ(again->size, 0u);
  EXPECT_EQ(again->source, -1);
  EXPECT_EQ(again->references.load(), 0u);
  PacketPool::release(again);
}

TEST(PacketPool, DoesNotGrowInSteadyState) {
  PacketPool pool(1024);
  for (int round = 0; round < 100; ++round) {
    std::vector<PacketBuffer*> packets;
    packets.reserve(10);
    for (int i = 0; i < 10; ++i) packets.push_back(pool.acquire(0));
    EXPECT_EQ(std::set<PacketBuffer*>(packets.begin(), packets.end()).size(), 10u);
    for (PacketBuffer* packet : packets) PacketPool::release(packet);
  }
  EXPECT_EQ(pool.allocated(), 10u);
}

TEST(PacketPool, LargePacketsHaveTheSizeAskedForAndAreNotKept) {
  PacketPool pool(1024);
  PacketBuffer* large = pool.acquire(1'000'000);
  EXPECT_EQ(large->capacity, 1'000'000u);
  std::memset(large->data(), 1, large->capacity);
  PacketPool::release(large);
  PacketBuffer* normal = pool.acquire(1);
  EXPECT_EQ(normal->capacity, 1024u);
  PacketPool::release(normal);
  EXPECT_EQ(pool.allocated(), 2u);
}

TEST(PacketPool, ReleasesToThePoolThatMadeThePacket) {
  PacketPool first(64);
  PacketPool second(64);
  PacketBuffer* packet = first.acquire(0);
  PacketPool::release(packet);
  PacketBuffer* other = second.acquire(0);
  EXPECT_NE(other, packet);
  PacketPool::release(other);
  PacketBuffer* again = first.acquire(0);
  EXPECT_EQ(again, packet);
  PacketPool::release(again);
}

TEST(PacketPool, RefusesSizesThatCannotBe) {
  EXPECT_THROW(PacketPool(0), UsageError);
  EXPECT_THROW(PacketPool(std::size_t{1} << 32), UsageError);
  PacketPool pool(64);
  EXPECT_THROW(pool.acquire(std::size_t{1} << 32), UsageError);
  EXPECT_EQ(pool.allocated(), 0u);
}

TEST(PacketPool, RefusesASecondReleaseAndNull) {
  PacketPool pool(64);
  PacketBuffer* packet = pool.acquire(0);
  PacketPool::release(packet);
  EXPECT_THROW(PacketPool::release(packet), UsageError);
  EXPECT_THROW(PacketPool::release(nullptr), UsageError);
}

#if defined(__SANITIZE_ADDRESS__)
TEST(PacketPoolDeathTest, UseAfterReleaseIsFound) {
  PacketPool pool(64);
  PacketBuffer* packet = pool.acquire(0);
  PacketPool::release(packet);
  volatile std::byte* payload = packet->data();
  EXPECT_DEATH(payload[5] = std::byte{1}, "use-after-poison");
}
#endif

}  // namespace
}  // namespace grappa::internal
