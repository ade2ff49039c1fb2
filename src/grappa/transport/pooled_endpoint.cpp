#include "grappa/transport/pooled_endpoint.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

namespace {

std::uint64_t value(const std::atomic<std::uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

}  // namespace

PooledEndpoint::PooledEndpoint(int locale, int locale_count, std::size_t packet_bytes, bool shared)
    : shared_(shared), locale_(locale), locale_count_(locale_count), pool_(packet_bytes, shared) {}

TransportStatistics PooledEndpoint::statistics() const {
  TransportStatistics statistics;
  statistics.packets_sent = value(packets_sent_);
  statistics.bytes_sent = value(bytes_sent_);
  statistics.packets_received = value(packets_received_);
  statistics.bytes_received = value(bytes_received_);
  statistics.packets_dropped = value(packets_dropped_);
  statistics.packets_allocated = pool_.allocated();
  return statistics;
}

void PooledEndpoint::prepare_send(int destination, PacketBuffer* packet) {
  check_locale(destination);
  if (packet == nullptr || packet->state != PacketBuffer::State::kOwned) {
    throw UsageError("transport: send of a packet that is not the caller's");
  }
  if (packet->size > packet->capacity) {
    throw UsageError(fmt::format("transport: send of {} bytes in a packet of {}", packet->size,
                                 packet->capacity));
  }
  packet->source = locale_;
  packet->state = PacketBuffer::State::kInFlight;
  add(packets_sent_, 1);
  add(bytes_sent_, packet->size);
}

PacketBuffer* PooledEndpoint::received(PacketBuffer* packet) {
  packet->state = PacketBuffer::State::kOwned;
  packet->references.store(0, std::memory_order_relaxed);
  add(packets_received_, 1);
  add(bytes_received_, packet->size);
  return packet;
}

void PooledEndpoint::dropped(PacketBuffer* packet) {
  packet->state = PacketBuffer::State::kOwned;
  PacketPool::release(packet);
  add(packets_dropped_, 1);
}

void PooledEndpoint::check_locale(int locale) const {
  if (locale < 0 || locale >= locale_count_) {
    throw UsageError(fmt::format("transport: no locale {}, they are numbered from 0 to {}", locale,
                                 locale_count_ - 1));
  }
}

}  // namespace grappa::internal
