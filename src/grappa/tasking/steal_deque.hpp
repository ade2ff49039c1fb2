#pragma once

// The public task queue of a core: its owner pushes and pops at one end, other cores of the locale
// steal from the other, up to half of what there is at a time.
//
// After J. Dinan et al., "Scalable work stealing", SC 2009: the newest few tasks are the owner's
// alone, and thieves may take what lies before the *split*. Tasks beyond it cost no atomic
// operation to push and pop. To take some back the owner moves the split towards the thieves' end
// and then changes a tag beside that end, on which thieves compare and swap: whoever saw the old
// split fails. That several tasks go at once is after D. Hendler and N. Shavit, "Non-blocking
// steal-half work queues", PODC 2002.
//
// The owner keeps one task of eight to itself, and never more than 16; a few tasks can all be
// stolen. Without that bound idle cores could starve beside an owner that is busy with a long task.
//
// Slots hold pointers to tasks, since a thief reads a slot that its owner may be overwriting; so it
// is pointers that move, and not tasks. Old arrays are kept until the deque dies: a slow thief may
// still be reading one. At most 2^31 - 1 tasks.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/tasking/task.hpp"

namespace grappa::internal {

class StealDeque {
 public:
  StealDeque() { array_.store(add_array(64), std::memory_order_relaxed); }
  StealDeque(const StealDeque&) = delete;
  StealDeque& operator=(const StealDeque&) = delete;

  /// Owner only.
  void push(Task* task) { push_all(&task, 1); }

  /// Owner only: in this order, the last one being the newest.
  void push_all(Task* const* tasks, std::uint32_t count) {
    const std::uint32_t bottom = bottom_.load(std::memory_order_relaxed);
    const std::uint32_t top = index_of(top_.load(std::memory_order_acquire));
    Array* array = array_.load(std::memory_order_relaxed);
    while (bottom - top + count > array->capacity) array = grow(array, top, bottom);
    for (std::uint32_t i = 0; i < count; ++i)
      array->slot(bottom + i).store(tasks[i], std::memory_order_relaxed);
    const std::uint32_t end = bottom + count;
    bottom_.store(end, std::memory_order_relaxed);
    const std::uint32_t split = split_.load(std::memory_order_relaxed);
    // Sequentially consistent: who pushes then looks whether thieves sleep, and they, before they
    // do, whether there is something to steal.
    if (distance(split, end) > most_kept(distance(top, end)))
      split_.store(end, std::memory_order_seq_cst);
  }

  /// Owner only: the newest task, or nullptr.
  Task* pop() {
    const std::uint32_t end = bottom_.load(std::memory_order_relaxed);
    const std::uint32_t split = split_.load(std::memory_order_relaxed);
    const std::uint32_t mine = end - 1;
    if (split == end) {
      if (!keep_some(end)) return nullptr;
    } else if (split != mine && index_of(top_.load(std::memory_order_relaxed)) == split) {
      split_.store(mine, std::memory_order_seq_cst);  // thieves have taken what they could
    }
    bottom_.store(mine, std::memory_order_relaxed);
    return array_.load(std::memory_order_relaxed)->slot(mine).load(std::memory_order_relaxed);
  }

  /// Any core: the oldest tasks, half of them but at most `most`, into `taken`, the oldest first.
  /// Returns how many; 0 when there are none or another core was quicker.
  std::uint32_t steal(Task** taken, std::uint32_t most) {
    std::uint64_t top = top_.load(std::memory_order_seq_cst);
    const std::uint32_t first = index_of(top);
    const std::int32_t open = distance(first, split_.load(std::memory_order_seq_cst));
    if (open <= 0) return 0;
    // Only a hint of how many there are in all.
    const std::int32_t there = distance(first, bottom_.load(std::memory_order_relaxed));
    const std::uint32_t count =
        std::min(static_cast<std::uint32_t>(std::clamp(half(there), 1, open)), most);
    Array* array = array_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < count; ++i)
      taken[i] = array->slot(first + i).load(std::memory_order_relaxed);
    const std::uint64_t after = (top & ~std::uint64_t{UINT32_MAX}) | (first + count);
    return top_.compare_exchange_strong(top, after, std::memory_order_acq_rel) ? count : 0;
  }

  /// Any core; a hint.
  std::int64_t size_hint() const {
    return distance(index_of(top_.load(std::memory_order_relaxed)),
                    bottom_.load(std::memory_order_relaxed));
  }

 private:
  // The thieves' end: a tag in the high half, the index of the oldest task in the low one. Indexes
  // wrap around.
  static constexpr std::uint64_t kTag = std::uint64_t{1} << 32;
  static std::uint32_t index_of(std::uint64_t top) { return static_cast<std::uint32_t>(top); }
  static std::int32_t distance(std::uint32_t from, std::uint32_t to) {
    return static_cast<std::int32_t>(to - from);
  }
  static std::int32_t half(std::int32_t tasks) { return (tasks + 1) / 2; }
  static std::int32_t most_kept(std::int32_t tasks) { return std::min(tasks / 8, 16); }

  // Takes back from the thieves what the owner may keep, or one task. False when there is none.
  bool keep_some(std::uint32_t end) {
    std::uint64_t top = top_.load(std::memory_order_acquire);
    for (;;) {
      const std::int32_t there = distance(index_of(top), end);
      if (there == 0) {
        split_.store(end, std::memory_order_relaxed);
        return false;
      }
      const std::int32_t kept = std::max(most_kept(there), 1);
      split_.store(end - static_cast<std::uint32_t>(kept), std::memory_order_relaxed);
      // Who sees the new tag sees the new split.
      if (top_.compare_exchange_weak(top, top + kTag, std::memory_order_acq_rel)) return true;
    }
  }

  struct Array {
    explicit Array(std::uint32_t n) : capacity(n), slots(new std::atomic<Task*>[n]) {}
    std::atomic<Task*>& slot(std::uint32_t i) { return slots[i & (capacity - 1)]; }
    std::uint32_t capacity;
    std::unique_ptr<std::atomic<Task*>[]> slots;
  };

  Array* add_array(std::uint32_t capacity) {
    arrays_.push_back(std::make_unique<Array>(capacity));
    return arrays_.back().get();
  }

  Array* grow(Array* old, std::uint32_t top, std::uint32_t bottom) {
    Array* bigger = add_array(old->capacity * 2);
    for (std::uint32_t i = top; i != bottom; ++i) {
      bigger->slot(i).store(old->slot(i).load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
    }
    array_.store(bigger, std::memory_order_release);
    return bigger;
  }

  alignas(64) std::atomic<std::uint64_t> top_{0};
  alignas(64) std::atomic<std::uint32_t> bottom_{0};
  std::atomic<std::uint32_t> split_{0};
  std::atomic<Array*> array_{nullptr};
  std::vector<std::unique_ptr<Array>> arrays_;
};

}  // namespace grappa::internal
