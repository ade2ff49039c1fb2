#include "grappa/message/aggregator.hpp"

#include <algorithm>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/tasking/range.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {
namespace {

constexpr std::uint32_t kLocalCredit = 1 << 20;   // within the cache (more in flight is slower)
constexpr std::uint32_t kRemoteCredit = 4 << 20;  // bandwidth times latency of a fast network
constexpr std::uint32_t kLeastCharge = 16;        // a chunk uses up at least a 16th of its capacity
constexpr int kChunksPerPoll = 8;
constexpr std::size_t kSlabBytes = 1 << 20;

std::size_t padded(std::size_t bytes) { return round_up(bytes, 8); }

struct AckMessage {
  EventId event;
  std::int64_t count;
  void operator()(RunContext& context) const noexcept {
    context.core.ledger->acknowledged(event, count);
  }
};

struct StealAckMessage {
  RangeDescriptor* range;
  std::int64_t units;
  void operator()(RunContext& context) const noexcept {
    context.core.ranges->finish_units(*range, units);
  }
};

struct CreditMessage {
  std::uint64_t bytes;
  void operator()(RunContext& context) const noexcept {
    context.core.messages->credit_returned(context.source, bytes);
  }
};

/// Followed by the type name and the message text.
struct ErrorMessage {
  std::int64_t count;
  std::uint32_t name_bytes;
  std::uint32_t text_bytes;
  void operator()(RunContext& context) {
    const char* text = reinterpret_cast<const char*>(this + 1);
    Ledger::record(*context.scope, ErrorRecord{std::string(text, name_bytes),
                                               std::string(text + name_bytes, text_bytes), count});
  }
};

}  // namespace

namespace internal {

void report_handler_exception(RunContext& context) {
  if (context.scope == nullptr) {
    fatal("an exception left a message handler: " + describe_exception(std::current_exception()));
  }
  context.core.ledger->report(*context.scope, std::current_exception());
}

}  // namespace internal

Aggregator::Aggregator(Core& core)
    : core_(core),
      chunk_bytes_(core.locale.config.chunk_bytes / alignof(Chunk) * alignof(Chunk) -
                   sizeof(Chunk)),
      local_credit_(std::max<std::uint32_t>(
          kLocalCredit, 4 * static_cast<std::uint32_t>(core.locale.config.chunk_bytes))),
      remote_credit_(std::max<std::uint32_t>(
          kRemoteCredit, 4 * static_cast<std::uint32_t>(core.locale.config.chunk_bytes))),
      scanner_(core.locale.scanner),
      lanes_(static_cast<std::size_t>(core.locale.core_count())),
      owed_(static_cast<std::size_t>(core.locale.core_count())) {
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
        core_.locale.endpoint->release(chunk->packet);
      } else if (chunk->oversize) {
        ::operator delete(chunk, std::align_val_t{64});
      }
      chunk = next;
    }
  };
  drop_all(inbound_.exchange(nullptr));
  drop_all(std::exchange(arrived_head_, nullptr));
  arrived_tail_ = nullptr;
  drop_all(std::exchange(finished_, nullptr));
  drop_all(returned_.exchange(nullptr));
  for (Lane& lane : lanes_) {
    if (lane.chunk != nullptr) lane.chunk->next = nullptr;
    drop_all(std::exchange(lane.chunk, nullptr));
  }
}

// ---- filling
// ----------------------------------------------------------------------------------------

void Aggregator::mark_dirty(int destination, Lane& lane) {
  if (lane.dirty) return;
  lane.dirty = true;
  lane.aged = false;
  dirty_.push_back(destination);
}

bool Aggregator::out_of_credit(const Lane& lane) const {
  const auto destination = static_cast<int>(&lane - lanes_.data());
  return lane.in_flight >= (core_.locale.holds(destination) ? local_credit_ : remote_credit_);
}

void Aggregator::wait_for_credit(int destination) {
  Lane& lane = lanes_[static_cast<std::size_t>(destination)];
  collect_returned();
  if (!core_.scheduler->may_suspend()) {
    if (destination != core_.id && out_of_credit(lane)) {
      kOverflowChunks.add_to(*core_.metrics);
    }
    return;
  }
  // A good moment to take what others sent: it keeps what is in flight within the caches.
  if (has_arrivals()) core_.scheduler->yield_to_main();
  while (out_of_credit(lane)) {
    kSendWaits.add_to(*core_.metrics);
    core_.scheduler->yield_to_main();
    collect_returned();
  }
}

std::byte* Aggregator::open_batch(int destination, const MessageType& type, CompletionShare* scope,
                                  std::size_t bytes) {
  Lane& lane = lanes_[static_cast<std::size_t>(destination)];
  if (bytes + sizeof(BatchHeader) > chunk_bytes_)
    return open_single(destination, type, scope, bytes);
  close_batch(lane);
  while (lane.chunk == nullptr ||
         static_cast<std::size_t>(lane.limit - lane.cursor) < sizeof(BatchHeader) + bytes) {
    seal(destination, Reason::kFull);
    // Another task may fill or seal this lane while we wait, hence the loop.
    wait_for_credit(destination);
    close_batch(lane);
    if (lane.chunk != nullptr) continue;
    lane.chunk = take_chunk();
    lane.cursor = lane.chunk->data();
    lane.limit = lane.cursor + chunk_bytes_;
  }
  mark_dirty(destination, lane);
  lane.batch = new (lane.cursor) BatchHeader{&type, scope != nullptr ? scope->id : 0, 0, 0};
  lane.type = &type;
  lane.scope = scope;
  lane.cursor += sizeof(BatchHeader);
  // The open batch counts as one; closing it adds the others. So an event never looks finished
  // while messages of it wait here.
  if (scope != nullptr) core_.ledger->add(*scope);
  return lane.cursor;
}

void Aggregator::close_batch(Lane& lane) {
  if (lane.type == nullptr) return;
  BatchHeader& batch = *lane.batch;
  const auto bytes = static_cast<std::size_t>(lane.cursor - batch.payload());
  batch.count = static_cast<std::uint32_t>(bytes / lane.type->stride);
  batch.bytes = static_cast<std::uint32_t>(padded(bytes));
  lane.cursor = batch.payload() + batch.bytes;
  if (lane.cursor > lane.limit) lane.cursor = lane.limit;
  lane.chunk->used = static_cast<std::uint32_t>(lane.cursor - lane.chunk->data());
  if (lane.scope != nullptr)
    core_.ledger->add(*lane.scope, static_cast<std::int64_t>(batch.count) - 1);
  lane.type = nullptr;
  lane.scope = nullptr;
  lane.batch = nullptr;
}

std::byte* Aggregator::open_single(int destination, const MessageType& type, CompletionShare* scope,
                                   std::size_t bytes) {
  Lane& lane = lanes_[static_cast<std::size_t>(destination)];
  const std::size_t needed = sizeof(BatchHeader) + padded(bytes);
  close_batch(lane);
  seal(destination, Reason::kFull);
  if (core_.scheduler->may_suspend()) {
    wait_for_credit(destination);
    close_batch(lane);
    seal(destination, Reason::kFull);
  }
  lane.chunk = needed > chunk_bytes_ ? make_oversize(needed) : take_chunk();
  Chunk* chunk = lane.chunk;
  auto* batch = new (chunk->data()) BatchHeader{&type, scope != nullptr ? scope->id : 0, 1,
                                                static_cast<std::uint32_t>(padded(bytes))};
  chunk->used = static_cast<std::uint32_t>(needed);
  lane.cursor = chunk->data() + needed;
  // Nothing is appended behind it: the next message finds no room and seals the chunk.
  lane.limit = lane.cursor;
  mark_dirty(destination, lane);
  if (scope != nullptr) core_.ledger->add(*scope);
  return batch->payload();
}

// ---- handing over
// -----------------------------------------------------------------------------------

void Aggregator::seal(int destination, Reason reason) {
  Lane& lane = lanes_[static_cast<std::size_t>(destination)];
  close_batch(lane);
  Chunk* chunk = lane.chunk;
  if (chunk == nullptr) return;
  lane.chunk = nullptr;
  lane.cursor = lane.limit = nullptr;
  if (chunk->used == 0) {
    recycle(chunk);
    return;
  }
  switch (reason) {
    case Reason::kFull:
      kFlushFull.add_to(*core_.metrics);
      break;
    case Reason::kAge:
      kFlushAge.add_to(*core_.metrics);
      break;
    case Reason::kIdle:
      kFlushIdle.add_to(*core_.metrics);
      break;
    case Reason::kAsked:
      kFlushAsked.add_to(*core_.metrics);
      break;
    case Reason::kHungry:
      kFlushHungry.add_to(*core_.metrics);
      break;
  }
  dispatch(destination, chunk);
}

void Aggregator::dispatch(int destination, Chunk* chunk) {
  Lane& lane = lanes_[static_cast<std::size_t>(destination)];
  chunk->source = core_.id;
  chunk->destination = destination;
  if (destination == core_.id) {
    chunk->charged = -1;
    chunk->next = nullptr;
    (arrived_tail_ != nullptr ? arrived_tail_->next : arrived_head_) = chunk;
    arrived_tail_ = chunk;
    return;
  }
  if (core_.locale.holds(destination)) {
    // A chunk with little in it keeps its memory busy all the same.
    chunk->charge = std::max(chunk->used, chunk->capacity / kLeastCharge);
    chunk->charged = destination;
    lane.in_flight += chunk->charge;
    kChunksSent.add_to(*core_.metrics);
    kChunkBytes.add_to(*core_.metrics, chunk->used);
    Locale& locale = core_.locale;
    locale.cores[static_cast<std::size_t>(destination - locale.first_core())]->messages->deliver(
        chunk);
  } else {
    lane.in_flight += chunk->used;
    send_packet(destination, chunk);
  }
}

void Aggregator::deliver(Chunk* chunk) {
  Chunk* head = inbound_.load(std::memory_order_relaxed);
  do {
    chunk->next = head;
  } while (!inbound_.compare_exchange_weak(head, chunk, std::memory_order_seq_cst,
                                           std::memory_order_relaxed));
  core_.wake_thread();
}

void Aggregator::flush_to(int destination) { seal(destination, Reason::kAsked); }

bool Aggregator::flush() {
  // Also what waits for this core itself; start behind the last destination served, so that not
  // everybody sends to core 0 first.
  if (dirty_.empty()) return false;
  std::vector<int> targets;
  targets.swap(dirty_);
  const std::size_t count = targets.size();
  bool sent = false;
  for (std::size_t i = 0; i < count; ++i) {
    const int destination = targets[(next_flush_ + i) % count];
    Lane& lane = lanes_[static_cast<std::size_t>(destination)];
    lane.dirty = false;
    if (lane.chunk == nullptr) continue;
    sent = true;
    seal(destination, Reason::kIdle);
  }
  ++next_flush_;
  if (dirty_.empty()) {
    targets.clear();
    dirty_.swap(targets);  // keep the capacity
  }
  return sent;
}

void Aggregator::tick() {
  std::size_t kept = 0;
  std::vector<int> targets;
  targets.swap(dirty_);
  for (const int destination : targets) {
    Lane& lane = lanes_[static_cast<std::size_t>(destination)];
    if (lane.chunk != nullptr && !lane.aged) {
      lane.aged = true;
      targets[kept++] = destination;
      continue;
    }
    lane.dirty = false;
    seal(destination, Reason::kAge);
  }
  targets.resize(kept);
  targets.insert(targets.end(), dirty_.begin(), dirty_.end());
  dirty_.swap(targets);
}

// ---- whole chunks
// -------------------------------------------------------------------------------------

Chunk* Aggregator::acquire_chunk(int destination) {
  wait_for_credit(destination);
  return take_chunk();
}

void Aggregator::dispatch_single(int destination, Chunk* chunk, const MessageType& type,
                                 std::size_t bytes, CompletionShare* scope) {
  new (chunk->data()) BatchHeader{&type, scope != nullptr ? scope->id : 0, 1,
                                  static_cast<std::uint32_t>(padded(bytes))};
  chunk->used = static_cast<std::uint32_t>(sizeof(BatchHeader) + padded(bytes));
  if (scope != nullptr) core_.ledger->add(*scope);
  dispatch(destination, chunk);
}

void Aggregator::turn_around(RunContext& context, const MessageType& type) {
  Chunk* chunk = context.chunk;
  auto* batch = reinterpret_cast<BatchHeader*>(chunk->data());
  batch->type = chunk->packet != nullptr ? to_travel(&type) : &type;
  batch->event = 0;
  const int target = chunk->source;
  context.chunk_taken = true;
  if (chunk->packet == nullptr) {
    // The chunk goes home with its charge; recycling it there settles the credit.
    chunk->source = core_.id;
    chunk->destination = target;
    Locale& locale = core_.locale;
    if (target == core_.id) {
      chunk->next = nullptr;
      (arrived_tail_ != nullptr ? arrived_tail_->next : arrived_head_) = chunk;
      arrived_tail_ = chunk;
    } else {
      locale.cores[static_cast<std::size_t>(target - locale.first_core())]->messages->deliver(
          chunk);
    }
    return;
  }
  PacketBuffer* packet = chunk->packet;
  owed_[static_cast<std::size_t>(target)] += chunk->used;
  chunk->source = core_.id;
  chunk->destination = target;
  chunk->packet = nullptr;
  lanes_[static_cast<std::size_t>(target)].in_flight += chunk->used;
  packet->size = static_cast<std::uint32_t>(sizeof(Chunk) + chunk->used);
  core_.locale.endpoint->send(target / core_.locale.cores_each, packet);
}

// ---- pool
// ---------------------------------------------------------------------------------------------

Chunk* Aggregator::take_chunk() {
  if (free_ == nullptr) collect_returned();
  if (Chunk* chunk = free_) {
    free_ = chunk->next;
    chunk->used = 0;
    return chunk;
  }
  const std::size_t bytes = sizeof(Chunk) + chunk_bytes_;
  if (slab_left_ < bytes) {
    const std::size_t slab = std::max(kSlabBytes, bytes);
    slabs_.push_back(
        Mapping::reserve({.bytes = slab, .purpose = "message chunks", .knob = "--chunk-size"}));
    slab_next_ = static_cast<std::byte*>(slabs_.back().data());
    slab_left_ = slab;
  }
  auto* chunk = new (slab_next_) Chunk;
  slab_next_ += bytes;
  slab_left_ -= bytes;
  chunk->owner = core_.id;
  chunk->capacity = static_cast<std::uint32_t>(chunk_bytes_);
  return chunk;
}

Chunk* Aggregator::make_oversize(std::size_t bytes) {
  if (bytes > UINT32_MAX / 2) throw UsageError("a message of more than 2 GiB");
  auto* chunk = new (::operator new(sizeof(Chunk) + bytes, std::align_val_t{64})) Chunk;
  chunk->owner = core_.id;
  chunk->capacity = static_cast<std::uint32_t>(bytes);
  chunk->oversize = true;
  return chunk;
}

void Aggregator::recycle(Chunk* chunk) {
  if (chunk->charged >= 0)
    lanes_[static_cast<std::size_t>(chunk->charged)].in_flight -= chunk->charge;
  chunk->charged = -1;
  if (chunk->oversize) {
    ::operator delete(chunk, std::align_val_t{64});
    return;
  }
  chunk->next = free_;
  free_ = chunk;
}

void Aggregator::collect_returned() {
  if (returned_.load(std::memory_order_relaxed) == nullptr) return;
  for (Chunk* chunk = returned_.exchange(nullptr, std::memory_order_acquire); chunk != nullptr;) {
    Chunk* next = chunk->next;
    recycle(chunk);
    chunk = next;
  }
}

void Aggregator::give_back(Chunk* chunk) {
  Chunk* head = returned_.load(std::memory_order_relaxed);
  do {
    chunk->next = head;
  } while (!returned_.compare_exchange_weak(head, chunk, std::memory_order_release,
                                            std::memory_order_relaxed));
}

void Aggregator::credit_returned(int destination, std::uint64_t bytes) {
  lanes_[static_cast<std::size_t>(destination)].in_flight -= static_cast<std::uint32_t>(bytes);
}

// ---- running
// ------------------------------------------------------------------------------------------

void Aggregator::feed_hungry() {
  for (const int destination : dirty_) {
    if (destination == core_.id || !core_.locale.holds(destination)) continue;
    if (core_.locale.cores[static_cast<std::size_t>(destination - core_.locale.first_core())]
            ->hungry()) {
      seal(destination, Reason::kHungry);
    }
  }
}

bool Aggregator::poll() {
  feed_hungry();
  return_finished();
  if (core_.locale.count > 1) receive_packets();
  if (inbound_.load(std::memory_order_relaxed) != nullptr) {
    // The stack has the newest on top; run the oldest first.
    Chunk* newest = inbound_.exchange(nullptr, std::memory_order_acquire);
    // Its first messages lie in another line, which would else be asked for one transfer later.
    __builtin_prefetch(newest->data());
    Chunk* oldest = nullptr;
    Chunk* last = newest;
    while (newest != nullptr) {
      Chunk* next = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = next;
    }
    (arrived_tail_ != nullptr ? arrived_tail_->next : arrived_head_) = oldest;
    arrived_tail_ = last;
  }
  if (arrived_head_ == nullptr) return false;
  for (int i = 0; i < kChunksPerPoll && arrived_head_ != nullptr; ++i) {
    Chunk* chunk = arrived_head_;
    arrived_head_ = chunk->next;
    if (arrived_head_ == nullptr) arrived_tail_ = nullptr;
    run_chunk(chunk);
  }
  return true;
}

void Aggregator::run_chunk(Chunk* chunk) {
  Worker& main = core_.scheduler->current();
  RunContext context{core_, chunk->source, chunk, nullptr, 0};
  std::byte* at = chunk->data();
  std::byte* const end = at + chunk->used;
  while (at < end) {
    auto& batch = *reinterpret_cast<BatchHeader*>(at);
    at = batch.payload() + batch.bytes;
    const MessageType& type = chunk->packet != nullptr ? *from_travel(batch.type) : *batch.type;
    const std::uint32_t count = batch.count;
    const EventId event = batch.event;
    context.bytes = batch.bytes;
    main.task = type.name;
    kBatchesRun.add_to(*core_.metrics);
    kMessagesRun.add_to(*core_.metrics, count);
    if (event == 0) {
      context.scope = main.scope = nullptr;
      type.run(batch.payload(), count, context);
    } else {
      CompletionShare& share = core_.ledger->begin_batch(event);
      context.scope = main.scope = &share;
      type.run(batch.payload(), count, context);
      main.scope = nullptr;
      core_.ledger->end_batch(share, context.source, count);
    }
  }
  main.task = nullptr;
  if (!context.chunk_taken) finish_chunk(chunk);
}

void Aggregator::finish_chunk(Chunk* chunk) {
  if (chunk->packet != nullptr) {
    const int source = chunk->source;
    auto& owed = owed_[static_cast<std::size_t>(source)];
    owed += chunk->used;
    core_.locale.endpoint->release(chunk->packet);
    // Below this no message is worth it; the sender's credit is several times as large.
    if (owed >= remote_credit_ / 4) {
      const std::uint64_t bytes = owed;
      owed = 0;
      send(source, CreditMessage{bytes}, nullptr);
    }
  } else if (chunk->owner == core_.id) {
    recycle(chunk);
  } else {
    chunk->next = finished_;
    finished_ = chunk;
  }
}

void Aggregator::return_finished() {
  Locale& locale = core_.locale;
  while (Chunk* chunk = finished_) {
    finished_ = chunk->next;
    locale.cores[static_cast<std::size_t>(chunk->owner - locale.first_core())]->messages->give_back(
        chunk);
  }
}

// ---- acknowledgements
// ---------------------------------------------------------------------------------

void Aggregator::send_ack(int core, EventId id, std::int64_t count) {
  send(core, AckMessage{id, count}, nullptr);
}

void Aggregator::send_steal_ack(int core, RangeDescriptor* range, std::int64_t units) {
  send(core, StealAckMessage{range, units}, nullptr);
}

void Aggregator::send_error(CompletionShare& share, const ErrorRecord& record) {
  const std::string text = record.type_name + record.message;
  send_with_tail(event_owner(share.id),
                 ErrorMessage{record.count, static_cast<std::uint32_t>(record.type_name.size()),
                              static_cast<std::uint32_t>(record.message.size())},
                 text.data(), text.size(), &share);
}

}  // namespace grappa
