#pragma once

// Moving packets between locales: the interface that loopback, simulated and MPI transports
// implement.
//
// A Transport holds the Endpoints of the locales that live in this process (one; all of them in a
// simulation). An Endpoint belongs to one locale and sends packets to the others, itself included:
//
//   std::unique_ptr<Transport> transport = make_transport(config);
//   Endpoint& endpoint = transport->endpoint(0);
//   PacketBuffer* packet = endpoint.acquire();
//   packet->size = fill(packet->data(), packet->capacity);
//   endpoint.send(1, packet);
//   while (PacketBuffer* arrived = endpoint.poll()) {
//     use(arrived->source, arrived->data(), arrived->size);
//     endpoint.release(arrived);
//   }
//
// Guarantees: every packet arrives exactly once, unchanged, unless its sender or receiver is lost.
// Order is not guaranteed, not even between two locales. What the sender wrote into a packet is
// visible to whoever polls it.
//
// Memory: the transport has no bounds. The layer above limits how much is in flight.
//
// Progress: some transports move packets only inside send() and poll(); a locale that waits for
// anything must keep polling, or, where wakes() is true, may sleep until next_event_ns() or its
// wake-up is called.
//
// Thread safety: all functions of Endpoint may be called by every core thread of its locale at any
// time, except set_wakeup(), which is called before the first packet is sent and after the last one
// has arrived. In deterministic simulation all calls come from one thread. No function blocks for
// other than a short critical section, and none switches tasks.
//
// Times are nanoseconds on the clock of the transport: now_ns(), or the VirtualClock of a
// deterministic simulation. Sizes are bytes.
//
// Errors: programming errors (a destination that does not exist, a packet that the caller does not
// own, more bytes than its capacity) throw UsageError and leave the packet with the caller.
// acquire() throws std::bad_alloc when there is no memory.
//
// Lifetime: every packet is released or sent before its transport is destroyed; what is still on
// its way then is discarded.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "grappa/transport/packet.hpp"

namespace grappa {
struct Config;
}

namespace grappa::internal {

class VirtualClock;

/// The time of an event that is not known to come.
inline constexpr std::uint64_t kNever = UINT64_MAX;

/// The capacity of pooled packets unless the transport is made with another.
inline constexpr std::size_t kDefaultPacketBytes = 256 * 1024;

/// Counts since the endpoint was made. Exact while no other thread uses it, else a moment old.
struct TransportStatistics {
  std::uint64_t packets_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t packets_received = 0;  // handed out by poll()
  std::uint64_t bytes_received = 0;
  std::uint64_t packets_dropped = 0;    // to or from a lost locale; counted where they would arrive
  std::uint64_t packets_allocated = 0;  // asked of the system: pool empty, or the size too large
};

/// What one locale sends and receives packets through.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  virtual int locale() const = 0;
  virtual int locale_count() const = 0;

  /// The capacity of a packet from acquire(); the most that a packet carries without a special
  /// path.
  virtual std::size_t packet_bytes() const = 0;

  /// A packet with room for max(at_least, packet_bytes()) and size 0, owned by the caller. Larger
  /// ones than packet_bytes() are allocated and freed each time.
  virtual PacketBuffer* acquire(std::size_t at_least = 0) = 0;

  /// Gives a packet back that was acquired here and not sent, or polled here.
  virtual void release(PacketBuffer* packet) = 0;

  /// Sends the first packet->size bytes and takes ownership. Never blocks and never fails for want
  /// of space.
  virtual void send(int destination, PacketBuffer* packet) = 0;

  /// The next packet that has arrived, now owned by the caller, or nullptr. Costs one relaxed load
  /// when nothing is on its way.
  virtual PacketBuffer* poll() = 0;

  /// When the earliest packet on its way to this locale arrives (in the past: it can be polled
  /// now); kNever when none is known. Whoever sleeps must not sleep past it.
  ///
  /// Memory ordering: sequentially consistent. A thread that announces its sleep with a
  /// sequentially consistent store and then finds nothing here is seen by the wake-up of whatever
  /// is sent later, if that looks with a sequentially consistent load.
  virtual std::uint64_t next_event_ns() const = 0;

  /// Whether the wake-up is called for what comes from other locales. Where false (MPI) a waiting
  /// locale has to poll, with sleeps that grow.
  virtual bool wakes() const = 0;

  /// `wakeup` is called after a packet was sent towards this locale that arrives earlier than all
  /// others on their way, that is, after next_event_ns() became smaller; where wakes() is false,
  /// when a packet of this locale waits for somebody to poll. It runs on the thread of the sender,
  /// must be short, and must not call the transport. An empty function turns it off. The loss of a
  /// locale wakes nobody, as silence does not: who waits for a locale asks lost() by timer.
  virtual void set_wakeup(std::function<void()> wakeup) = 0;

  /// Whether `locale` is gone as far as the transport can tell. Packets to and from it vanish,
  /// those on their way included; poll() of a lost locale returns nothing. Never takes back a yes.
  virtual bool lost(int locale) const = 0;

  virtual TransportStatistics statistics() const = 0;
};

/// The endpoints of the locales of this process.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Locales of the whole job.
  virtual int locale_count() const = 0;

  /// Locales that live in this process, and their endpoints, from 0 in ascending order of locale.
  virtual int endpoint_count() const = 0;
  virtual Endpoint& endpoint(int index) = 0;

  /// Packets sent by locales of this process and not yet polled (MPI: not yet out of its hands).
  /// Vanished ones do not count. For quiescence checks and deadlock reports.
  virtual std::uint64_t in_flight() const = 0;

  /// Ends a run in which locales live in several processes: collective, when no core sends any
  /// more. Waits for what is still on its way to this process, and drops it.
  virtual void drain() {}

  /// The earliest next_event_ns() of all endpoints of this process: where a virtual clock may
  /// advance to.
  virtual std::uint64_t earliest_arrival() const = 0;
};

/// The transport that `config` asks for: simulated if it names more than one locale or asks for
/// simulation, else loopback. A deterministic simulation needs `clock`, which must outlive the
/// transport; others ignore it. Throws UsageError for settings that make no sense.
std::unique_ptr<Transport> make_transport(const Config& config, VirtualClock* clock = nullptr);

}  // namespace grappa::internal
