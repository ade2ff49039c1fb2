// The aggregator's other half: what arrives is run, forwarded or scattered, and acknowledged.

#include <algorithm>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/printable.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/metrics.hpp"
#include "grappa/tasking/activity_scope.hpp"
#include "grappa/tasking/range.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

constexpr int kChunksPerPoll = 8;

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

/// Under two-hop routing this may come through another core, hence `from`.
struct CreditMessage {
  std::int32_t from;
  std::uint32_t bytes : 31;
  std::uint32_t scattered : 1;
  void operator()(RunContext& context) const noexcept {
    context.core.messages->credit_returned(from, bytes, scattered != 0);
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

void report_handler_exception(RunContext& context) {
  if (context.scope == nullptr) {
    fatal("an exception left a message handler: " +
          printable_lines(describe_exception(std::current_exception())));
  }
  context.core.ledger->report(*context.scope, std::current_exception());
}

void Aggregator::feed_hungry() {
  for (const std::uint32_t lane_number : dirty_) {
    const int target = lane_target_[lane_number];
    if (target == core_.id || lanes_[lane_number].remote) continue;
    if (core_at(target).hungry()) seal(lane_number, Reason::kHungry, PacketAssembler::kGo);
  }
}

bool Aggregator::poll() {
  feed_hungry();
  return_finished();
  if (core_.locale.count > 1 && !core_.locale.has_comm_core()) receive_packets();
  inbox_.take_delivered();
  if (inbox_.queue_empty() && !can_scatter()) return false;
  const ActivityScope scope(&core_, Activity::kAggregation);
  for (int i = 0; i < kChunksPerPoll && can_scatter(); ++i) run_chunk(waiting_scatters_.pop());
  for (int i = 0; i < kChunksPerPoll && !inbox_.queue_empty(); ++i) {
    Chunk* chunk = inbox_.pop();
    if (chunk->kind == Chunk::Kind::kScatter && blocked_second_hops_ != 0) {
      kScattersDelayed.add_to(*core_.metrics);
      waiting_scatters_.push(chunk);
    } else {
      run_chunk(chunk);
    }
  }
  return true;
}

void Aggregator::run_chunk(Chunk* chunk) {
  Worker& main = core_.scheduler->current();
  RunContext context{core_, chunk->source, chunk, nullptr};
  std::byte* at = chunk->data();
  std::byte* const end = at + chunk->used;
  while (at < end) {
    auto& batch = *reinterpret_cast<BatchHeader*>(at);
    at = batch.payload() + batch.bytes;
    const MessageType& type = chunk->packet != nullptr ? *from_travel(batch.type) : *batch.type;
    const std::uint32_t count = batch.count;
    const EventId event = batch.event;
    context.last = count == 1 && at == end;
    main.task = type.name;
    if (event != 0) main.scope = &core_.ledger->begin_batch(event);
    context.scope = main.scope;
    if (chunk->kind == Chunk::Kind::kScatter) {
      kMessagesForwarded.add_to(*core_.metrics, count);
      scatter_batch(batch, type, context.scope);
    } else {
      kBatchesRun.add_to(*core_.metrics);
      kMessagesRun.add_to(*core_.metrics, count);
      if (core_.recorder != nullptr) [[unlikely]]
        core_.recorder->enter(Activity::kProgram, type.name, count);
      type.run(batch.payload(), count, context);
    }
    if (event != 0) {
      CompletionShare& share = *std::exchange(main.scope, nullptr);
      core_.ledger->end_batch(share, context.source, count);
    }
  }
  main.task = nullptr;
  if (core_.recorder != nullptr) [[unlikely]]
    core_.recorder->enter(Activity::kAggregation);
  if (!context.chunk_taken) finish_chunk(chunk);
}

void Aggregator::scatter_batch(BatchHeader& batch, const MessageType& type,
                               CompletionShare* scope) {
  const std::byte* at = batch.payload();
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const RoutedHeader& header = *reinterpret_cast<const RoutedHeader*>(at);
    at += sizeof header;
    std::memcpy(append(header.destination, type, scope, header.bytes), at, header.bytes);
    at += round_up(header.bytes, 8);
  }
}

void Aggregator::finish_chunk(Chunk* chunk) {
  if (chunk->packet != nullptr) {
    const bool scattered = chunk->kind == Chunk::Kind::kScatter;
    const int source = chunk->source;
    const std::uint32_t bytes = chunk->used;
    release_section(*core_.locale.endpoint, *chunk);
    owe(source, bytes, scattered);
  } else if (chunk->owner == core_.id) {
    recycle(chunk);
  } else {
    chunk->next = finished_;
    finished_ = chunk;
  }
}

void Aggregator::return_finished() {
  while (Chunk* chunk = finished_) {
    finished_ = chunk->next;
    core_at(chunk->owner).messages->give_back(chunk);
  }
}

// ---- credit between locales ----

void Aggregator::owe(int core, std::uint32_t bytes, bool scattered) {
  const std::uint32_t returned =
      scattered
          ? owed_scattered_.add(static_cast<std::size_t>(core / core_.locale.cores_each), bytes)
          : owed_.add(static_cast<std::size_t>(core), bytes);
  if (returned != 0) send(core, CreditMessage{core_.id, returned, scattered}, nullptr);
}

void Aggregator::credit_returned(int core, std::uint32_t bytes, bool scattered) {
  const std::size_t lane_number =
      scattered ? scatter_lane_of_[static_cast<std::size_t>(core / core_.locale.cores_each)]
                : lane_index(core);
  discharge(lanes_[lane_number], bytes);
}

// ---- acknowledgements ----

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

}  // namespace grappa::internal
