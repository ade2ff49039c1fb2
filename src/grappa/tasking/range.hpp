#pragma once

// Ranges: loops that are decomposed lazily.
//
// A loop is a descriptor that every worker of its core can see before the first iteration runs. It
// is cut into units of `grain` iterations; a worker claims a unit, runs it, claims the next. When
// the body suspends, the scheduler lets another worker claim the units that are left; a loop whose
// body never blocks is a plain loop on one worker. An idle core steals the upper half of the units
// of another core of the locale in one compare-and-swap, and makes a descriptor of its own from
// them. To a core of another locale the owner sends half of its units, as a message.
//
// Descriptors are recycled, never freed, while the runtime lives, so that a slow thief may look at
// one that has ended. Everything a thief uses is read after its compare-and-swap succeeded; from
// then on the owner keeps the descriptor until the units taken are acknowledged.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <typeinfo>
#include <vector>

#include "grappa/tasking/completion.hpp"

namespace grappa::internal {

/// Who may run the iterations of a range.
enum class Reach : std::uint8_t {
  kCore,
  kLocale,
  kAnywhere,
  kTaken  // a lone unit of a wider range that another core has taken, and keeps
};
constexpr bool is_bound(Reach reach) { return reach == Reach::kCore || reach == Reach::kTaken; }

struct RangeType {
  void (*run)(RangeDescriptor& range);  // claims and runs units until none is left
  const std::type_info* closure;
  std::size_t bytes;
  std::size_t alignment;
  /// Ranges that may run anywhere: sends iterations [begin, end) of `range` to a core of another
  /// locale, as a message that counts as work of the range's event.
  void (*send)(int to, const RangeDescriptor& range, std::int64_t begin,
               std::int64_t end) = nullptr;
};

/// A loop, or the part of one that a core answers for.
struct RangeDescriptor {
  static constexpr std::size_t kInlineBytes = 128;

  /// The units not yet taken: next in the low half, end in the high half.
  std::atomic<std::uint64_t> units{0};

  /// Constant while the range is active.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t grain = 1;
  std::int64_t total = 0;  // units this descriptor answers for
  CompletionShare* scope = nullptr;
  EventId event = 0;
  const RangeType* type = nullptr;
  void* closure = nullptr;
  alignas(64) std::byte inline_closure[kInlineBytes];

  /// Owner only.
  std::int64_t finished = 0;  // units run here, plus units that thieves have acknowledged
  RangeDescriptor* older = nullptr;
  RangeDescriptor* newer = nullptr;
  bool listed = false;
  bool started = false;  // some worker has begun to run units
  Reach reach = Reach::kCore;
  int slot = -1;

  static std::uint64_t pack(std::uint64_t next, std::uint64_t end_unit) {
    return end_unit << 32 | next;
  }
};

/// One claimed unit: iterations [first, last).
struct RangeUnit {
  std::int64_t first;
  std::int64_t last;
};

/// The ranges of one core.
class RangeBoard {
 public:
  explicit RangeBoard(Core& core) : core_(core) {}
  ~RangeBoard();
  RangeBoard(const RangeBoard&) = delete;
  RangeBoard& operator=(const RangeBoard&) = delete;

  struct Request {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t grain;
    Reach reach;
    const RangeType* type;
    const void* closure;  // copied
  };

  /// Owner: publishes a non-empty range of at most 2^63-1 iterations; `scope` has counted it once.
  RangeDescriptor& publish(const Request& request, CompletionShare& scope);

  /// Owner: the newest range with units left, or nullptr; of those that nobody has begun yet, if
  /// `unstarted_only`. When no more workers may be started for loops, an unstarted range must get
  /// one all the same: the workers there are may be waiting for just that range.
  RangeDescriptor* find(bool unstarted_only = false) {
    while (newest_ != nullptr && exhausted(*newest_)) unlink(*newest_);
    if (!unstarted_only) return newest_;
    return unstarted_ != 0 ? find_unstarted() : nullptr;
  }

  /// Owner: a worker begins to run units of the range.
  void start(RangeDescriptor& range) {
    if (range.listed && !range.started) --unstarted_;
    range.started = true;
  }

  /// Owner: claims the next unit. False when none is left.
  bool claim(RangeDescriptor& range, RangeUnit& unit) {
    std::uint64_t units = range.units.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t next = static_cast<std::uint32_t>(units);
      if (next == units >> 32) {
        if (range.listed) unlink(range);
        return false;
      }
      if (range.units.compare_exchange_weak(units, units + 1, std::memory_order_relaxed)) {
        unit.first = range.begin + static_cast<std::int64_t>(next) * range.grain;
        // Sums with the grain could pass the largest index; differences cannot.
        unit.last = range.end - unit.first > range.grain ? unit.first + range.grain : range.end;
        return true;
      }
    }
  }

  /// Owner: `n` units are done, here or at a thief. Returns false when the range has ended; the
  /// descriptor must not be touched any more then.
  bool finish_units(RangeDescriptor& range, std::int64_t n) {
    range.finished += n;
    if (range.finished != range.total) return true;
    retire(range);
    return false;
  }

  /// Another core of the locale: takes half of the units of some range of `victim` and publishes
  /// them here. False when there was nothing to take.
  bool steal_from(Core& victim);

  /// Any thread: whether there may be ranges that others can take from; a hint.
  bool anything_visible() const { return visible_mask_.load(std::memory_order_relaxed) != 0; }

  /// Owner: how many units of some range could go to another locale, with as many left here.
  std::int64_t spare_units() const;

  /// Owner: sends half of the units of a range to core `to` of another locale; returns how many.
  std::int64_t send_half(int to);

 private:
  static constexpr int kVisible = 32;  // ranges that thieves can see at a time

  static bool exhausted(const RangeDescriptor& range) {
    const std::uint64_t units = range.units.load(std::memory_order_relaxed);
    return static_cast<std::uint32_t>(units) == units >> 32;
  }

  RangeDescriptor* find_unstarted();
  RangeDescriptor& obtain(Reach reach);
  std::vector<RangeDescriptor*>& free_list(Reach reach) {
    return is_bound(reach) ? free_bound_ : free_stealable_;
  }
  RangeDescriptor* spare_range() const;
  void link(RangeDescriptor& range);
  void unlink(RangeDescriptor& range);
  void retire(RangeDescriptor& range);

  Core& core_;
  RangeDescriptor* newest_ = nullptr;
  std::int64_t unstarted_ = 0;  // listed ranges that nobody has begun
  std::vector<RangeDescriptor*> free_stealable_;
  std::vector<RangeDescriptor*> free_bound_;
  std::vector<std::unique_ptr<RangeDescriptor>> all_;
  std::uint32_t free_slots_ = ~0u;
  alignas(64) std::array<std::atomic<RangeDescriptor*>, kVisible> visible_{};
  std::atomic<std::uint32_t> visible_mask_{0};
};

}  // namespace grappa::internal
