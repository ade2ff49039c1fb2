#pragma once

// One locale's end of a SimulatedNetwork: what is on its way to it, and the links it arrives over.
// Internal to the transport; see simulated.hpp for the model. The network, which every endpoint
// refers to, owns all endpoints.
//
// Thread safety: as Endpoint says, and any endpoint of the network may call deliver().

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "grappa/transport/pooled_endpoint.hpp"
#include "grappa/transport/simulated.hpp"

namespace grappa::internal {

class SimulatedEndpoint final : public PooledEndpoint {
 public:
  SimulatedEndpoint(SimulatedNetwork& network, int locale, int locale_count,
                    std::size_t packet_bytes);
  ~SimulatedEndpoint() override;

  void send(int destination, PacketBuffer* packet) override;
  PacketBuffer* poll() override;
  std::uint64_t next_event_ns() const override;
  bool wakes() const override { return true; }
  void set_wakeup(std::function<void()> wakeup) override { wakeup_ = std::move(wakeup); }
  bool lost(int locale) const override;

  /// Packets on their way here that have not vanished.
  std::uint64_t in_flight() const;

  /// Everything on its way here vanishes.
  void discard_all();

 private:
  // The way from one sender to this locale.
  struct Link {
    std::uint64_t free_at_ns = 0;    // when the last packet has left the sender
    std::uint64_t random_state = 0;  // of this link alone: other traffic does not disturb it
  };

  struct Arrival {
    std::uint64_t time_ns;
    std::uint64_t sequence;  // of the sends towards this locale: settles equal times
    PacketBuffer* packet;
  };

  // Orders a heap so that its front arrives first.
  struct Later {
    bool operator()(const Arrival& a, const Arrival& b) const {
      return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.sequence > b.sequence;
    }
  };

  // Puts a packet from another endpoint (or this one) on its way here.
  void deliver(PacketBuffer* packet);

  std::uint64_t arrival_time(const PacketBuffer& packet);
  PacketBuffer* pop();
  void publish_earliest();

  SimulatedNetwork& network_;
  std::function<void()> wakeup_;
  mutable std::mutex mutex_;
  std::vector<Link> links_;        // [sender]; guarded by mutex_
  std::vector<Arrival> arrivals_;  // a heap by Later; guarded by mutex_
  std::uint64_t sequence_ = 0;     // guarded by mutex_

  // The time of the front of arrivals_, kNever if there is none. Written under mutex_, read
  // without; on a line of its own, which polling cores share as long as nothing is sent.
  alignas(64) std::atomic<std::uint64_t> earliest_ns_{kNever};
};

}  // namespace grappa::internal
