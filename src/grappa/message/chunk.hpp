// Chunks: the buffers in which a core collects messages for another core, and the batches inside
// them.
//
//   | Chunk (64 bytes) | BatchHeader | message message message … | BatchHeader | message … |
//
// A chunk is filled by one core, handed over whole by pointer, run by the receiving core, and goes
// back to the pool of the core that owns it. Between locales the same bytes travel inside a packet,
// whose payload then begins with the Chunk struct, so that a received packet is a chunk without a
// copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grappa/tasking/completion.hpp"

namespace grappa {

struct MessageType;
struct PacketBuffer;

struct alignas(64) Chunk {
  Chunk* next = nullptr;           // in whichever list the chunk is
  PacketBuffer* packet = nullptr;  // received from another locale: the packet it lies in
  std::int32_t source = -1;        // core that filled it
  std::int32_t destination = -1;   // core that runs it
  std::int32_t owner = -1;         // core whose pool it belongs to
  std::int32_t charged = -1;       // destination whose credit it uses up at its owner; -1: none
  std::uint32_t used = 0;          // bytes of batches
  std::uint32_t capacity = 0;      // bytes there is room for
  std::uint32_t charge = 0;        // credit it uses up while `charged` says where
  bool oversize = false;           // made for one large message; freed and not pooled

  std::byte* data() { return reinterpret_cast<std::byte*>(this) + sizeof(Chunk); }
};
static_assert(sizeof(Chunk) == 64);

/// Consecutive messages of one type that belong to one completion event.
struct BatchHeader {
  const MessageType* type;  // inside a packet: the ModuleTable's id of it, as if it were a pointer
  EventId event;            // 0: none
  std::uint32_t count;
  std::uint32_t bytes;  // of all messages, a multiple of 8

  std::byte* payload() { return reinterpret_cast<std::byte*>(this) + sizeof(BatchHeader); }
};
static_assert(sizeof(BatchHeader) % 8 == 0);

}  // namespace grappa
