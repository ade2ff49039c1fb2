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
// Debug builds also keep which parts of global memory are allocated, and which caches write them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <source_location>
#include <vector>

#include "grappa/memory/cache_writers.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::internal {

#ifdef GRAPPA_DEBUG
inline constexpr bool kChecksEveryAccess = true;
#else
inline constexpr bool kChecksEveryAccess = false;
#endif

/// The parts of global memory; offsets in the first two mean the same at every core.
enum class Arena : std::uint8_t { kHeap, kSymmetric, kLocale };

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

  void add_range(Arena arena, std::uint64_t offset, std::uint64_t bytes);
  void remove_range(Arena arena, std::uint64_t offset) { ranges_of(arena).erase(offset); }
  /// Where the allocation that holds the offset begins; nothing where nothing is allocated.
  std::optional<std::uint64_t> start_of(Arena arena, std::uint64_t offset) const;

  CacheWriters writers;  // in debug builds

 private:
  static constexpr HandleId kNone{UINT64_MAX};
  using Ranges = std::map<std::uint64_t, std::uint64_t>;  // begin to end

  Ranges& ranges_of(Arena arena) { return ranges_[static_cast<std::size_t>(arena)]; }

  std::vector<HandleId> ids_;  // by slot
  std::uint64_t first_ = UINT64_MAX;
  std::array<Ranges, 3> ranges_;  // of each arena, in debug builds
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

/// The same for memory that has no handle: throws UsageError(`why`) where none is allocated.
void require_range(Arena arena, std::uint64_t offset, const char* why);
inline void require_range_if_checked(Arena arena, std::uint64_t offset, const char* why) {
  if constexpr (kChecksEveryAccess) require_range(arena, offset, why);
}

/// Values of a cache have come back to this core.
inline void note_written(CacheWriterId writer, std::int64_t elements) {
  if constexpr (kChecksEveryAccess) {
    if (writer) here().handles->writers.written(writer, elements);
  }
}

}  // namespace grappa::internal
