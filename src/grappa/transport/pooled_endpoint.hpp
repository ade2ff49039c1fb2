#pragma once

// The part of an Endpoint that is the same for all transports: its packet pool, its counters and
// the checks of what callers pass. A transport derives from it and calls
//   void send(int destination, PacketBuffer* packet) override {
//     prepare_send(destination, packet);      // checks, counts, marks as in flight
//     …
//   }
//   PacketBuffer* poll() override { … return received(packet); }      // counts, hands over
//   void drop() { … dropped(packet); }                                // counts, back to its pool
//
// Thread safety: as Endpoint says.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "grappa/transport/packet_pool.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa::internal {

class PooledEndpoint : public Endpoint {
 public:
  PooledEndpoint(int locale, int locale_count, std::size_t packet_bytes, bool shared = true);

  int locale() const final { return locale_; }
  int locale_count() const final { return locale_count_; }
  std::size_t packet_bytes() const final { return pool_.packet_bytes(); }
  PacketBuffer* acquire(std::size_t at_least) final { return pool_.acquire(at_least); }
  void release(PacketBuffer* packet) final { PacketPool::release(packet); }
  TransportStatistics statistics() const final;

 protected:
  /// Throws UsageError, changing nothing, when there is no such destination or packet.
  void prepare_send(int destination, PacketBuffer* packet);

  PacketBuffer* received(PacketBuffer* packet);
  void dropped(PacketBuffer* packet);
  void check_locale(int locale) const;

  /// Counts for statistics(), without a locked instruction where there is one thread.
  void add(std::atomic<std::uint64_t>& counter, std::uint64_t by) const {
    if (shared_) {
      counter.fetch_add(by, std::memory_order_relaxed);
    } else {
      counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
  }

 private:
  const bool shared_;
  const int locale_;
  const int locale_count_;
  PacketPool pool_;
  std::atomic<std::uint64_t> packets_sent_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::atomic<std::uint64_t> packets_received_{0};
  std::atomic<std::uint64_t> bytes_received_{0};
  std::atomic<std::uint64_t> packets_dropped_{0};
};

}  // namespace grappa::internal
