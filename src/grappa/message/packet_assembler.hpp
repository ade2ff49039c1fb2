#pragma once

// Gathers the chunks that the cores of a locale send to another locale into packets.
//
// The path of a chunk: under a short lock its core reserves room in the packet that is open for the
// next locale; it copies the chunk there, while other cores copy theirs; the last one to finish a
// packet that has been closed sends it. A packet is closed when it is full, or when a core asks for
// that with the ticket of something it has put there. A large chunk gets a packet of its own, since
// it would gain nothing from waiting for others.
//
//   PacketAssembler::Ticket ticket = assembler.add(*chunk, locale, PacketAssembler::kStay);
//   assembler.close(ticket);      // now, or when the core has nothing else to do
//
// Thread safety: all functions from any core of the locale, at any time. None blocks for longer
// than the few instructions of a reservation.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "grappa/base/optional_mutex.hpp"
#include "grappa/message/chunk.hpp"
#include "grappa/message/route.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa::internal {

/// The open packets of one locale.
class PacketAssembler {
 public:
  /// What a core has put into a packet that is still open.
  struct Ticket {
    int locale = -1;  // -1: the packet has been closed
    std::uint64_t packet = 0;
    bool operator==(const Ticket&) const = default;
  };
  enum Departure { kStay, kGo };

  /// `neighbors`: to how many locales this one sends; it decides how large open packets become.
  PacketAssembler(Locale& locale, int neighbors);
  /// Drops what is still open.
  ~PacketAssembler();
  PacketAssembler(const PacketAssembler&) = delete;
  PacketAssembler& operator=(const PacketAssembler&) = delete;

  /// Copies the chunk, whose batches name their types by id, into a packet for `locale`.
  Ticket add(const Chunk& chunk, int locale, Departure departure);

  /// Sends the packet of the ticket unless that has happened.
  void close(const Ticket& ticket);

  /// Passes a section of a received packet on to the next locale of its route.
  Ticket forward(Chunk* chunk, const Route& route, Departure departure);

  /// A chunk for `used` bytes of batches that is the only section of a packet of its own, for
  /// `send_own`. Who travels where is left to fill in.
  Chunk* make_own(std::size_t used);

  /// A packet that one core owns: its only section is the chunk in it.
  void send_own(PacketBuffer* packet, int locale);

  std::size_t packet_bytes() const { return packet_bytes_; }

 private:
  struct alignas(64) Slot {
    OptionalMutex mutex;
    PacketBuffer* open = nullptr;      // guarded by mutex, as all that follows
    std::uint64_t number = 0;          // of the open packet
    std::atomic<bool> is_open{false};  // a hint: whether something waits for company
    PacketBuffer* take() {
      is_open.store(false, std::memory_order_relaxed);
      return std::exchange(open, nullptr);
    }
  };

  void finished(PacketBuffer* packet, int locale);

  Locale& locale_;
  const std::size_t packet_bytes_;
  std::unique_ptr<Slot[]> slots_;  // by locale
};

/// Whether the chunk is the only section of a received packet that anybody still reads, and lies
/// where the only section of a packet begins.
bool is_only_section(const Chunk& chunk);

/// Gives back what a received chunk lies in; the last section of a packet takes it along.
void release_section(Endpoint& endpoint, const Chunk& chunk);

/// The sections of a packet that has arrived, one after the other.
class Sections {
 public:
  explicit Sections(PacketBuffer* packet);
  int count() const;
  /// Keeps the packet until each section is released. Before the first of them is handed over.
  void hold();
  /// The next one; nullptr after the last. The chunk is linked to its packet.
  Chunk* next();

 private:
  PacketBuffer* packet_;
  std::byte* at_;
  std::byte* end_;
};

}  // namespace grappa::internal
