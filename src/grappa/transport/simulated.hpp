#pragma once

// A network between locales that all live in this process, with latency, limited bandwidth, packets
// that overtake one another, and the loss of a whole locale.
//
//   SimulationConfig simulation;
//   simulation.mode = SimulationMode::kDeterministic;
//   simulation.latency_ns = 50'000;
//   VirtualClock clock;
//   SimulatedNetwork network(8, simulation, &clock);
//   network.endpoint(0).send(7, packet);
//   clock.advance_to(network.earliest_arrival());
//   PacketBuffer* arrived = network.endpoint(7).poll();        // the same packet
//
// Two modes. Timed: the clock is now_ns(), with any number of threads on either side.
// Deterministic: the clock is a VirtualClock, which somebody else advances; everything happens on
// one thread, and the same calls with the same seed give the same deliveries at the same times.
//
// The time of a packet. There is one link for each pair of sender and receiver, and it carries one
// packet after the other:
//   leaves  = max(time of the send, when the previous packet of this link has left)
//             + size / bandwidth, rounded up to whole ns
//   arrives = leaves + latency
//             + with probability `reorder`: 1 ns to kOvertakeLatencies latencies, evenly spread
//               (where the latency is less than kMinOvertakeNs, that instead)
//
// Packets due at the same time are handed out in the order of sending. Without reordering, the
// packets of one link stay in order. A locale reaches itself at once, over no link. Packets are
// passed on by pointer: a simulated transfer costs no copy.
//
// Loss: a locale is lost lose_at_ns after the network was made, or when lose() is called. What is
// then on its way to or from it vanishes, and so does everything sent to or from it later.
//
// Thread safety: timed, all functions from any thread; deterministic, one thread.
// Errors: as Endpoint says; the constructor throws UsageError for settings that make no sense.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa::internal {

/// An overtaken packet is late by up to so many latencies.
inline constexpr std::uint64_t kOvertakeLatencies = 4;
inline constexpr std::uint64_t kMinOvertakeNs = 1000;
inline constexpr std::uint64_t kMaxLatencyNs = 3'600'000'000'000;  // an hour

class SimulatedEndpoint;

/// Locales of one process, joined by simulated links.
class SimulatedNetwork final : public Transport {
 public:
  /// `clock` is for the deterministic mode only, which needs it; it must outlive the network.
  SimulatedNetwork(int locales, const SimulationConfig& simulation, VirtualClock* clock = nullptr,
                   std::size_t packet_bytes = kDefaultPacketBytes);
  ~SimulatedNetwork() override;

  int locale_count() const override { return static_cast<int>(endpoints_.size()); }
  int endpoint_count() const override { return locale_count(); }
  Endpoint& endpoint(int index) override;
  std::uint64_t in_flight() const override;
  std::uint64_t earliest_arrival() const override;

  /// Loses a locale now.
  void lose(int locale);

 private:
  friend class SimulatedEndpoint;

  SimulatedEndpoint& at(int locale) const;
  std::uint64_t now() const;
  bool lost(int locale) const;

  const SimulationConfig simulation_;
  VirtualClock* const clock_;  // null in timed mode
  // When each locale is lost; kNever if it is not. It becomes 0 once a core has seen the loss, so
  // that another core, whose clock is some ns behind, cannot see the locale alive again.
  mutable std::vector<std::atomic<std::uint64_t>> lost_at_;
  std::vector<std::unique_ptr<SimulatedEndpoint>> endpoints_;
};

}  // namespace grappa::internal
