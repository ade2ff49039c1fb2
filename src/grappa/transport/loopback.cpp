#include "grappa/transport/loopback.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::internal {

LoopbackEndpoint::LoopbackEndpoint(std::size_t packet_bytes) : PooledEndpoint(0, 1, packet_bytes) {}

LoopbackEndpoint::~LoopbackEndpoint() {
  while (PacketBuffer* packet = poll()) release(packet);
}

void LoopbackEndpoint::send(int destination, PacketBuffer* packet) {
  prepare_send(destination, packet);
  packet->next = nullptr;
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    was_empty = first_ == nullptr;
    if (was_empty) {
      first_ = packet;
    } else {
      last_->next = packet;
    }
    last_ = packet;
    queued_.store(queued() + 1, std::memory_order_seq_cst);
  }
  if (was_empty && wakeup_) wakeup_();
}

PacketBuffer* LoopbackEndpoint::poll() {
  if (queued() == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  PacketBuffer* packet = first_;
  if (packet == nullptr) return nullptr;
  first_ = packet->next;
  queued_.store(queued() - 1, std::memory_order_relaxed);
  return received(packet);
}

std::uint64_t LoopbackEndpoint::next_event_ns() const {
  return queued_.load(std::memory_order_seq_cst) == 0 ? kNever : 0;
}

bool LoopbackEndpoint::lost(int locale) const {
  check_locale(locale);
  return false;
}

Endpoint& LoopbackTransport::endpoint(int index) {
  if (index != 0) throw UsageError(fmt::format("transport: no endpoint {}, only 0", index));
  return endpoint_;
}

}  // namespace grappa::internal
