// The part of the aggregator that knows other locales: chunks become sections of packets, and
// sections chunks.

#include <utility>

#include "grappa/base/module_table.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/tasking/activity_scope.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint32_t kShortPacketBytes = 256;

}  // namespace

const MessageType* Aggregator::to_travel(const MessageType* type) const {
  return reinterpret_cast<const MessageType*>(core_.locale.modules->id_of(type));
}

const MessageType* Aggregator::from_travel(const MessageType* id) const {
  return static_cast<const MessageType*>(
      core_.locale.modules->address_of(reinterpret_cast<std::uint64_t>(id)));
}

int Aggregator::next_locale(const Chunk& chunk) const {
  return route_.next_hop(core_.locale.id, chunk.destination / core_.locale.cores_each);
}

void Aggregator::send_section(const Chunk& chunk, PacketAssembler::Departure departure) {
  remember(core_.locale.packets->add(chunk, next_locale(chunk), departure));
}

void Aggregator::remember(const PacketAssembler::Ticket& ticket) {
  if (ticket.locale >= 0 && (open_packets_.empty() || open_packets_.back() != ticket))
    open_packets_.push_back(ticket);
}

/// A chunk in a packet of its own, for the one message of a core that has nothing else to do; or
/// nullptr where the message had better take the way of the others.
Chunk* Aggregator::express_chunk(int destination, const MessageType& type, CompletionShare* scope,
                                 std::size_t bytes) {
  Lane& lane = lanes_[lane_index(destination)];
  const bool overtakes = lane.chunk != nullptr || !open_packets_.empty();
  if (overtakes || lane.scatter || out_of_credit(lane)) return nullptr;
  if (core_.scheduler->has_local_work() || has_arrivals()) return nullptr;
  Chunk* chunk = core_.locale.packets->make_own(sizeof(BatchHeader) + round_up(bytes, 8));
  chunk->source = core_.id;
  chunk->destination = destination;
  write_single(lane, chunk, type, scope, bytes);
  charge(lane, chunk->used);
  return chunk;
}

void Aggregator::send_express(Chunk* chunk) {
  kFlushIdle.add_to(*core_.metrics);
  kBytesSent.add_to(*core_.metrics, chunk->used);
  core_.locale.packets->send_own(chunk->packet, next_locale(*chunk));
}

bool Aggregator::close_packets(std::size_t keep) {
  const bool any = open_packets_.size() > keep;
  for (std::size_t i = keep; i < open_packets_.size(); ++i)
    core_.locale.packets->close(open_packets_[i]);
  open_packets_.resize(std::min(keep, open_packets_.size()));
  aged_packets_ = std::min(aged_packets_, keep);
  return any;
}

void Aggregator::send_section_back(Chunk* chunk) {
  const int target = chunk->source;
  owe(target, chunk->used, false);
  chunk->source = core_.id;
  chunk->destination = target;
  charge(lanes_[lane_index(target)], chunk->used);
  PacketBuffer* packet = chunk->packet;
  if (is_only_section(*chunk)) {
    // Nobody else reads this packet any more.
    packet->size = static_cast<std::uint32_t>(kSectionHeaderBytes + chunk->used);
    core_.locale.packets->send_own(packet, next_locale(*chunk));
    return;
  }
  send_section(*chunk, PacketAssembler::kStay);
  release_section(*core_.locale.endpoint, *chunk);
}

PacketBuffer* Aggregator::poll_network() {
  const LookScope scope(core_, Activity::kNetwork);
  return core_.locale.endpoint->poll();
}

void Aggregator::receive_packets() {
  while (PacketBuffer* packet = poll_network()) {
    const ActivityScope scope(&core_, Activity::kAggregation);
    const bool is_short = packet->size <= kShortPacketBytes;
    Sections sections(packet);
    sections.hold();
    while (Chunk* chunk = sections.next()) take_section(chunk);
    // Most likely one task waits for what is in it. The next look at the network costs as much as
    // the answer, and nothing else is expected by a core that had nothing to do.
    if (is_short && core_.hungry() && !inbox_.queue_empty() && must_poll()) return;
  }
}

void Aggregator::take_section(Chunk* chunk) {
  if (chunk->destination == core_.id) {
    inbox_.push(chunk);
  } else if (core_.locale.holds(chunk->destination)) {
    core_at(chunk->destination).messages->deliver(chunk);
  } else {
    remember(core_.locale.packets->forward(chunk, route_, PacketAssembler::kStay));
  }
}

MessagePump::Traffic Aggregator::traffic() const {
  return {kMessagesRun.value_in(*core_.metrics), kBytesSent.value_in(*core_.metrics)};
}

std::uint64_t Aggregator::next_arrival() const {
  if (core_.locale.count == 1) return kNoArrival;
  return core_.locale.endpoint->next_event_ns();
}

bool Aggregator::must_poll() const {
  return core_.locale.count > 1 && !core_.locale.endpoint->wakes();
}

}  // namespace grappa::internal
