// The aggregator's buffers: lanes are filled, sealed and handed over.

#include "grappa/message/aggregator.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/tasking/activity_scope.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

struct FlushReason {
  const char* name;
  const metrics::Counter* counter;
};
/// In the order of Aggregator::Reason.
constexpr std::array kFlushReasons = {
    FlushReason{"full", &kFlushFull}, FlushReason{"old", &kFlushAge},
    FlushReason{"idle", &kFlushIdle}, FlushReason{"asked for", &kFlushAsked},
    FlushReason{"receiver idle", &kFlushHungry}};

constexpr std::uint32_t kMinCharge = 16;  // a chunk uses up at least a 16th of its capacity

std::size_t padded(std::size_t bytes) { return round_up(bytes, 8); }

}  // namespace

Aggregator::Aggregator(Core& core)
    : core_(core),
      route_(core.locale.config.route, core.locale.count),
      shape_(route_, core.locale.cores_each, core.locale.config),
      body_scanner_(core.locale.scanner),
      message_scanner_(body_scanner_ != nullptr && body_scanner_->scans_messages() ? body_scanner_
                                                                                   : nullptr),
      // Below a part of the sender's credit no message is worth it.
      owed_(core.locale.count > 1 ? static_cast<std::size_t>(core.locale.core_count()) : 0,
            shape_.remote_credit / 4),
      owed_scattered_(core.locale.count > 1 ? static_cast<std::size_t>(core.locale.count) : 0,
                      shape_.remote_credit / 4),
      pool_(core.id, shape_.chunk_bytes) {
  make_lanes();
  core.pump = this;
  core.messages = this;
  core.ledger->set_sender(this);
  core.scheduler->add_system_task(core.locale.config.flush_ns, [](Core& c) { c.pump->tick(); });
}

Aggregator::~Aggregator() = default;

void Aggregator::discard() {
  const auto drop_all = [this](Chunk* chunk) {
    while (chunk != nullptr) {
      Chunk* next = chunk->next;
      if (chunk->packet != nullptr) {
        release_section(*core_.locale.endpoint, *chunk);
      } else if (chunk->oversize) {
        ChunkPool::release_oversize(chunk);
      }
      chunk = next;
    }
  };
  drop_all(inbox_.drop_delivered());
  drop_all(inbox_.drop_queue());
  drop_all(waiting_scatters_.take_all());
  drop_all(std::exchange(finished_, nullptr));
  drop_all(pool_.take_returned());
  for (Lane& lane : lanes_) {
    if (lane.chunk != nullptr) lane.chunk->next = nullptr;
    drop_all(std::exchange(lane.chunk, nullptr));
  }
}

void Aggregator::make_lanes() {
  const Locale& locale = core_.locale;
  const auto cores = static_cast<std::size_t>(locale.cores_each);
  const auto add_lane = [&](int target, bool scatter) {
    Lane& lane = lanes_.emplace_back();
    lane.remote = !locale.holds(target);
    lane.scatter = scatter;
    lane_target_.push_back(target);
  };
  if (route_.is_flat()) {
    lanes_.reserve(static_cast<std::size_t>(locale.core_count()));
    for (int core = 0; core < locale.core_count(); ++core) add_lane(core, false);
    return;
  }
  lane_of_ = std::make_unique<std::uint32_t[]>(static_cast<std::size_t>(locale.core_count()));
  scatter_lane_of_.resize(static_cast<std::size_t>(locale.count), kNoLane);
  for (const int neighbor : route_.neighbors(locale.id)) {
    for (std::size_t i = 0; i < cores; ++i) {
      const std::size_t core = static_cast<std::size_t>(neighbor) * cores + i;
      lane_of_[core] = static_cast<std::uint32_t>(lanes_.size());
      add_lane(static_cast<int>(core), false);
    }
  }
  for (int to = 0; to < locale.count; ++to) {
    const int hop = route_.next_hop(locale.id, to);
    if (hop == to) continue;
    std::uint32_t& lane = scatter_lane_of_[static_cast<std::size_t>(hop)];
    if (lane == kNoLane) {
      lane = static_cast<std::uint32_t>(lanes_.size());
      add_lane(hop * locale.cores_each + core_.index, true);
    }
    for (std::size_t i = 0; i < cores; ++i)
      lane_of_[static_cast<std::size_t>(to) * cores + i] = lane;
  }
}

// ---- filling ----

void Aggregator::mark_dirty(std::size_t lane_number) {
  Lane& lane = lanes_[lane_number];
  if (lane.dirty) return;
  lane.dirty = true;
  lane.aged = false;
  dirty_.push_back(static_cast<std::uint32_t>(lane_number));
}

void Aggregator::charge(Lane& lane, std::uint32_t bytes) {
  const bool before = out_of_credit(lane);
  lane.in_flight += bytes;
  if (lane.remote && !lane.scatter && !before && out_of_credit(lane)) ++blocked_second_hops_;
}

void Aggregator::discharge(Lane& lane, std::uint32_t bytes) {
  const bool before = out_of_credit(lane);
  lane.in_flight -= bytes;
  if (lane.remote && !lane.scatter && before && !out_of_credit(lane)) --blocked_second_hops_;
}

void Aggregator::wait_for_credit(std::size_t lane_number) {
  Lane& lane = lanes_[lane_number];
  collect_returned();
  if (!core_.scheduler->may_suspend()) {
    if (lane_target_[lane_number] != core_.id && out_of_credit(lane))
      kOverflowChunks.add_to(*core_.metrics);
    return;
  }
  // A good moment to take what others sent: it keeps what is in flight within the caches.
  if (has_arrivals()) core_.scheduler->yield_to_main();
  // Credit comes back for what has left.
  if (out_of_credit(lane)) close_packets();
  while (out_of_credit(lane)) {
    kSendWaits.add_to(*core_.metrics);
    core_.scheduler->yield_to_main();
    collect_returned();
  }
}

void Aggregator::make_room(std::size_t lane_number, std::size_t bytes) {
  Lane& lane = lanes_[lane_number];
  while (lane.chunk == nullptr || static_cast<std::size_t>(lane.limit - lane.cursor) < bytes) {
    seal(lane_number, Reason::kFull, PacketAssembler::kStay);
    // Another task may fill or seal this lane while we wait, hence the loop.
    wait_for_credit(lane_number);
    close_batch(lane);
    if (lane.chunk != nullptr) continue;
    lane.chunk = take_chunk();
    lane.chunk->destination = lane_target_[lane_number];
    lane.chunk->kind = lane.scatter ? Chunk::Kind::kScatter : Chunk::Kind::kPlain;
    lane.cursor = lane.chunk->data();
    lane.limit = lane.cursor + shape_.chunk_bytes;
  }
  mark_dirty(lane_number);
}

void Aggregator::start_batch(Lane& lane, const MessageType& type, CompletionShare* scope) {
  lane.batch = new (lane.cursor)
      BatchHeader{lane.remote ? to_travel(&type) : &type, scope != nullptr ? scope->id : 0, 1, 0};
  lane.batched = &type;
  lane.type = lane.scatter ? nullptr : &type;
  lane.scope = scope;
  lane.cursor += sizeof(BatchHeader);
  // The open batch counts as one; closing it adds the others. So an event never looks finished
  // while messages of it wait here.
  if (scope != nullptr) core_.ledger->add(*scope);
}

std::byte* Aggregator::open_batch(int destination, const MessageType& type, CompletionShare* scope,
                                  std::size_t bytes) {
  const std::size_t lane_number = lane_index(destination);
  Lane& lane = lanes_[lane_number];
  const std::size_t routed = lane.scatter ? sizeof(RoutedHeader) : 0;
  if (sizeof(BatchHeader) + routed + padded(bytes) > shape_.chunk_bytes)
    return open_single(destination, type, scope, bytes);
  if (lane.scatter) return open_routed(destination, type, scope, bytes);
  close_batch(lane);
  make_room(lane_number, sizeof(BatchHeader) + bytes);
  start_batch(lane, type, scope);
  return lane.cursor;
}

std::byte* Aggregator::open_routed(int destination, const MessageType& type, CompletionShare* scope,
                                   std::size_t bytes) {
  const std::size_t lane_number = lane_index(destination);
  Lane& lane = lanes_[lane_number];
  const std::size_t needed = sizeof(RoutedHeader) + padded(bytes);
  if (lane.batch != nullptr) lane.cursor = padded_end(lane);
  if (lane.batch == nullptr || lane.batched != &type || lane.scope != scope ||
      static_cast<std::size_t>(lane.limit - lane.cursor) < needed) {
    close_batch(lane);
    make_room(lane_number, sizeof(BatchHeader) + needed);
    start_batch(lane, type, scope);
  } else {
    ++lane.batch->count;
  }
  new (lane.cursor) RoutedHeader{destination, static_cast<std::uint32_t>(bytes)};
  lane.cursor += sizeof(RoutedHeader);
  return lane.cursor;
}

std::byte* Aggregator::padded_end(const Lane& lane) {
  std::byte* const payload = lane.batch->payload();
  std::byte* const end = payload + padded(static_cast<std::size_t>(lane.cursor - payload));
  return end > lane.limit ? lane.limit : end;
}

void Aggregator::close_batch(Lane& lane) {
  if (lane.batch == nullptr) return;
  BatchHeader& batch = *lane.batch;
  const auto bytes = static_cast<std::size_t>(lane.cursor - batch.payload());
  batch.bytes = static_cast<std::uint32_t>(padded(bytes));
  // Messages of any length are counted one by one.
  const std::uint32_t stride = lane.batched->stride;
  if (!lane.scatter && stride != 0) batch.count = static_cast<std::uint32_t>(bytes / stride);
  lane.cursor = padded_end(lane);
  lane.chunk->used = static_cast<std::uint32_t>(lane.cursor - lane.chunk->data());
  if (lane.scope != nullptr)
    core_.ledger->add(*lane.scope, static_cast<std::int64_t>(batch.count) - 1);
  lane.type = nullptr;
  lane.scope = nullptr;
  lane.batch = nullptr;
}

std::byte* Aggregator::open_single(int destination, const MessageType& type, CompletionShare* scope,
                                   std::size_t bytes) {
  const std::size_t lane_number = lane_index(destination);
  Lane& lane = lanes_[lane_number];
  const std::size_t needed = sizeof(BatchHeader) + padded(bytes);
  close_batch(lane);
  seal(lane_number, Reason::kFull, PacketAssembler::kStay);
  if (core_.scheduler->may_suspend()) {
    wait_for_credit(lane_number);
    close_batch(lane);
    seal(lane_number, Reason::kFull, PacketAssembler::kStay);
  }
  lane.chunk = needed > shape_.chunk_bytes ? pool_.make_oversize(needed) : take_chunk();
  Chunk* chunk = lane.chunk;
  // Where the lane's messages are scattered by another locale, this one only passes there.
  chunk->destination = destination;
  chunk->kind = Chunk::Kind::kPlain;
  std::byte* const payload = write_single(lane, chunk, type, scope, bytes);
  lane.cursor = chunk->data() + needed;
  // Nothing is appended behind it: the next message finds no room and seals the chunk.
  lane.limit = lane.cursor;
  mark_dirty(lane_number);
  return payload;
}

/// The only message of a chunk.
std::byte* Aggregator::write_single(const Lane& lane, Chunk* chunk, const MessageType& type,
                                    CompletionShare* scope, std::size_t bytes) {
  auto* batch = new (chunk->data())
      BatchHeader{lane.remote ? to_travel(&type) : &type, scope != nullptr ? scope->id : 0, 1,
                  static_cast<std::uint32_t>(padded(bytes))};
  chunk->used = static_cast<std::uint32_t>(sizeof(BatchHeader) + padded(bytes));
  if (scope != nullptr) core_.ledger->add(*scope);
  return batch->payload();
}

// ---- handing over ----

void Aggregator::seal(std::size_t lane_number, Reason reason,
                      PacketAssembler::Departure departure) {
  Lane& lane = lanes_[lane_number];
  close_batch(lane);
  Chunk* chunk = lane.chunk;
  if (chunk == nullptr) return;
  lane.chunk = nullptr;
  lane.cursor = lane.limit = nullptr;
  if (chunk->used == 0) {
    recycle(chunk);
    return;
  }
  const ActivityScope scope(&core_, Activity::kAggregation);
  const FlushReason& why = kFlushReasons[static_cast<std::size_t>(reason)];
  why.counter->add_to(*core_.metrics);
  if (core_.recorder != nullptr) [[unlikely]]
    core_.recorder->note(TraceKind::kFlush, why.name,
                         static_cast<std::uint64_t>(chunk->destination), chunk->used);
  dispatch(lane_number, chunk, departure);
}

void Aggregator::dispatch(std::size_t lane_number, Chunk* chunk,
                          PacketAssembler::Departure departure) {
  Lane& lane = lanes_[lane_number];
  chunk->source = core_.id;
  if (chunk->destination == core_.id) {
    chunk->charged = -1;
    inbox_.push(chunk);
    return;
  }
  kBytesSent.add_to(*core_.metrics, chunk->used);
  if (lane.remote) {
    charge(lane, chunk->used);
    send_section(*chunk, departure);
    chunk->charged = -1;  // this credit comes back as a message
    recycle(chunk);
    return;
  }
  // A chunk with little in it keeps its memory busy all the same.
  chunk->charge = std::max(chunk->used, chunk->capacity / kMinCharge);
  chunk->charged = static_cast<std::int32_t>(lane_number);
  charge(lane, chunk->charge);
  kChunksSent.add_to(*core_.metrics);
  kChunkBytes.add_to(*core_.metrics, chunk->used);
  core_at(chunk->destination).messages->deliver(chunk);
}

Core& Aggregator::core_at(int core) const {
  Locale& locale = core_.locale;
  return *locale.cores[static_cast<std::size_t>(core - locale.first_core())];
}

void Aggregator::deliver(Chunk* chunk) {
  inbox_.deliver(chunk);
  core_.wake_thread();
}

void Aggregator::flush_to(int destination) {
  seal(lane_index(destination), Reason::kAsked, PacketAssembler::kGo);
  // An earlier part of it may lie in a packet that is still open.
  close_packets();
}

bool Aggregator::flush() {
  // Also what waits for this core itself; start behind the last destination served, so that not
  // everybody sends to core 0 first.
  if (dirty_.empty()) return close_packets();
  std::vector<std::uint32_t> targets;
  targets.swap(dirty_);
  const std::size_t count = targets.size();
  bool sent = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t lane_number = targets[(next_flush_ + i) % count];
    Lane& lane = lanes_[lane_number];
    lane.dirty = false;
    if (lane.chunk == nullptr) continue;
    sent = true;
    seal(lane_number, Reason::kIdle, count == 1 ? PacketAssembler::kGo : PacketAssembler::kStay);
  }
  ++next_flush_;
  if (dirty_.empty()) {
    targets.clear();
    dirty_.swap(targets);  // keep the capacity
  }
  return close_packets() || sent;
}

void Aggregator::tick() {
  // Packets that were open at the last tick leave, and those that old messages get into below.
  const std::size_t young = open_packets_.size() - aged_packets_;
  std::rotate(open_packets_.begin(),
              open_packets_.begin() + static_cast<std::ptrdiff_t>(aged_packets_),
              open_packets_.end());
  std::size_t kept = 0;
  std::vector<std::uint32_t> targets;
  targets.swap(dirty_);
  for (const std::uint32_t lane_number : targets) {
    Lane& lane = lanes_[lane_number];
    if (lane.chunk != nullptr && !lane.aged) {
      lane.aged = true;
      targets[kept++] = lane_number;
      continue;
    }
    lane.dirty = false;
    seal(lane_number, Reason::kAge, PacketAssembler::kStay);
  }
  targets.resize(kept);
  targets.insert(targets.end(), dirty_.begin(), dirty_.end());
  dirty_.swap(targets);
  close_packets(young);
  aged_packets_ = young;
}

// ---- whole chunks ----

Chunk* Aggregator::acquire_chunk(int destination) {
  wait_for_credit(lane_index(destination));
  return take_chunk();
}

void Aggregator::dispatch_single(int destination, Chunk* chunk, const MessageType& type,
                                 std::size_t bytes, CompletionShare* scope) {
  const std::size_t lane_number = lane_index(destination);
  chunk->destination = destination;
  chunk->kind = Chunk::Kind::kPlain;
  write_single(lanes_[lane_number], chunk, type, scope, bytes);
  dispatch(lane_number, chunk, PacketAssembler::kStay);
}

void Aggregator::turn_around(RunContext& context, const MessageType& type) {
  Chunk* chunk = context.chunk;
  auto* batch = reinterpret_cast<BatchHeader*>(chunk->data());
  batch->event = 0;
  const int target = chunk->source;
  context.chunk_taken = true;
  kBytesSent.add_to(*core_.metrics, chunk->used);
  if (chunk->packet != nullptr) {
    batch->type = to_travel(&type);
    send_section_back(chunk);
    return;
  }
  // The chunk goes home with its charge; recycling it there settles the credit.
  batch->type = &type;
  chunk->source = core_.id;
  chunk->destination = target;
  if (target == core_.id) {
    inbox_.push(chunk);
  } else {
    core_at(target).messages->deliver(chunk);
  }
}

// ---- chunks of this core ----

Chunk* Aggregator::take_chunk() {
  if (!pool_.has_free()) collect_returned();
  return pool_.take();
}

void Aggregator::recycle(Chunk* chunk) {
  if (chunk->charged >= 0)
    discharge(lanes_[static_cast<std::size_t>(chunk->charged)], chunk->charge);
  chunk->charged = -1;
  pool_.put(chunk);
}

void Aggregator::collect_returned() {
  for (Chunk* chunk = pool_.take_returned(); chunk != nullptr;) {
    Chunk* next = chunk->next;
    recycle(chunk);
    chunk = next;
  }
}

}  // namespace grappa::internal
