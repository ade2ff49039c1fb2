#pragma once

// A worker: a stack on which tasks run, and the few words the scheduler keeps about it.
//
// The struct lives at the high end of the worker's own stack, so that the lines a switch touches
// are neighbors. A worker belongs to one core forever and is touched by that core only.

#include <cstdint>
#include <typeinfo>

#include "grappa/context/overflow.hpp"
#include "grappa/context/stack_pool.hpp"
#include "grappa/context/switch.hpp"
#include "grappa/tasking/task.hpp"

namespace grappa::internal {

enum class WorkerState : std::uint8_t { kIdle, kReady, kRunning, kSuspended };

struct Worker {
  Context context;                       // where to resume; valid while not running
  CompletionShare* scope = nullptr;      // the completion event that what the task starts will join
  const std::type_info* task = nullptr;  // the closure it runs, for messages to people
  const char* waits_for = nullptr;       // set while suspended, for messages to people
  WorkerState state = WorkerState::kIdle;
  StackClass stack_class = StackClass::kNormal;
  int loops = 0;                      // of those it is in, whose iterations may run on any core
  std::uint32_t suspended_at_ms = 0;  // Scheduler::time_ms() then
  Stack stack;
};

/// The option that makes its stack larger, for messages.
inline const char* stack_knob(const Worker& worker) {
  if (worker.stack.low == nullptr) return kThreadStackKnob;  // the main context
  return worker.stack_class == StackClass::kLarge ? kLargeStackKnob : kStackKnob;
}

}  // namespace grappa::internal
