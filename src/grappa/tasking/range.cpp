#include "grappa/tasking/range.hpp"

#include <bit>
#include <cstring>
#include <new>

#include "grappa/base/core_recorder.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/metrics.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {

RangeBoard::~RangeBoard() = default;

RangeDescriptor& RangeBoard::obtain(Reach reach) {
  auto& free = free_list(reach);
  if (free.empty()) {
    all_.push_back(std::make_unique<RangeDescriptor>());
    free.push_back(all_.back().get());
  }
  RangeDescriptor* range = free.back();
  free.pop_back();
  range->reach = reach;
  return *range;
}

RangeDescriptor& RangeBoard::publish(const Request& request, CompletionShare& scope) {
  RangeDescriptor& range = obtain(request.reach);
  range.begin = request.begin;
  range.end = request.end;
  range.grain = request.grain;
  range.total = (request.end - request.begin - 1) / request.grain + 1;
  range.scope = &scope;
  range.event = scope.id;
  range.type = request.type;
  range.finished = 0;
  if (request.type->bytes <= RangeDescriptor::kInlineBytes && request.type->alignment <= 64) {
    range.closure = range.inline_closure;
  } else {
    range.closure = ::operator new(request.type->bytes, std::align_val_t{request.type->alignment});
  }
  std::memcpy(range.closure, request.closure, request.type->bytes);
  range.units.store(RangeDescriptor::pack(0, static_cast<std::uint64_t>(range.total)),
                    std::memory_order_release);
  link(range);
  return range;
}

RangeDescriptor* RangeBoard::find_unstarted() {
  for (RangeDescriptor* range = newest_; range != nullptr;) {
    RangeDescriptor* const older = range->older;
    if (exhausted(*range)) {
      unlink(*range);
    } else if (!range->started) {
      return range;
    }
    range = older;
  }
  return nullptr;
}

void RangeBoard::link(RangeDescriptor& range) {
  range.older = newest_;
  range.newer = nullptr;
  if (newest_ != nullptr) newest_->newer = &range;
  newest_ = &range;
  range.listed = true;
  range.started = false;
  ++unstarted_;
  range.slot = -1;
  if (!is_bound(range.reach) && free_slots_ != 0 && core_.locale.core_count() > 1) {
    range.slot = std::countr_zero(free_slots_);
    free_slots_ &= free_slots_ - 1;
    visible_[static_cast<std::size_t>(range.slot)].store(&range, std::memory_order_release);
    visible_mask_.store(~free_slots_, std::memory_order_seq_cst);
    if (range.total > 1) core_.scheduler->invite_thieves();
  }
}

void RangeBoard::unlink(RangeDescriptor& range) {
  if (range.newer != nullptr)
    range.newer->older = range.older;
  else
    newest_ = range.older;
  if (range.older != nullptr) range.older->newer = range.newer;
  range.listed = false;
  if (!range.started) --unstarted_;
  if (range.slot >= 0) {
    free_slots_ |= 1u << range.slot;
    visible_mask_.store(~free_slots_, std::memory_order_relaxed);
    range.slot = -1;
  }
}

void RangeBoard::retire(RangeDescriptor& range) {
  if (range.listed) unlink(range);
  if (range.closure != range.inline_closure) {
    ::operator delete(range.closure, std::align_val_t{range.type->alignment});
  }
  CompletionShare* scope = range.scope;
  free_list(range.reach).push_back(&range);
  core_.ledger->finish(*scope);
}

namespace {

struct Part {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t units;
};

/// Takes the upper half of the units left, rounded up, but leaves at least `keep` of them. No units
/// when there are none to take.
Part take_half(RangeDescriptor& range, std::uint64_t keep) {
  std::uint64_t units = range.units.load(std::memory_order_acquire);
  for (;;) {
    const std::uint64_t next = static_cast<std::uint32_t>(units);
    const std::uint64_t end = units >> 32;
    if (next + keep >= end) return {0, 0, 0};
    const std::uint64_t middle = next + (end - next) / 2;
    if (!range.units.compare_exchange_weak(units, RangeDescriptor::pack(next, middle),
                                           std::memory_order_acquire, std::memory_order_acquire)) {
      continue;
    }
    const auto past = static_cast<std::int64_t>(end);
    return {range.begin + static_cast<std::int64_t>(middle) * range.grain,
            past == range.total ? range.end : range.begin + past * range.grain,
            static_cast<std::int64_t>(end - middle)};
  }
}

}  // namespace

bool RangeBoard::steal_from(Core& victim) {
  std::uint32_t mask = victim.ranges->visible_mask_.load(std::memory_order_acquire);
  while (mask != 0) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(mask));
    mask &= mask - 1;
    RangeDescriptor* range = victim.ranges->visible_[slot].load(std::memory_order_acquire);
    if (range == nullptr) continue;
    const Part part = take_half(*range, 0);
    if (part.units == 0) continue;
    // A lone unit begins here: if it could be taken away again, idle cores might hand it round.
    const Reach reach = part.units > 1 ? range->reach : Reach::kTaken;
    const Request request{part.begin, part.end, range->grain, reach, range->type, range->closure};
    // The victim may end the range, and free the closure, once it hears of this; so it hears
    // after the copy is made.
    CompletionShare& scope = core_.ledger->begin_adoption(range->event);
    publish(request, scope);
    core_.ledger->adopted_range(scope, victim.id, range, part.units);
    kRangesStolen.add();
    if (core_.recorder != nullptr)
      core_.recorder->note(TraceKind::kSteal, "units of a loop", victim.id, part.units);
    return true;
  }
  return false;
}

RangeDescriptor* RangeBoard::spare_range() const {
  for (std::uint32_t mask = ~free_slots_; mask != 0; mask &= mask - 1) {
    RangeDescriptor* range =
        visible_[static_cast<std::size_t>(std::countr_zero(mask))].load(std::memory_order_relaxed);
    const std::uint64_t units = range->units.load(std::memory_order_relaxed);
    if (range->reach == Reach::kAnywhere && (units >> 32) - static_cast<std::uint32_t>(units) > 1)
      return range;
  }
  return nullptr;
}

std::int64_t RangeBoard::spare_units() const {
  const RangeDescriptor* range = spare_range();
  if (range == nullptr) return 0;
  const std::uint64_t units = range->units.load(std::memory_order_relaxed);
  return static_cast<std::int64_t>((units >> 32) - static_cast<std::uint32_t>(units)) / 2;
}

std::int64_t RangeBoard::send_half(int to) {
  RangeDescriptor* range = spare_range();
  if (range == nullptr) return 0;
  const Part part = take_half(*range, 1);
  if (part.units == 0) return 0;
  // The message is counted before its units are taken off here.
  range->type->send(to, *range, part.begin, part.end);
  finish_units(*range, part.units);
  return part.units;
}

}  // namespace grappa::internal
