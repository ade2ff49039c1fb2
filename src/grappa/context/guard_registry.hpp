#pragma once

// Where the stacks of tasks are, which addresses are guard pages, and what a fault there means:
// what the fault handler of overflow.hpp and the payload scan ask. Filled by stack_pool.cpp and the
// layers that have pages which nobody may touch.
//
// A process has one handler for a signal, hence one registry, whatever the number of runtimes in
// it. It is read in signal handlers, on any thread, while others add and remove ranges: entries are
// never freed, only emptied and used again, and all their fields are atomic.

#include <cstddef>
#include <cstdint>
#include <utility>

namespace grappa::internal {

struct GuardedRangeEntry;

// Equal slots that lie side by side; each has its guard, if any, at its low end and a stack above.
struct GuardedRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::size_t slot_bytes = 0;
  std::size_t guard_bytes = 0;
  std::size_t stack_bytes = 0;    // as the user knows it
  const char* meaning = nullptr;  // not of stacks: what whoever faults here has done
};

// Keeps a range registered while it lives.
class GuardRegistration {
 public:
  GuardRegistration() noexcept = default;
  explicit GuardRegistration(const GuardedRange& range);
  ~GuardRegistration();
  GuardRegistration(GuardRegistration&& other) noexcept
      : entry_(std::exchange(other.entry_, nullptr)) {}
  GuardRegistration& operator=(GuardRegistration&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }

 private:
  GuardedRangeEntry* entry_ = nullptr;
};

// Whether the address lies in a stack of any pool of the process, or in its guard.
bool is_in_task_stack(std::uintptr_t address) noexcept;

// When `fault` is in the guard of a slot and `stack_pointer` is on that slot's stack, or just past
// its low end: what the user calls the size of the stack. Otherwise 0. Safe in a signal handler.
std::size_t overflowed_stack_bytes(std::uintptr_t fault, std::uintptr_t stack_pointer) noexcept;

// The meaning of a fault in a range that has one, or nullptr. Safe in a signal handler.
const char* meaning_of_fault(std::uintptr_t fault) noexcept;

}  // namespace grappa::internal
