#include "grappa/transport/mpi/mpi_endpoint.hpp"

#include <cstring>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

// Receives that are always posted: enough for what arrives between two polls.
constexpr int kRing = 16;
constexpr int kLargeReceives = 8;
constexpr int kSendSlots = 32;

constexpr int kPacketTag = 1;
constexpr int kAnnouncementTag = 2;
constexpr int kLargeTags = 32'767;  // MPI promises tags up to this one

}  // namespace

void MpiEndpoint::Queue::push(PacketBuffer* packet) {
  packet->next = nullptr;
  (last != nullptr ? last->next : first) = packet;
  last = packet;
}

PacketBuffer* MpiEndpoint::Queue::pop() {
  PacketBuffer* packet = first;
  if (packet == nullptr) return nullptr;
  first = packet->next;
  if (first == nullptr) last = nullptr;
  return packet;
}

MpiEndpoint::MpiEndpoint(MpiLibrary& mpi, Sending sending, std::size_t packet_bytes)
    : PooledEndpoint(mpi.rank(), mpi.size(), packet_bytes, sending != kSentByOnlyThread),
      functions_(mpi.functions()),
      who_sends_(sending),
      mpi_lock_(sending != kSentByOnlyThread),
      sending_(kSendSlots),
      announcing_(kSendSlots),
      ring_(kRing),
      large_(kLargeReceives),
      finished_(kSendSlots),
      finished_large_(kLargeReceives),
      sent_to_(static_cast<std::size_t>(mpi.size())),
      received_from_(static_cast<std::size_t>(mpi.size())),
      outgoing_lock_(sending != kSentByOnlyThread) {
  functions_.open_slots(kSendSlots, kRing, kLargeReceives);
  for (int slot = kSendSlots; slot-- > 0;) free_sends_.push_back(slot);
  for (int slot = kLargeReceives; slot-- > 0;) free_large_.push_back(slot);
  for (int slot = 0; slot < kRing; ++slot) post_receive(slot);
}

MpiEndpoint::~MpiEndpoint() {
  functions_.close_slots();
  if (taken_ >= 0) ring_[static_cast<std::size_t>(taken_)] = nullptr;  // handed out
  for (const std::vector<PacketBuffer*>* packets : {&ring_, &large_}) {
    for (PacketBuffer* packet : *packets) {
      if (packet != nullptr) release(packet);
    }
  }
}

void MpiEndpoint::send(int destination, PacketBuffer* packet) {
  prepare_send(destination, packet);
  add(in_flight_, 1);
  if (who_sends_ != kSentByPoller) {
    const std::unique_lock lock(mpi_lock_, std::try_to_lock);
    if (lock.owns_lock()) {
      start_waiting();
      if (waiting_.load(std::memory_order_relaxed) == 0 && free_sends_.size() >= 2) {
        start(destination, packet);
        return;
      }
    }
  }
  {
    const std::lock_guard lock(outgoing_lock_);
    packet->source = destination;
    outgoing_.push(packet);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
  }
  if (wakeup_) wakeup_();
}

PacketBuffer* MpiEndpoint::poll() {
  PacketBuffer* packet = nullptr;
  {
    const std::unique_lock lock(mpi_lock_, std::try_to_lock);
    if (lock.owns_lock()) packet = progress();
  }
  return packet == nullptr ? nullptr : received(packet);
}

bool MpiEndpoint::lost(int locale) const {
  check_locale(locale);
  return false;
}

PacketBuffer* MpiEndpoint::progress() {
  if (waiting_.load(std::memory_order_relaxed) != 0) start_waiting();
  if (PacketBuffer* packet = take_from_ring()) return packet;
  if (free_sends_.size() < kSendSlots) finish_sends();
  return free_large_.size() < kLargeReceives ? take_large() : nullptr;
}

// ---- sending

int MpiEndpoint::take_send_slot() {
  const int slot = free_sends_.back();
  free_sends_.pop_back();
  return slot;
}

// Needs two free slots: a large packet takes both.
void MpiEndpoint::start(int destination, PacketBuffer* packet) {
  ++sent_to_[static_cast<std::size_t>(destination)];
  const int slot = take_send_slot();
  sending_[static_cast<std::size_t>(slot)] = packet;
  if (packet->size <= packet_bytes()) {
    if (functions_.send(slot, packet->data(), packet->size, destination, kPacketTag) == 0) return;
    free_sends_.push_back(slot);
    sent(packet);
    return;
  }
  const int tag = std::exchange(next_large_tag_, (next_large_tag_ + 1) % kLargeTags);
  const int extra = take_send_slot();
  sending_[static_cast<std::size_t>(extra)] = nullptr;
  Announcement& announcement = announcing_[static_cast<std::size_t>(extra)];
  announcement = {packet->size, tag};
  if (functions_.send(extra, &announcement, sizeof announcement, destination, kAnnouncementTag) !=
      0) {
    free_sends_.push_back(extra);
  }
  functions_.send_bulk(slot, packet->data(), packet->size, destination, tag);
}

void MpiEndpoint::start_waiting() {
  while (waiting_.load(std::memory_order_relaxed) != 0) {
    if (free_sends_.size() < 2) finish_sends();
    if (free_sends_.size() < 2) return;
    PacketBuffer* packet = nullptr;
    {
      const std::lock_guard lock(outgoing_lock_);
      packet = outgoing_.pop();
      if (packet == nullptr) return;
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    start(std::exchange(packet->source, locale()), packet);
  }
}

void MpiEndpoint::sent(PacketBuffer* packet) {
  packet->state = PacketBuffer::State::kOwned;
  release(packet);
  add(in_flight_, ~std::uint64_t{0});  // one less
}

void MpiEndpoint::finish_sends() {
  const int count = functions_.finished_sends(finished_.data());
  for (int i = 0; i < count; ++i) {
    const int slot = finished_[static_cast<std::size_t>(i)];
    free_sends_.push_back(slot);
    if (PacketBuffer* packet = sending_[static_cast<std::size_t>(slot)]) sent(packet);
  }
}

// ---- receiving

void MpiEndpoint::post_receive(int slot) {
  PacketBuffer* packet = acquire(0);
  ring_[static_cast<std::size_t>(slot)] = packet;
  functions_.receive(slot, packet->data(), packet->capacity);
}

PacketBuffer* MpiEndpoint::arrive(PacketBuffer* packet, int source, std::size_t bytes) {
  packet->source = source;
  packet->size = static_cast<std::uint32_t>(bytes);
  packet->state = PacketBuffer::State::kInFlight;
  ++received_from_[static_cast<std::size_t>(source)];
  return packet;
}

PacketBuffer* MpiEndpoint::take_from_ring() {
  // Not at once: what arrived is waited for, the next receive is not.
  if (taken_ >= 0) post_receive(std::exchange(taken_, -1));
  GrappaMpiArrival arrival;
  while (functions_.finished_receive(oldest_, &arrival) != 0) {
    const int slot = std::exchange(oldest_, (oldest_ + 1) % kRing);
    PacketBuffer* packet = ring_[static_cast<std::size_t>(slot)];
    if (arrival.tag == kPacketTag) {
      taken_ = slot;
      return arrive(packet, arrival.source, arrival.bytes);
    }
    LargeArrival& large = announced_.emplace_back();
    large.source = arrival.source;
    std::memcpy(&large.announced, packet->data(), sizeof large.announced);
    functions_.receive(slot, packet->data(), packet->capacity);
    receive_large();
  }
  return nullptr;
}

void MpiEndpoint::receive_large() {
  while (!announced_.empty() && !free_large_.empty()) {
    const LargeArrival next = announced_.back();
    announced_.pop_back();
    const int slot = free_large_.back();
    free_large_.pop_back();
    PacketBuffer* packet = acquire(next.announced.bytes);
    large_[static_cast<std::size_t>(slot)] = packet;
    functions_.receive_bulk(slot, packet->data(), next.announced.bytes, next.source,
                            static_cast<int>(next.announced.tag));
  }
}

PacketBuffer* MpiEndpoint::take_large() {
  if (finished_large_count_ == 0)
    finished_large_count_ = functions_.finished_bulk_receives(finished_large_.data());
  if (finished_large_count_ == 0) return nullptr;
  const GrappaMpiArrival& arrival =
      finished_large_[static_cast<std::size_t>(--finished_large_count_)];
  PacketBuffer* packet = std::exchange(large_[static_cast<std::size_t>(arrival.slot)], nullptr);
  free_large_.push_back(arrival.slot);
  receive_large();
  return arrive(packet, arrival.source, arrival.bytes);
}

// ---- the end

void MpiEndpoint::drain() {
  const std::lock_guard lock(mpi_lock_);
  const auto drop_arrivals = [this] {
    if (PacketBuffer* packet = progress()) dropped(packet);
  };
  while (waiting_.load(std::memory_order_relaxed) != 0 || in_flight() != 0) drop_arrivals();
  std::vector<std::uint64_t> expected(received_from_.size());
  functions_.all_to_all(sent_to_.data(), expected.data(), sizeof(std::uint64_t));
  while (received_from_ != expected) drop_arrivals();
  // Nobody may begin the next run while a receive of this one could catch what it sends.
  functions_.close_slots();
  const char done = 1;
  std::vector<char> all_done(received_from_.size());
  functions_.all_gather(&done, all_done.data(), 1);
}

}  // namespace grappa::internal
