#include "grappa/tasking/completion.hpp"

#include <fmt/format.h>

#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/printable.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {
namespace {

constexpr std::uint32_t kGenerationMask = (1u << 24) - 1;

EventId make_id(int core, std::uint32_t slot, std::uint32_t generation) {
  return static_cast<EventId>(core) << 48 | static_cast<EventId>(slot) << 24 | generation;
}

}  // namespace

void Ledger::open(CompletionShare& share) {
  std::uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    if (slot > kGenerationMask) fatal("more than 16,777,216 completion events live on one core");
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& entry = slots_[slot];
  // Generation 0 is never used, so that no id is 0.
  entry.generation =
      (entry.generation & kGenerationMask) == kGenerationMask ? 1 : entry.generation + 1;
  entry.share = &share;
  share.id = make_id(core_.id, slot, entry.generation);
  share.parent = CompletionShare::Parent::kOwner;
}

void Ledger::close(CompletionShare& share) {
  const auto slot = static_cast<std::uint32_t>(share.id >> 24) & kGenerationMask;
  slots_[slot].share = nullptr;
  free_slots_.push_back(slot);
  share.id = 0;
}

CompletionShare& Ledger::find(EventId id) {
  if (event_owner(id) != core_.id) return remote_share(id);
  const auto slot = static_cast<std::uint32_t>(id >> 24) & kGenerationMask;
  const auto generation = static_cast<std::uint32_t>(id) & kGenerationMask;
  if (slot >= slots_.size() || slots_[slot].share == nullptr ||
      slots_[slot].generation != generation) {
    fatal("work arrived for a completion event that no longer exists");
  }
  return *slots_[slot].share;
}

CompletionShare& Ledger::remote_share(EventId id) {
  // Mostly it is that of the batch or task before. A share that was released has another id.
  if (last_remote_ != nullptr && last_remote_->id == id) return *last_remote_;
  CompletionShare*& entry = remote_[id];
  if (entry == nullptr) {
    if (free_remote_.empty()) {
      all_remote_.push_back(std::make_unique<CompletionShare>());
      free_remote_.push_back(all_remote_.back().get());
    }
    entry = free_remote_.back();
    free_remote_.pop_back();
    *entry = CompletionShare{};
    entry->id = id;
  }
  last_remote_ = entry;
  return *entry;
}

void Ledger::release(CompletionShare& share) {
  remote_.erase(share.id);
  share.id = 0;
  free_remote_.push_back(&share);
}

void Ledger::end_batch(CompletionShare& share, int origin, std::int64_t count) {
  if (origin == core_.id) {
    // Our own messages: they were counted here when they were sent.
    finish(share, count + 1);
    return;
  }
  const EventId id = share.id;
  if (share.parent != CompletionShare::Parent::kNone) {
    finish(share);
    sender_->send_ack(origin, id, count);
  } else if (--share.pending == 0) {
    release(share);
    sender_->send_ack(origin, id, count);
  } else {
    share.parent = CompletionShare::Parent::kMessage;
    share.parent_core = origin;
    if (count > 1) sender_->send_ack(origin, id, count - 1);
  }
}

void Ledger::drained(CompletionShare& share) {
  switch (share.parent) {
    case CompletionShare::Parent::kOwner:
      if (share.waiter) core_.scheduler->wake(std::exchange(share.waiter, {}));
      break;
    case CompletionShare::Parent::kMessage: {
      const EventId id = share.id;
      const int parent = share.parent_core;
      release(share);
      sender_->send_ack(parent, id, 1);
      break;
    }
    case CompletionShare::Parent::kSteal: {
      const int parent = share.parent_core;
      RangeDescriptor* range = share.parent_range;
      const std::int64_t units = share.parent_units;
      release(share);
      sender_->send_steal_ack(parent, range, units);
      break;
    }
    case CompletionShare::Parent::kNone:
      // Only inside begin_batch/end_batch, which settle it themselves.
      break;
  }
}

void Ledger::adopted_task(CompletionShare& share, int victim) {
  if (share.parent == CompletionShare::Parent::kNone) {
    share.parent = CompletionShare::Parent::kMessage;
    share.parent_core = victim;
  } else {
    sender_->send_ack(victim, share.id, 1);
  }
}

void Ledger::adopted_range(CompletionShare& share, int victim, RangeDescriptor* range,
                           std::int64_t units) {
  if (share.parent == CompletionShare::Parent::kNone) {
    share.parent = CompletionShare::Parent::kSteal;
    share.parent_core = victim;
    share.parent_range = range;
    share.parent_units = units;
  } else {
    sender_->send_steal_ack(victim, range, units);
  }
}

void Ledger::record(CompletionShare& owner_share, const ErrorRecord& error) {
  if (owner_share.errors == nullptr) {
    fatal("an exception left work whose completion event keeps no errors: " +
          printable_lines(error.message));
  }
  if (owner_share.errors->count == 0)
    *owner_share.errors = error;
  else
    owner_share.errors->count += error.count;
}

void Ledger::report(CompletionShare& share, const std::exception_ptr& error) {
  const RemoteError remote = to_remote_error(error);
  const ErrorRecord record{remote.type_name(), remote.message(),
                           1 + static_cast<std::int64_t>(remote.others())};
  if (share.parent == CompletionShare::Parent::kOwner) {
    Ledger::record(share, record);
  } else {
    sender_->send_error(share, record);
  }
}

std::string Ledger::describe_errors(std::size_t limit) const {
  std::string text;
  for (const Slot& slot : slots_) {
    if (slot.share == nullptr || slot.share->errors == nullptr) continue;
    const ErrorRecord& error = *slot.share->errors;
    if (error.count == 0 || limit-- == 0) continue;
    const RemoteError thrown(error.type_name, error.message,
                             static_cast<std::uint64_t>(error.count - 1));
    text +=
        fmt::format("  core {}: not caught so far: {}\n", core_.id, printable_lines(thrown.what()));
  }
  return text;
}

}  // namespace grappa::internal
