#include "grappa/message/packet_assembler.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "grappa/message/test_network.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kRoom = 128 << 10;

/// A chunk outside of any pool, whose bytes are all `mark`.
class Sample {
 public:
  Sample(int source, int destination, std::uint32_t bytes, unsigned char mark)
      : memory_(::operator new(sizeof(Chunk) + kRoom, std::align_val_t{64})) {
    chunk_ = new (memory_) Chunk;
    chunk_->source = source;
    chunk_->destination = destination;
    chunk_->used = bytes;
    std::memset(chunk_->data(), mark, bytes);
  }
  ~Sample() { ::operator delete(memory_, std::align_val_t{64}); }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  const Chunk& chunk() const { return *chunk_; }

 private:
  void* memory_;
  Chunk* chunk_;
};

/// Two locales of four cores; what locale 0 sends is taken from the endpoint of locale 1.
class Assembly : public testing::Test {
 protected:
  TestNetwork network_{TestNetwork::Shape{.locales = 2, .cores = 4}};
  PacketAssembler& packets_ = *network_.enter(0).locale.packets;

  PacketBuffer* arrived() {
    network_.clock().advance_to(network_.clock().now() + 1'000'000);
    return network_.core(4).locale.endpoint->poll();
  }
  void release(PacketBuffer* packet) { network_.core(4).locale.endpoint->release(packet); }
  std::uint64_t sent() const { return network_.count(kPacketsSent); }
};

void expect_section(const Chunk* chunk, int source, int destination, std::uint32_t bytes,
                    unsigned char mark) {
  ASSERT_NE(chunk, nullptr);
  EXPECT_EQ(chunk->source, source);
  EXPECT_EQ(chunk->destination, destination);
  ASSERT_EQ(chunk->used, bytes);
  for (std::uint32_t i = 0; i < bytes; ++i)
    ASSERT_EQ(chunk->data()[i], static_cast<std::byte>(mark)) << i;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(chunk) % 64, 0u);
}

TEST_F(Assembly, CoresShareAPacket) {
  PacketAssembler::Ticket ticket;
  const std::uint32_t sizes[] = {8, 64, 72, 1000};
  for (int i = 0; i < 4; ++i) {
    const auto bytes = sizes[i];
    ticket = packets_.add(Sample(i, 7 - i, bytes, 1 + i).chunk(), 1, PacketAssembler::kStay);
  }
  EXPECT_EQ(sent(), 0u);
  packets_.close(ticket);
  EXPECT_EQ(sent(), 1u);
  PacketBuffer* packet = arrived();
  ASSERT_NE(packet, nullptr);
  Sections sections(packet);
  EXPECT_EQ(sections.count(), 4);
  for (int i = 0; i < 4; ++i)
    expect_section(sections.next(), i, 7 - i, sizes[i], static_cast<unsigned char>(1 + i));
  EXPECT_EQ(sections.next(), nullptr);
  release(packet);
}

TEST_F(Assembly, AnUrgentChunkTakesWhatIsOpenWithIt) {
  const auto ticket = packets_.add(Sample(1, 5, 100, 1).chunk(), 1, PacketAssembler::kStay);
  const auto urgent = packets_.add(Sample(0, 4, 40, 2).chunk(), 1, PacketAssembler::kGo);
  EXPECT_LT(urgent.locale, 0);
  EXPECT_EQ(sent(), 1u);
  packets_.close(ticket);  // has left
  EXPECT_EQ(sent(), 1u);
  PacketBuffer* packet = arrived();
  ASSERT_NE(packet, nullptr);
  EXPECT_EQ(Sections(packet).count(), 2);
  release(packet);
}

TEST_F(Assembly, AnOldTicketDoesNotCloseALaterPacket) {
  const auto old = packets_.add(Sample(0, 4, 100, 1).chunk(), 1, PacketAssembler::kStay);
  packets_.close(old);
  const auto next = packets_.add(Sample(0, 4, 100, 1).chunk(), 1, PacketAssembler::kStay);
  packets_.close(old);
  EXPECT_EQ(sent(), 1u);
  packets_.close(next);
  EXPECT_EQ(sent(), 2u);
  for (int i = 0; i < 2; ++i) release(arrived());
}

TEST_F(Assembly, ALargeChunkTravelsAtOnceAndAlone) {
  const auto small = packets_.add(Sample(0, 4, 100, 1).chunk(), 1, PacketAssembler::kStay);
  const auto large = packets_.add(Sample(0, 5, 100 << 10, 2).chunk(), 1, PacketAssembler::kStay);
  EXPECT_LT(large.locale, 0);
  EXPECT_EQ(sent(), 1u);
  PacketBuffer* packet = arrived();
  ASSERT_NE(packet, nullptr);
  expect_section(Sections(packet).next(), 0, 5, 100 << 10, 2);
  release(packet);
  packets_.close(small);
  release(arrived());
}

TEST_F(Assembly, AFullPacketLeavesByItself) {
  const Sample sample(0, 4, 10'000, 3);
  const std::size_t each = 10'000 + sizeof(Chunk);
  const std::size_t fit = packets_.packet_bytes() / each;
  for (std::size_t i = 0; i <= fit; ++i) packets_.add(sample.chunk(), 1, PacketAssembler::kStay);
  EXPECT_EQ(sent(), 1u);
  PacketBuffer* packet = arrived();
  ASSERT_NE(packet, nullptr);
  EXPECT_LE(packet->size, packets_.packet_bytes());
  EXPECT_GE(static_cast<std::size_t>(Sections(packet).count()), fit - 1);
  release(packet);
}

TEST_F(Assembly, ThreadsFillPacketsTogether) {
  constexpr int kThreads = 4;
  constexpr int kChunks = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      metrics::set_current(network_.core(t).metrics);
      PacketAssembler::Ticket last;
      for (int i = 0; i < kChunks; ++i) {
        const auto bytes = static_cast<std::uint32_t>(8 + (i * 37 + t) % 3000 / 8 * 8);
        const Sample sample(t, 4 + i % 4, bytes, static_cast<unsigned char>(t * 16 + i % 16));
        last = packets_.add(sample.chunk(), 1,
                            i % 50 == 0 ? PacketAssembler::kGo : PacketAssembler::kStay);
        if (i % 7 == 0) packets_.close(last);
      }
      packets_.close(last);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<int, int> sections_of;
  while (PacketBuffer* packet = arrived()) {
    Sections sections(packet);
    while (const Chunk* chunk = sections.next()) {
      ++sections_of[chunk->source];
      ASSERT_GE(chunk->used, 8u);
      const std::byte mark = chunk->data()[0];
      ASSERT_EQ(static_cast<int>(mark) / 16, chunk->source);
      for (std::uint32_t b = 0; b < chunk->used; ++b) ASSERT_EQ(chunk->data()[b], mark);
    }
    release(packet);
  }
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(sections_of[t], kChunks);
}

}  // namespace
}  // namespace grappa::internal
