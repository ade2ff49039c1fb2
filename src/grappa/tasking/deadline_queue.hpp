#pragma once

// What is due when: a binary heap of (deadline, action), earliest first. Used by one core only.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grappa/tasking/suspended.hpp"

namespace grappa::internal {

struct Core;

inline constexpr std::uint64_t kNoDeadline = UINT64_MAX;

class DeadlineQueue {
 public:
  struct Entry {
    std::uint64_t deadline;
    std::uint64_t period;  // 0: once
    void (*run)(Core&);    // system tasks
    Suspended sleeper;     // sleeping tasks
  };

  std::uint64_t next() const { return heap_.empty() ? kNoDeadline : heap_.front().deadline; }

  void push(const Entry& entry) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

 private:
  static bool later(const Entry& a, const Entry& b) { return a.deadline > b.deadline; }
  std::vector<Entry> heap_;
};

}  // namespace grappa::internal
