#pragma once

// Which handles of arrays and maps may be used: a copy of one that was destroyed may not, nor one
// of an earlier run, though what it names may be memory of something else by now.
//
//   HandleId id = internal::new_handle();                    // global_memory.hpp; in each copy
//   internal::register_handle(id);
//   internal::require_live(id, "GlobalArray::forall");       // UsageError unless it is live
//
// A handle has a slot in a table that each core has of its own, and a number that no other handle
// gets, in this run or a later one. So the check is a load and a comparison. Core 0 gives the
// numbers; who creates or destroys tells all cores before it goes on.
//
// Debug builds also keep which parts of the global heap are allocated.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <source_location>
#include <vector>

#include "grappa/tasking/core.hpp"

namespace grappa::internal {

#ifdef GRAPPA_DEBUG
inline constexpr bool kChecksEveryAccess = true;
#else
inline constexpr bool kChecksEveryAccess = false;
#endif

/// What tells a handle from all others.
struct HandleId {
  static constexpr int kSlotBits = 20;
  std::uint64_t bits = 0;  // 0: not created

  std::size_t slot() const { return bits & ((std::uint64_t{1} << kSlotBits) - 1); }
  explicit operator bool() const { return bits != 0; }
  friend bool operator==(HandleId, HandleId) = default;
};

/// Of a handle through which destroy() was called.
inline constexpr HandleId kDestroyedHandle{1};

/// The handles that are live, as one core knows them.
class LiveHandles {
 public:
  void add(HandleId id);
  void remove(HandleId id) {
    if (contains(id)) ids_[id.slot()] = kNone;
  }
  bool contains(HandleId id) const { return id.slot() < ids_.size() && ids_[id.slot()] == id; }
  /// Whether the handle is older than all of this run.
  bool is_of_earlier_run(HandleId id) const { return id.bits < first_; }

  void add_heap(std::uint64_t offset, std::uint64_t bytes) { heap_[offset] = offset + bytes; }
  void remove_heap(std::uint64_t offset) { heap_.erase(offset); }
  bool holds_heap(std::uint64_t offset) const;

 private:
  static constexpr HandleId kNone{UINT64_MAX};

  std::vector<HandleId> ids_;  // by slot
  std::uint64_t first_ = UINT64_MAX;
  std::map<std::uint64_t, std::uint64_t> heap_;  // debug builds: begin to end, in a segment
};

/// Gives handles their ids; on core 0.
class HandleIds {
 public:
  HandleIds();
  HandleId take();  // throws Error when too many are live
  void give_back(HandleId id) { free_slots_.push_back(id.slot()); }

 private:
  std::uint64_t last_;  // number that was given
  std::size_t slots_ = 0;
  std::vector<std::size_t> free_slots_;
};

/// Throws UsageError: what was done with a handle that is not live, and where, if that is known.
[[noreturn]] void throw_not_live(HandleId id, const char* what, const std::source_location* where);

inline void require_live(HandleId id, const char* what,
                         const std::source_location* where = nullptr) {
  if (!here().handles->contains(id)) [[unlikely]]
    throw_not_live(id, what, where);
}

/// The same where each access would pay for it: in debug builds.
inline void require_live_if_checked(HandleId id, const char* what) {
  if constexpr (kChecksEveryAccess) require_live(id, what);
}

}  // namespace grappa::internal
