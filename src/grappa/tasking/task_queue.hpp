// First-in-first-out queue of a core's private tasks: a ring of task slots that doubles when full.
// Used by one core only.
#pragma once

#include <cstddef>
#include <vector>

#include "grappa/tasking/task.hpp"

namespace grappa {

class TaskQueue {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }

  void push(const Task& task) {
    if (size() == slots_.size()) grow();
    slots_[tail_++ & mask_] = task;
  }

  Task pop() { return slots_[head_++ & mask_]; }

 private:
  void grow() {
    std::vector<Task> bigger(slots_.empty() ? 64 : slots_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) bigger[i] = slots_[(head_ + i) & mask_];
    slots_.swap(bigger);
    mask_ = slots_.size() - 1;
    head_ = 0;
    tail_ = count;
  }

  std::vector<Task> slots_;
  std::size_t mask_ = 0;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace grappa
