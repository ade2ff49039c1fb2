// The public task queue of a core: its owner pushes and pops at one end, other cores of the locale
// steal from the other.
//
// Source: D. Chase and Y. Lev, "Dynamic circular work-stealing deque", SPAA 2005, with the memory
// orders of N. M. Lê et al., "Correct and efficient work-stealing for weak memory models", PPoPP
// 2013, their fences replaced by sequentially consistent accesses (thread sanitizers do not model
// fences).
//
// Slots hold pointers to tasks, since a thief reads a slot that its owner may be overwriting.
// Old arrays are kept until the deque dies: a slow thief may still be reading one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/tasking/task.hpp"

namespace grappa {

class StealDeque {
 public:
  StealDeque() { array_.store(add_array(64), std::memory_order_relaxed); }
  StealDeque(const StealDeque&) = delete;
  StealDeque& operator=(const StealDeque&) = delete;

  /// Owner only.
  void push(Task* task) {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    const std::int64_t top = top_.load(std::memory_order_acquire);
    Array* array = array_.load(std::memory_order_relaxed);
    if (bottom - top >= array->capacity) array = grow(array, top, bottom);
    array->slot(bottom).store(task, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_release);
  }

  /// Owner only: the newest task, or nullptr.
  Task* pop() {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    if (bottom < top_.load(std::memory_order_relaxed)) return nullptr;
    Array* array = array_.load(std::memory_order_relaxed);
    bottom_.store(bottom, std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return nullptr;
    }
    Task* task = array->slot(bottom).load(std::memory_order_relaxed);
    if (top == bottom) {
      // The last task: a thief may be taking it at this moment.
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) task = nullptr;
      bottom_.store(bottom + 1, std::memory_order_relaxed);
    }
    return task;
  }

  /// Any core: the oldest task, or nullptr when there is none or another core was quicker.
  Task* steal() {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    const std::int64_t bottom = bottom_.load(std::memory_order_seq_cst);
    if (top >= bottom) return nullptr;
    Task* task = array_.load(std::memory_order_acquire)->slot(top).load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) return nullptr;
    return task;
  }

  /// Any core; a hint.
  std::int64_t size_hint() const {
    return bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_relaxed);
  }

 private:
  struct Array {
    explicit Array(std::int64_t n)
        : capacity(n), slots(new std::atomic<Task*>[static_cast<std::size_t>(n)]) {}
    std::atomic<Task*>& slot(std::int64_t i) {
      return slots[static_cast<std::size_t>(i & (capacity - 1))];
    }
    std::int64_t capacity;
    std::unique_ptr<std::atomic<Task*>[]> slots;
  };

  Array* add_array(std::int64_t capacity) {
    arrays_.push_back(std::make_unique<Array>(capacity));
    return arrays_.back().get();
  }

  Array* grow(Array* old, std::int64_t top, std::int64_t bottom) {
    Array* bigger = add_array(old->capacity * 2);
    for (std::int64_t i = top; i < bottom; ++i) {
      bigger->slot(i).store(old->slot(i).load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
    }
    array_.store(bigger, std::memory_order_release);
    return bigger;
  }

  alignas(64) std::atomic<std::int64_t> top_{0};
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  std::atomic<Array*> array_{nullptr};
  std::vector<std::unique_ptr<Array>> arrays_;
};

}  // namespace grappa
