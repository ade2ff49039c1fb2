#include "grappa/transport/packet_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "grappa/base/error.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace grappa::internal {

namespace {

constexpr std::size_t kMaxPacketBytes = std::numeric_limits<std::uint32_t>::max();

void poison([[maybe_unused]] PacketBuffer* packet) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(packet->data(), packet->capacity);
#endif
}

void unpoison([[maybe_unused]] PacketBuffer* packet) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(packet->data(), packet->capacity);
#endif
}

PacketBuffer* allocate_packet(std::size_t capacity) {
  void* memory = ::operator new(sizeof(PacketBuffer) + kPacketHeadroom + capacity,
                                std::align_val_t{kPacketAlignment});
  auto* packet = new (memory) PacketBuffer;
  packet->capacity = static_cast<std::uint32_t>(capacity);
  return packet;
}

void free_packet(PacketBuffer* packet) {
  packet->~PacketBuffer();
  ::operator delete(packet, std::align_val_t{kPacketAlignment});
}

}  // namespace

PacketPool::PacketPool(std::size_t packet_bytes, bool shared)
    : packet_bytes_(packet_bytes), mutex_(shared) {
  if (packet_bytes == 0 || packet_bytes > kMaxPacketBytes) {
    throw UsageError(fmt::format("transport: packets of {} bytes asked, possible are 1 to {}",
                                 packet_bytes, kMaxPacketBytes));
  }
}

PacketPool::~PacketPool() {
  while (PacketBuffer* packet = pop()) {
    unpoison(packet);
    free_packet(packet);
  }
}

PacketBuffer* PacketPool::acquire(std::size_t at_least) {
  if (at_least > kMaxPacketBytes) {
    throw UsageError(fmt::format("transport: a packet of {} bytes asked, the largest has {}",
                                 at_least, kMaxPacketBytes));
  }
  PacketBuffer* packet = at_least <= packet_bytes_ ? pop() : nullptr;
  if (packet != nullptr) {
    unpoison(packet);
  } else {
    packet = allocate_packet(std::max(at_least, packet_bytes_));
    packet->pool = this;
    allocated_.fetch_add(1, std::memory_order_relaxed);
  }
  packet->state = PacketBuffer::State::kOwned;
  packet->size = 0;
  packet->source = -1;
  packet->references.store(0, std::memory_order_relaxed);
  return packet;
}

void PacketPool::release(PacketBuffer* packet) {
  if (packet == nullptr || packet->state != PacketBuffer::State::kOwned) {
    throw UsageError("transport: release of a packet that is not the caller's");
  }
  packet->state = PacketBuffer::State::kPooled;
  if (packet->capacity == packet->pool->packet_bytes_) {
    packet->pool->push(packet);
  } else {
    free_packet(packet);
  }
}

PacketBuffer* PacketPool::pop() {
  const std::lock_guard lock(mutex_);
  PacketBuffer* packet = free_;
  if (packet != nullptr) free_ = packet->next;
  return packet;
}

void PacketPool::push(PacketBuffer* packet) {
  poison(packet);
  const std::lock_guard lock(mutex_);
  packet->next = free_;
  free_ = packet;
}

}  // namespace grappa::internal
