#pragma once

// The context switch: leaves the running stack and continues on another one.
//
//   Context main = thread_context();
//   Context other = make_context(stack.low, stack.bytes, &entry, argument);
//   switch_context(main, other);      // runs entry(argument) until it switches back to main
//   destroy_context(other);           // when it will not be resumed any more
//
// What is saved: the registers that the code that leaves still needs, on the stack that is left.
// What is not: the floating-point control words (mxcsr, x87, fpcr), which belong to the core, and
// the C++ exception state, which the caller saves (exception_state.hpp). In builds without
// sanitizers a Context is one pointer into the stack and nothing else, so a queue of contexts is a
// queue of addresses that can be prefetched; what a resumption reads lies around that address (see
// switch_*).
//
// A context may be resumed once for each time it was left, and only on the thread that first ran it
// (compilers keep addresses of thread-local variables across calls). Contexts may be copied; the
// copies are one context. Nothing here throws or allocates, but for make_context under TSan.
//
// In gdb, the stack of a suspended context is seen, on x86-64, through the SwitchFrame:
//   (gdb) print *(grappa::internal::SwitchFrame*)context.sp    say it is $1
//   (gdb) set $old_sp = $sp
//   (gdb) set $old_bp = $rbp
//   (gdb) set $old_pc = $pc
//   (gdb) set $sp = $1.rsp
//   (gdb) set $rbp = $1.rbp
//   (gdb) set $pc = $1.resume
//   (gdb) backtrace
// Then all three must be put back before the program goes on. (On aarch64 context.sp is the stack
// pointer and the program counter is grappa_switch_resume.)

#include <cstddef>
#include <type_traits>

#ifdef GRAPPA_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef GRAPPA_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__)
#include "grappa/context/switch_x86_64.hpp"
#else
// Pushes the callee-saved registers, stores the stack pointer in *save, loads `to` and pops them
// from there. Returns when something switches to the stored value. No sanitizer learns of it: use
// switch_context, except where this very instruction sequence is to be measured.
extern "C" void grappa_switch(void** save, void* to) noexcept;

namespace grappa::internal {

/// Bytes around the address of a suspended context that its next steps read.
inline constexpr std::size_t kSavedBelow = 0;
inline constexpr std::size_t kSavedAbove = 104;  // to the return address

}  // namespace grappa::internal
#endif

namespace grappa::internal {

/// A stack that is not running, and where it goes on.
struct Context {
  void* sp = nullptr;
#ifdef GRAPPA_ASAN
  const void* stack_low = nullptr;
  std::size_t stack_bytes = 0;
#endif
#ifdef GRAPPA_TSAN
  void* fiber = nullptr;
#endif
};

#if !defined(GRAPPA_ASAN) && !defined(GRAPPA_TSAN)
static_assert(sizeof(Context) == sizeof(void*));
#endif
static_assert(std::is_trivially_copyable_v<Context>);

/// A context that runs entry(argument) on [stack_low, stack_low + stack_bytes) when it is first
/// switched to. The first frame begins color_bytes below the top, rounded down to a cache line
/// (see stack_color in stack_pool.hpp). `entry` must not return and must not let an exception out:
/// either ends the process with a message. It starts with whatever exception state the thread has
/// at that moment.
Context make_context(void* stack_low, std::size_t stack_bytes, void (*entry)(void*), void* argument,
                     std::size_t color_bytes = 0);

/// The context of an OS thread's own stack, to be left from that thread.
Context thread_context() noexcept;

/// Forgets a context of make_context that is not running and will not be resumed. Destructors of
/// what lives on its stack do not run.
void destroy_context(Context& context) noexcept;

#ifdef GRAPPA_ASAN

// Gives `from` the bounds of the stack that this thread runs on, and notes that it leaves for `to`.
void exchange_stack(Context& from, const Context& to) noexcept;

#endif

/// Stores the running context in `from` (whatever that held) and continues with `to`. Returns when
/// something switches to what was stored in `from`, or to a copy of it; `from` and `to` themselves
/// are not read then.
inline void switch_context(Context& from, const Context& to) noexcept {
#ifdef GRAPPA_TSAN
  from.fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
#ifdef GRAPPA_ASAN
  exchange_stack(from, to);
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, to.stack_low, to.stack_bytes);
#endif
  grappa_switch(&from.sp, to.sp);
#ifdef GRAPPA_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

/// Leaves the running context for good. Somebody else calls destroy_context for it.
[[noreturn]] void switch_final(const Context& to) noexcept;

}  // namespace grappa::internal
