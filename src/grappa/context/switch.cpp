#include "grappa/context/switch.hpp"

#include <cstdint>
#include <new>

#include "grappa/base/error.hpp"

#ifdef GRAPPA_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#endif

// The assembly's: what a new context returns to from the switch that starts it.
extern "C" void grappa_context_start() noexcept;

// The assembly calls it when an entry function returns.
extern "C" [[noreturn]] void grappa_context_returned() noexcept {
  grappa::internal::fatal(
      "the entry function of a context returned; it must switch away for good instead");
}

namespace grappa::internal {
namespace {

constexpr std::uintptr_t kCacheLine = 64;

// What the switch to a new context finds. The assembly has the picture.
struct Frame {
#if defined(__x86_64__)
  SwitchFrame resumption;
  void (*entry)(void*);
  void* argument;
#elif defined(__aarch64__)
  void (*entry)(void*);  // x19
  void* argument;        // x20
  void* x21_to_x28[8];
  void* x29;
  void (*resume)() noexcept;  // x30
  double d8_to_d15[8];
#else
#error "grappa/context: the stack switch is written for x86-64 and aarch64 only"
#endif
};
#if defined(__x86_64__)
static_assert(sizeof(Frame) == 40);
#else
static_assert(sizeof(Frame) == 160);
#endif

#ifdef GRAPPA_ASAN
// The first switch to a context is finished by code of ours, before its entry function.
struct Start {
  void (*entry)(void*);
  void* argument;
};

void start_under_asan(void* start) {
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
  const Start copy = *static_cast<Start*>(start);
  copy.entry(copy.argument);
}

struct StackBounds {
  const void* low = nullptr;
  std::size_t bytes = 0;
};

StackBounds bounds_of_thread() noexcept {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
  }
  return {low, bytes};
}

thread_local StackBounds running_stack = bounds_of_thread();
#endif

}  // namespace

Context make_context(void* stack_low, std::size_t stack_bytes, void (*entry)(void*), void* argument,
                     std::size_t color_bytes) {
  Context context;
  auto top = reinterpret_cast<std::uintptr_t>(stack_low) + stack_bytes - color_bytes;
  top &= ~(kCacheLine - 1);
#ifdef GRAPPA_ASAN
  // What ran here before may have left its frames' red zones behind.
  __asan_unpoison_memory_region(stack_low, stack_bytes);
  context.stack_low = stack_low;
  context.stack_bytes = stack_bytes;
  top -= kCacheLine;
  auto* start = reinterpret_cast<Start*>(top);
  *start = {entry, argument};
  entry = &start_under_asan;
  argument = start;
#endif
#ifdef GRAPPA_TSAN
  context.fiber = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__)
  // The stack's first words overwrite the frame, which has been read then.
  auto* frame = new (reinterpret_cast<void*>(top - kCacheLine)) Frame{};
  frame->resumption = {&grappa_context_start, nullptr, reinterpret_cast<void*>(top)};
#else
  auto* frame = new (reinterpret_cast<void*>(top - sizeof(Frame))) Frame{};
  frame->resume = &grappa_context_start;
#endif
  frame->entry = entry;
  frame->argument = argument;
  context.sp = frame;
  return context;
}

Context thread_context() noexcept {
  Context context;
#ifdef GRAPPA_ASAN
  context.stack_low = running_stack.low;
  context.stack_bytes = running_stack.bytes;
#endif
#ifdef GRAPPA_TSAN
  context.fiber = __tsan_get_current_fiber();
#endif
  return context;
}

void destroy_context(Context& context) noexcept {
#ifdef GRAPPA_TSAN
  if (context.fiber != nullptr) __tsan_destroy_fiber(context.fiber);
#endif
  context = Context{};
}

// Not instrumented: its locals may not be on the fake stack that it gives back before it switches.
__attribute__((no_sanitize("address"))) void switch_final(const Context& to) noexcept {
#ifdef GRAPPA_TSAN
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
#ifdef GRAPPA_ASAN
  running_stack = {to.stack_low, to.stack_bytes};
  __sanitizer_start_switch_fiber(nullptr, to.stack_low, to.stack_bytes);
#endif
  void* nowhere;
  grappa_switch(&nowhere, to.sp);
  fatal("a context was resumed after it had ended");
}

#ifdef GRAPPA_ASAN
void exchange_stack(Context& from, const Context& to) noexcept {
  from.stack_low = running_stack.low;
  from.stack_bytes = running_stack.bytes;
  running_stack = {to.stack_low, to.stack_bytes};
}
#endif

}  // namespace grappa::internal
