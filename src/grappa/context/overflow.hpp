#pragma once

// Stack overflow ends in a message: "grappa: fatal: stack overflow in T: stacks are 64 KiB;
// raise --stack-size (GRAPPA_STACK_SIZE), …".
//
//   OverflowWatch watch(&describe_running_task, &core);   // in each thread that runs contexts
//
// Overflow of a guarded stack is a fault on its guard page. The watch gives its thread an alternate
// signal stack, and the process a handler of SIGSEGV and SIGBUS that knows the guard pages of all
// pools. Every other fault goes to the handler that was there before: a sanitizer's, a debugger's,
// or the default, which dumps core (then a line that names the task comes first). The handler is
// the process's. It is installed with the first watch and removed with the last one, unless
// somebody has installed another in the meantime.
//
// So does the use of what a thread does not have, such as its core outside a run: instead of null
// the pointer holds `kNowhere`, and the handler knows a fault there, at no cost to whoever follows
// it.
//
// Code that runs on guarded stacks must be compiled with -fstack-clash-protection, or one frame
// larger than a page can step over the guard.

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "grappa/base/huge_pages.hpp"

namespace grappa::internal {

/// What makes stacks larger, for the message.
inline constexpr const char* kStackKnob =
    "--stack-size (GRAPPA_STACK_SIZE), or start what recurses deeply with spawn(kLargeStack, ...)";
inline constexpr const char* kLargeStackKnob = "--large-stack-size (GRAPPA_LARGE_STACK_SIZE)";
inline constexpr const char* kThreadStackKnob =
    "the limit of the stacks of threads (ulimit -s), where delegates of other tasks run, or start "
    "what recurses deeply with spawn(kLargeStack, ...)";

/// What describes the running task is told and tells.
struct TaskDescription {
  char* name;               // to be written to, at most `size` bytes; no terminating zero needed
  std::size_t size;         // becomes their number
  const char* knob;         // to be set where it is not kStackKnob
  const bool may_allocate;  // the fault did not interrupt whoever allocates
};

/// Called in a signal handler, on the thread that overflowed.
using DescribeTask = void (*)(void* argument, TaskDescription& description);

/// Prints the message and ends the process with status 1. Safe in a signal handler.
[[noreturn]] void report_stack_overflow(const char* task, std::size_t stack_bytes,
                                        const char* knob = kStackKnob) noexcept;

/// Where no memory ever is: above what a null pointer leads to, and below the lowest address that
/// Linux lets programs map.
inline constexpr std::uintptr_t kNowhere = 0x8000;
inline constexpr std::uintptr_t kNowhereEnd = 0x10000;

/// From now on a fault at [kNowhere, kNowhereEnd), on any thread, ends the process with a message
/// that says that there is no run. Other faults go to the handler that was there before. Returns
/// true.
bool watch_nowhere();

/// An alternate signal stack for the calling thread; the former one is back when it ends. Must be
/// destroyed by the thread that made it.
class AltStack {
 public:
  AltStack();  // throws Error
  ~AltStack();
  AltStack(const AltStack&) = delete;
  AltStack& operator=(const AltStack&) = delete;

 private:
  Mapping memory_;
  stack_t previous_{};
};

/// Reports overflow on the calling thread while it lives. May be nested; the inner one describes
/// the task. Must be destroyed by the thread that made it.
class OverflowWatch {
 public:
  OverflowWatch(DescribeTask describe, void* argument);  // throws Error
  ~OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;

 private:
  AltStack stack_;
  DescribeTask previous_describe_;
  void* previous_argument_;
};

}  // namespace grappa::internal
