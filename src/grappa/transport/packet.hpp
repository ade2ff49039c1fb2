#pragma once

// The buffer in which messages travel between locales.
//
// A packet is one allocation: a header of 64 bytes, 48 bytes of headroom, then `capacity` bytes of
// payload. Packets come from the pool of an Endpoint and are made nowhere else.
//
//   PacketBuffer* packet = endpoint.acquire();
//   std::memcpy(packet->data(), text, length);
//   packet->size = length;
//   endpoint.send(destination, packet);       // the packet now belongs to the transport
//
// The headroom does not travel. The owner keeps there what has to stand in front of the payload: a
// header of 64 bytes of which only the last 16 travel begins there, at a cache line.
//
// A packet has one owner at a time: whoever acquired or polled it, until it is sent or released.
// The plain fields belong to that owner. `references` is for the layer above, so that several cores
// can fill one packet or read its sections: the transport sets it to zero when it hands a packet
// out (acquire and poll) and does not read it otherwise.
//
// Units: bytes. Thread safety: that of plain data, except for the atomic.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace grappa::internal {

class PacketPool;

/// Bytes.
inline constexpr std::size_t kPacketAlignment = 64;
inline constexpr std::size_t kPacketHeadroom = 48;

/// The header of a packet; the payload follows it.
struct alignas(kPacketAlignment) PacketBuffer {
  std::uint32_t capacity = 0;  // bytes of payload there is room for
  std::uint32_t size = 0;      // bytes of payload that count; zero after acquire
  std::int32_t source = -1;    // the locale that sent it; filled on receive, -1 before

  // For the layer above: those who still fill the packet, or still read it.
  std::atomic<std::uint32_t> references{0};

  std::byte* data() {
    return reinterpret_cast<std::byte*>(this) + sizeof(PacketBuffer) + kPacketHeadroom;
  }
  const std::byte* data() const {
    return reinterpret_cast<const std::byte*>(this) + sizeof(PacketBuffer) + kPacketHeadroom;
  }

  // The transport's own fields from here on.
  enum class State : std::uint32_t { kPooled, kOwned, kInFlight };
  State state = State::kPooled;
  PacketPool* pool = nullptr;    // where it goes back to
  PacketBuffer* next = nullptr;  // free list of the pool, queue of the loopback
};

static_assert(sizeof(PacketBuffer) == kPacketAlignment, "the headroom begins on a cache line");

}  // namespace grappa::internal
