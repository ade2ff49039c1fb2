#pragma once

// Chunks: the buffers in which a core collects messages for another core, and the batches inside
// them:
//   | Chunk (64 bytes) | BatchHeader | message message message … | BatchHeader | message … |
//
// A chunk is filled by one core, handed over whole by pointer, run by the receiving core, and goes
// back to the pool of the core that owns it. Between locales the same bytes travel as a *section*
// of a packet, without the first 48 bytes of the struct:
//   | source, destination, used, kind | batches | padding, Chunk (64 bytes) | batches | …
//
// In the receiver's buffer there is room for those 48 bytes in front, so that every section is a
// chunk that cores can link and run in place.

#include <cstddef>
#include <cstdint>

#include "grappa/tasking/completion.hpp"
#include "grappa/transport/packet.hpp"

namespace grappa::internal {

struct MessageType;

/// The header of a buffer of batches; the batches follow it.
struct alignas(64) Chunk {
  enum class Kind : std::uint32_t {
    kPlain,   // batches for `destination`, which may be reached through other locales
    kScatter  // batches for many cores, each message behind its RoutedHeader; `destination` sorts
  };

  Chunk* next = nullptr;           // in whichever list the chunk is
  PacketBuffer* packet = nullptr;  // received from another locale: the packet it lies in
  std::int32_t owner = -1;         // core whose pool it belongs to
  std::int32_t charged = -1;       // lane of its owner whose credit it uses up; -1: none
  std::uint32_t charge = 0;        // credit it uses up while `charged` says where
  std::uint32_t capacity = 0;      // bytes there is room for
  bool oversize = false;           // made for one large message; freed and not pooled

  // What travels begins here.
  alignas(16) std::int32_t source = -1;  // core that filled it
  std::int32_t destination = -1;         // core that runs it
  std::uint32_t used = 0;                // bytes of batches
  Kind kind = Kind::kPlain;

  std::byte* data() { return reinterpret_cast<std::byte*>(this) + sizeof(Chunk); }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(this) + sizeof(Chunk); }
};
static_assert(sizeof(Chunk) == 64 && offsetof(Chunk, source) == kPacketHeadroom);

/// Bytes of the struct that are the beginning of a section.
inline constexpr std::size_t kSectionHeaderBytes = sizeof(Chunk) - kPacketHeadroom;

/// In front of each message of a scatter batch.
struct RoutedHeader {
  std::int32_t destination;
  std::uint32_t bytes;  // of the message
};

/// Consecutive messages of one type that belong to one completion event.
struct BatchHeader {
  const MessageType* type;  // on its way to another locale: the ModuleTable's id, as if a pointer
  EventId event;            // 0: none
  std::uint32_t count;
  std::uint32_t bytes;  // of all messages, a multiple of 8

  std::byte* payload() { return reinterpret_cast<std::byte*>(this) + sizeof(BatchHeader); }
};
static_assert(sizeof(BatchHeader) % 8 == 0);

}  // namespace grappa::internal
