#pragma once

// Places for the tasks of a core's public queue, which holds pointers to them. A thief takes places
// with the tasks, and keeps them: places are freed when the scheduler that made them dies.

#include <cstddef>
#include <memory>
#include <vector>

#include "grappa/tasking/task.hpp"

namespace grappa::internal {

/// Used by one core.
class TaskSlots {
 public:
  /// A place whose content means nothing.
  Task* take() {
    if (free_.empty()) add_slab();
    Task* slot = free_.back();
    free_.pop_back();
    return slot;
  }

  /// A place that this core has no more use for, whoever made it.
  void put(Task* slot) { free_.push_back(slot); }

 private:
  static constexpr std::size_t kSlab = 256;

  void add_slab() {
    slabs_.push_back(std::make_unique<Task[]>(kSlab));
    for (std::size_t i = 0; i < kSlab; ++i) free_.push_back(&slabs_.back()[i]);
  }

  std::vector<Task*> free_;
  std::vector<std::unique_ptr<Task[]>> slabs_;
};

}  // namespace grappa::internal
