#include "grappa/memory/live_handles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grappa/base/clock.hpp"
#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"

namespace grappa::internal {

void LiveHandles::add(HandleId id) {
  if (ids_.size() <= id.slot()) ids_.resize(id.slot() + 1, kNone);
  ids_[id.slot()] = id;
  first_ = std::min(first_, id.bits);
}

void LiveHandles::add_range(Arena arena, std::uint64_t offset, std::uint64_t bytes) {
  // An allocation of nothing has an address, too.
  ranges_of(arena)[offset] = offset + std::max<std::uint64_t>(1, bytes);
}

std::optional<std::uint64_t> LiveHandles::start_of(Arena arena, std::uint64_t offset) const {
  const Ranges& ranges = ranges_[static_cast<std::size_t>(arena)];
  const auto after = ranges.upper_bound(offset);
  if (after == ranges.begin() || offset >= std::prev(after)->second) return std::nullopt;
  return std::prev(after)->first;
}

void require_range(Arena arena, std::uint64_t offset, const char* why) {
  // Where null leads there are pages that cannot be touched, and an empty span may begin there.
  if (offset != 0 && !here().handles->start_of(arena, offset)) throw UsageError(why);
}

// Handles come more slowly than nanoseconds pass, so a later run begins with a larger number. The
// highest bit is set: an id in a closure must not look like a pointer to whoever scans it.
HandleIds::HandleIds() {
  constexpr std::uint64_t kHighest = std::uint64_t{1} << (63 - HandleId::kSlotBits);
  last_ = kHighest | now_ns() % kHighest;
}

HandleId HandleIds::take() {
  std::size_t slot = slots_;
  if (!free_slots_.empty()) {
    slot = free_slots_.back();
    free_slots_.pop_back();
  } else if (slots_++ == std::size_t{1} << HandleId::kSlotBits) {
    throw Error("too many arrays and maps: destroy those that are not needed any more");
  }
  return {++last_ << HandleId::kSlotBits | slot};
}

void throw_not_live(HandleId id, const char* what, const std::source_location* where) {
  const char* why = "the handle is a copy of one that was destroyed";
  if (id == HandleId{}) {
    why = "the handle was never created; create() returns the one to use";
  } else if (id == kDestroyedHandle) {
    why = "the handle was destroyed";
  } else if (here().handles->is_of_earlier_run(id)) {
    why = "the handle is of an earlier run, which took its memory along";
  }
  throw UsageError(fmt::format("{}{}: {}", place_prefix(where), what, why));
}

}  // namespace grappa::internal
