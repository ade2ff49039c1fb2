#pragma once

// The transport of a program that runs on one locale: what it sends to itself arrives at once, in
// the order of sending. Packets are passed on by pointer, never copied.
//
//   LoopbackTransport transport;
//   transport.endpoint(0).send(0, packet);
//   PacketBuffer* arrived = transport.endpoint(0).poll();      // the same packet
//
// Thread safety: as Endpoint says. Errors: as Endpoint says.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "grappa/transport/pooled_endpoint.hpp"

namespace grappa::internal {

class LoopbackEndpoint final : public PooledEndpoint {
 public:
  explicit LoopbackEndpoint(std::size_t packet_bytes);
  ~LoopbackEndpoint() override;

  void send(int destination, PacketBuffer* packet) override;
  PacketBuffer* poll() override;
  std::uint64_t next_event_ns() const override;
  bool wakes() const override { return true; }
  void set_wakeup(std::function<void()> wakeup) override { wakeup_ = std::move(wakeup); }
  bool lost(int locale) const override;

  /// Packets sent and not yet polled.
  std::uint64_t queued() const { return queued_.load(std::memory_order_relaxed); }

 private:
  std::function<void()> wakeup_;
  std::mutex mutex_;
  PacketBuffer* first_ = nullptr;         // guarded by mutex_
  PacketBuffer* last_ = nullptr;          // guarded by mutex_; valid while first_ is not null
  std::atomic<std::uint64_t> queued_{0};  // written under mutex_, read without
};

class LoopbackTransport final : public Transport {
 public:
  explicit LoopbackTransport(std::size_t packet_bytes = kDefaultPacketBytes)
      : endpoint_(packet_bytes) {}

  int locale_count() const override { return 1; }
  int endpoint_count() const override { return 1; }
  Endpoint& endpoint(int index) override;
  std::uint64_t in_flight() const override { return endpoint_.queued(); }
  std::uint64_t earliest_arrival() const override { return endpoint_.next_event_ns(); }

 private:
  LoopbackEndpoint endpoint_;
};

}  // namespace grappa::internal
