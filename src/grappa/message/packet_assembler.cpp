#include "grappa/message/packet_assembler.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/huge_pages.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/tasking/activity_scope.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kOpenPacketBudget = 64 << 20;  // of all packets that are open at once
constexpr std::size_t kMinPacketBytes = 32 << 10;    // what a network needs to reach its bandwidth
constexpr std::size_t kOwnPacketBytes = 48 << 10;    // a chunk with more in it travels alone

/// From the Chunk struct of a section to that of the next one.
std::size_t section_step(std::uint32_t used) {
  return sizeof(Chunk) + round_up(used, alignof(Chunk));
}

/// The part of a chunk that travels.
const std::byte* section_of(const Chunk& chunk) {
  return reinterpret_cast<const std::byte*>(&chunk) + kPacketHeadroom;
}

Chunk* first_chunk(PacketBuffer* packet) {
  return reinterpret_cast<Chunk*>(packet->data() - kPacketHeadroom);
}

}  // namespace

PacketAssembler::PacketAssembler(Locale& locale, int neighbors)
    : locale_(locale),
      packet_bytes_(std::clamp(kOpenPacketBudget / static_cast<std::size_t>(neighbors),
                               kMinPacketBytes,
                               std::max(kMinPacketBytes, locale.endpoint->packet_bytes()))),
      slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(locale.count))) {
  for (int i = 0; i < locale.count; ++i)
    slots_[static_cast<std::size_t>(i)].mutex.set_needed(!locale.is_one_thread());
}

PacketAssembler::~PacketAssembler() {
  for (int i = 0; i < locale_.count; ++i) {
    if (PacketBuffer* packet = slots_[static_cast<std::size_t>(i)].open)
      locale_.endpoint->release(packet);
  }
}

PacketAssembler::Ticket PacketAssembler::add(const Chunk& chunk, int locale, Departure departure) {
  const std::size_t bytes = kSectionHeaderBytes + chunk.used;
  Slot& slot = slots_[static_cast<std::size_t>(locale)];
  const bool large = bytes >= kOwnPacketBytes || bytes > packet_bytes_;
  if (large || (departure == kGo && !slot.is_open.load(std::memory_order_relaxed))) {
    PacketBuffer* packet = locale_.endpoint->acquire(bytes);
    std::memcpy(packet->data(), section_of(chunk), bytes);
    packet->size = static_cast<std::uint32_t>(bytes);
    send_own(packet, locale);
    return {};
  }
  PacketBuffer* full = nullptr;
  PacketBuffer* packet = nullptr;
  std::size_t at = 0;
  Ticket ticket;
  {
    const std::lock_guard lock(slot.mutex);
    // Where a section begins: the first with what travels of its Chunk, the others with all of it.
    const auto room_at = [](const PacketBuffer& p) {
      return p.size == 0 ? 0 : round_up(p.size + kPacketHeadroom, alignof(Chunk)) - kPacketHeadroom;
    };
    if (slot.open != nullptr && room_at(*slot.open) + kPacketHeadroom + bytes > packet_bytes_) {
      full = slot.take();
    }
    if (slot.open == nullptr) {
      slot.open = locale_.endpoint->acquire(packet_bytes_);
      slot.is_open.store(true, std::memory_order_relaxed);
      slot.open->references.store(1, std::memory_order_relaxed);  // it is open
      ++slot.number;
    }
    packet = slot.open;
    packet->references.fetch_add(1, std::memory_order_relaxed);
    at = room_at(*packet);
    packet->size = static_cast<std::uint32_t>(at == 0 ? bytes : at + kPacketHeadroom + bytes);
    if (departure == kGo) {
      slot.take();
      packet->references.fetch_sub(1, std::memory_order_relaxed);  // not the last: ours is left
    } else {
      ticket = {locale, slot.number};
    }
  }
  if (full != nullptr) finished(full, locale);
  if (at != 0) new (packet->data() + at) Chunk;
  std::memcpy(packet->data() + at + (at == 0 ? 0 : kPacketHeadroom), section_of(chunk), bytes);
  finished(packet, locale);
  return ticket;
}

void PacketAssembler::close(const Ticket& ticket) {
  if (ticket.locale < 0) return;
  Slot& slot = slots_[static_cast<std::size_t>(ticket.locale)];
  PacketBuffer* packet = nullptr;
  {
    const std::lock_guard lock(slot.mutex);
    if (slot.open == nullptr || slot.number != ticket.packet) return;
    packet = slot.take();
  }
  finished(packet, ticket.locale);
}

void PacketAssembler::finished(PacketBuffer* packet, int locale) {
  if (packet->references.fetch_sub(1, std::memory_order_acq_rel) == 1) send_own(packet, locale);
}

PacketAssembler::Ticket PacketAssembler::forward(Chunk* chunk, const Route& route,
                                                 Departure departure) {
  kSectionsForwarded.add();
  const int hop = route.next_hop(locale_.id, chunk->destination / locale_.cores_each);
  const Ticket ticket = add(*chunk, hop, departure);
  release_section(*locale_.endpoint, *chunk);
  return ticket;
}

Chunk* PacketAssembler::make_own(std::size_t used) {
  const std::size_t bytes = kSectionHeaderBytes + used;
  PacketBuffer* packet = locale_.endpoint->acquire(bytes);
  packet->size = static_cast<std::uint32_t>(bytes);
  auto* chunk = new (first_chunk(packet)) Chunk;
  chunk->packet = packet;
  return chunk;
}

void PacketAssembler::send_own(PacketBuffer* packet, int locale) {
  kPacketsSent.add();
  kPacketBytes.record(packet->size);
  const ActivityScope scope(current_core(), Activity::kNetwork);
  locale_.endpoint->send(locale, packet);
}

bool is_only_section(const Chunk& chunk) {
  return first_chunk(chunk.packet) == &chunk &&
         chunk.packet->references.load(std::memory_order_acquire) == 1;
}

void release_section(Endpoint& endpoint, const Chunk& chunk) {
  PacketBuffer* packet = chunk.packet;
  // The last one needs no locked instruction: nobody else is left to change it.
  if (packet->references.load(std::memory_order_acquire) == 1 ||
      packet->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    endpoint.release(packet);
  }
}

Sections::Sections(PacketBuffer* packet)
    : packet_(packet),
      at_(reinterpret_cast<std::byte*>(first_chunk(packet))),
      end_(packet->data() + packet->size) {}

int Sections::count() const {
  int count = 0;
  for (const std::byte* at = at_; at < end_; ++count)
    at += section_step(reinterpret_cast<const Chunk*>(at)->used);
  return count;
}

void Sections::hold() {
  packet_->references.store(static_cast<std::uint32_t>(count()), std::memory_order_relaxed);
}

Chunk* Sections::next() {
  if (at_ >= end_) return nullptr;
  auto* chunk = reinterpret_cast<Chunk*>(at_);
  at_ += section_step(chunk->used);
  if (at_ > end_ + alignof(Chunk)) {
    fatal("a packet from another locale is malformed: its sections are longer than it is");
  }
  chunk->next = nullptr;
  chunk->packet = packet_;
  chunk->owner = -1;
  chunk->charged = -1;
  chunk->charge = 0;
  chunk->capacity = chunk->used;
  chunk->oversize = false;
  return chunk;
}

}  // namespace grappa::internal
