// The part of the aggregator that knows other processes: chunks become packets, and packets chunks.

#include <cstring>

#include "grappa/base/module_table.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/metrics.hpp"

namespace grappa {

const MessageType* Aggregator::to_travel(const MessageType* type) const {
  return reinterpret_cast<const MessageType*>(core_.locale.modules->id_of(type));
}

const MessageType* Aggregator::from_travel(const MessageType* id) const {
  return static_cast<const MessageType*>(
      core_.locale.modules->address_of(reinterpret_cast<std::uint64_t>(id)));
}

void Aggregator::send_packet(int destination, Chunk* chunk) {
  Endpoint& endpoint = *core_.locale.endpoint;
  const std::size_t bytes = sizeof(Chunk) + chunk->used;
  PacketBuffer* packet = endpoint.acquire(bytes);
  std::memcpy(packet->data(), static_cast<const void*>(chunk), bytes);
  packet->size = static_cast<std::uint32_t>(bytes);
  std::byte* at = packet->data() + sizeof(Chunk);
  for (const std::byte* const end = packet->data() + bytes; at < end;) {
    auto& batch = *reinterpret_cast<BatchHeader*>(at);
    batch.type = to_travel(batch.type);
    at = batch.payload() + batch.bytes;
  }
  kPacketsSent.add_to(*core_.metrics);
  kPacketBytes.record(bytes);
  endpoint.send(destination / core_.locale.cores_each, packet);
  chunk->charged = -1;  // this credit comes back as a message
  recycle(chunk);
}

void Aggregator::receive_packets() {
  Endpoint& endpoint = *core_.locale.endpoint;
  while (PacketBuffer* packet = endpoint.poll()) {
    auto* chunk = reinterpret_cast<Chunk*>(packet->data());
    chunk->packet = packet;
    Locale& locale = core_.locale;
    locale.cores[static_cast<std::size_t>(chunk->destination - locale.first_core())]
        ->messages->deliver(chunk);
  }
}

std::uint64_t Aggregator::next_arrival() const {
  if (core_.locale.count == 1) return kNoArrival;
  return core_.locale.endpoint->next_event_ns();
}

bool Aggregator::must_poll() const {
  return core_.locale.count > 1 && !core_.locale.endpoint->wakes();
}

}  // namespace grappa
