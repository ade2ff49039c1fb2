#include "grappa/transport/mpi/mpi_endpoint.hpp"

#include <cstring>
#include <utility>

namespace grappa {
namespace {

// Receives that are always posted: enough for what arrives between two polls.
constexpr int kPostedReceives = 16;
constexpr int kPostedAnnouncements = 4;
constexpr int kLargeReceives = 8;
constexpr int kFirstAnnouncement = kPostedReceives;
constexpr int kFirstLarge = kPostedReceives + kPostedAnnouncements;
constexpr int kReceiveSlots = kFirstLarge + kLargeReceives;

constexpr int kSendSlots = 32;

constexpr int kPacketTag = 1;
constexpr int kAnnouncementTag = 2;
constexpr int kFirstLargeTag = 16;
constexpr int kLargeTags = 16'384;  // MPI promises tags up to 32,767

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

MpiEndpoint::MpiEndpoint(MpiLibrary& mpi, std::size_t packet_bytes)
    : PooledEndpoint(mpi.rank(), mpi.size(), packet_bytes),
      mpi_(mpi),
      functions_(mpi.functions()),
      sending_(kSendSlots),
      announcing_(kSendSlots),
      receiving_(kReceiveSlots),
      announced_(kPostedAnnouncements),
      finished_(kSendSlots),
      arrivals_(kReceiveSlots),
      sent_to_(static_cast<std::size_t>(mpi.size())),
      received_from_(static_cast<std::size_t>(mpi.size())) {
  functions_.open_slots(kSendSlots, kReceiveSlots);
  for (int slot = kSendSlots; slot-- > 0;) free_sends_.push_back(slot);
  for (int slot = kFirstLarge; slot < kReceiveSlots; ++slot) free_large_receives_.push_back(slot);
  for (int slot = 0; slot < kFirstLarge; ++slot) post_receive(slot);
}

MpiEndpoint::~MpiEndpoint() {
  functions_.close_slots();
  for (PacketBuffer* packet : receiving_) {
    if (packet != nullptr) release(packet);
  }
  while (PacketBuffer* packet = arrived_.pop()) dropped(packet);
}

void MpiEndpoint::send(int destination, PacketBuffer* packet) {
  prepare_send(destination, packet);
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  packet->source = destination;
  {
    const std::lock_guard lock(outgoing_lock_);
    outgoing_.push(packet);
    waiting_.fetch_add(1, std::memory_order_relaxed);
  }
  const std::unique_lock lock(mpi_lock_, std::try_to_lock);
  if (lock.owns_lock()) start_sends();
}

PacketBuffer* MpiEndpoint::poll() {
  if (arrived_count_.load(std::memory_order_relaxed) == 0) {
    const std::unique_lock lock(mpi_lock_, std::try_to_lock);
    if (lock.owns_lock()) progress();
    if (arrived_count_.load(std::memory_order_relaxed) == 0) return nullptr;
  }
  const std::lock_guard lock(arrived_lock_);
  PacketBuffer* packet = arrived_.pop();
  if (packet == nullptr) return nullptr;
  arrived_count_.fetch_sub(1, std::memory_order_relaxed);
  return received(packet);
}

std::uint64_t MpiEndpoint::next_event_ns() const {
  return arrived_count_.load(std::memory_order_seq_cst) == 0 ? kNever : 0;
}

bool MpiEndpoint::lost(int locale) const {
  check_locale(locale);
  return false;
}

void MpiEndpoint::progress() {
  if (free_sends_.size() < kSendSlots) finish_sends();
  start_sends();
  take_arrivals();
}

void MpiEndpoint::start_sends() {
  while (waiting_.load(std::memory_order_relaxed) != 0) {
    // A large packet takes two slots.
    if (free_sends_.size() < 2) finish_sends();
    if (free_sends_.size() < 2) return;
    PacketBuffer* packet = nullptr;
    {
      const std::lock_guard lock(outgoing_lock_);
      packet = outgoing_.pop();
      if (packet == nullptr) return;
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    const int destination = std::exchange(packet->source, locale());
    ++sent_to_[static_cast<std::size_t>(destination)];
    const auto take_slot = [&] {
      const int slot = free_sends_.back();
      free_sends_.pop_back();
      return slot;
    };
    const int slot = take_slot();
    sending_[static_cast<std::size_t>(slot)] = packet;
    int tag = kPacketTag;
    if (packet->size > packet_bytes()) {
      tag = kFirstLargeTag + std::exchange(next_large_tag_, (next_large_tag_ + 1) % kLargeTags);
      const int extra = take_slot();
      Announcement& announcement = announcing_[static_cast<std::size_t>(extra)];
      announcement = {packet->size, tag};
      functions_.send(extra, &announcement, sizeof announcement, destination, kAnnouncementTag);
    }
    functions_.send(slot, packet->data(), packet->size, destination, tag);
  }
}

void MpiEndpoint::finish_sends() {
  const int count = functions_.finished_sends(finished_.data());
  for (int i = 0; i < count; ++i) {
    const int slot = finished_[static_cast<std::size_t>(i)];
    free_sends_.push_back(slot);
    PacketBuffer* packet = std::exchange(sending_[static_cast<std::size_t>(slot)], nullptr);
    if (packet == nullptr) continue;  // an announcement
    packet->state = PacketBuffer::State::kOwned;
    release(packet);
    in_flight_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void MpiEndpoint::post_receive(int slot) {
  if (slot >= kFirstAnnouncement) {
    functions_.receive(slot, &announced_[static_cast<std::size_t>(slot - kFirstAnnouncement)],
                       sizeof(Announcement), -1, kAnnouncementTag);
    return;
  }
  PacketBuffer* packet = acquire(0);
  receiving_[static_cast<std::size_t>(slot)] = packet;
  functions_.receive(slot, packet->data(), packet->capacity, -1, kPacketTag);
}

void MpiEndpoint::arrive(PacketBuffer* packet, int source, std::size_t bytes) {
  packet->source = source;
  packet->size = static_cast<std::uint32_t>(bytes);
  packet->state = PacketBuffer::State::kInFlight;
  ++received_from_[static_cast<std::size_t>(source)];
  const std::lock_guard lock(arrived_lock_);
  arrived_.push(packet);
  arrived_count_.fetch_add(1, std::memory_order_seq_cst);
}

void MpiEndpoint::take_arrivals() {
  const int count = functions_.finished_receives(arrivals_.data());
  for (int i = 0; i < count; ++i) {
    const GrappaMpiArrival& arrival = arrivals_[static_cast<std::size_t>(i)];
    const auto slot = static_cast<std::size_t>(arrival.slot);
    if (arrival.slot >= kFirstAnnouncement && arrival.slot < kFirstLarge) {
      waiting_large_.push_back(announced_[slot - kFirstAnnouncement]);
      waiting_large_sources_.push_back(arrival.source);
      post_receive(arrival.slot);
      continue;
    }
    arrive(std::exchange(receiving_[slot], nullptr), arrival.source, arrival.bytes);
    if (arrival.slot < kFirstAnnouncement) {
      post_receive(arrival.slot);
    } else {
      free_large_receives_.push_back(arrival.slot);
    }
  }
  while (!waiting_large_.empty() && !free_large_receives_.empty()) {
    const Announcement announcement = waiting_large_.back();
    const int source = waiting_large_sources_.back();
    waiting_large_.pop_back();
    waiting_large_sources_.pop_back();
    const int slot = free_large_receives_.back();
    free_large_receives_.pop_back();
    PacketBuffer* packet = acquire(announcement.bytes);
    receiving_[static_cast<std::size_t>(slot)] = packet;
    functions_.receive(slot, packet->data(), announcement.bytes, source,
                       static_cast<int>(announcement.tag));
  }
}

void MpiEndpoint::drain() {
  const std::lock_guard lock(mpi_lock_);
  while (waiting_.load(std::memory_order_relaxed) != 0 || in_flight() != 0) progress();
  std::vector<std::uint64_t> expected(received_from_.size());
  functions_.all_to_all(sent_to_.data(), expected.data(), sizeof(std::uint64_t));
  while (received_from_ != expected) progress();
  // Nobody may begin the next run while a receive of this one could catch what it sends.
  functions_.close_slots();
  const char done = 1;
  std::vector<char> all_done(received_from_.size());
  functions_.all_gather(&done, all_done.data(), 1);
  const std::lock_guard arrived(arrived_lock_);
  while (PacketBuffer* packet = arrived_.pop()) {
    arrived_count_.fetch_sub(1, std::memory_order_relaxed);
    dropped(packet);
  }
}

}  // namespace grappa
