#pragma once

// Coroutine<T>: the second form of a task, without a stack.
//
//   Coroutine<std::int64_t> depth_of(GlobalAddress<Node> node) {
//     const Node n = co_await co::read(node);            // the core runs others meanwhile
//     co_return n.is_leaf() ? 1 : 1 + co_await depth_of(n.child);
//   }
//   Coroutine<> report(GlobalAddress<Node> node) { total += co_await depth_of(node); }
//
//   spawn(report(root));                                  // as a task (parallel/spawn.hpp)
//
// A coroutine does nothing until it is spawned, which takes a Coroutine<>, or awaited by another
// coroutine. While it is suspended it keeps only its frame: a cache line or two instead of a stack,
// so that many more fit into the caches, and a switch is a return and a call. The price is that
// only the coroutine itself can suspend, by co_await, and not a function that it calls.
//
// It runs on the stack of some worker of the core on which it was made, never on another core, and
// may call everything that a task may call. A blocking call (delegate::read, yield, …) suspends
// that worker; this is correct, but costs as much as in a task. What can be awaited instead is in
// namespace co: yield, prefetch and sleep_for here, the delegates in delegate/awaitable.hpp.
//
// Take arguments by value: they are copied into the frame. A lambda that is a coroutine refers to
// its captures where they were when it was called: pass what it needs as arguments instead, or
// spawn the lambda, which keeps it.
//
// An exception that leaves a coroutine reaches the coroutine that awaits it or, if it was spawned,
// the waiter of the completion event. Frames come from a pool of each core (frame_pool.hpp), of at
// most `Config::coroutine_bytes`; calling a coroutine when that is used up throws Error.
//
// A coroutine is spawned or awaited once: UsageError for the second time, and when it was moved
// elsewhere. One that is still there when its run ends ends the process with a message.

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>  // names the coroutine's function
#include <type_traits>
#include <utility>

#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/frame_pool.hpp"
#include "grappa/tasking/scheduler.hpp"
#include "grappa/tasking/suspended.hpp"

namespace grappa {

template <class T = void>
class Coroutine;

namespace internal {

/// What all coroutines have in common. Begins the promise of each.
class CoroutinePromise {
 public:
  static void* operator new(std::size_t bytes) { return frames_here().allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) {
    frames_here().release(frame, bytes);
  }

  std::suspend_always initial_suspend(
      std::source_location where = std::source_location::current()) noexcept {
    function_ = where.function_name();
    return {};
  }

  void unhandled_exception() {
    if (spawned_) {
      here().ledger->report(*scope, std::current_exception());
    } else {
      error_ = std::current_exception();
    }
  }

  /// Makes it a task of the event, which has counted it.
  Resumption spawn(std::coroutine_handle<> self, CompletionShare* its_scope) {
    scope = its_scope;
    spawned_ = true;
    return {self, scope};
  }

  /// It has ended.
  void finish(std::coroutine_handle<> self) noexcept {
    CompletionShare* const its_scope = scope;
    if (spawned_) {
      self.destroy();
      here().ledger->finish(*its_scope);
    } else if (awaited_by_) {
      this_scheduler().resume_later({awaited_by_, its_scope});
    }
    // Else it never suspended, and who awaits it looks at it next.
  }

  void set_awaited_by(std::coroutine_handle<> parent) { awaited_by_ = parent; }
  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

  /// Notes what it waits for, for messages to people; nullptr: its turn. Returns what the one who
  /// wakes it needs.
  template <class Promise>
  static Resumption suspend(std::coroutine_handle<Promise> self, const char* waits_for) {
    CoroutinePromise& promise = self.promise();
    promise.waits_for_ = waits_for;
    if (waits_for != nullptr) promise.suspended_at_ms_ = this_scheduler().time_ms();
    return {self, promise.scope};
  }

  const char* function() const { return function_; }  // nullptr: not begun
  const char* waits_for() const { return waits_for_; }
  std::uint32_t suspended_at_ms() const { return suspended_at_ms_; }

  CompletionShare* scope = nullptr;  // what it starts will join it

  /// Before it is spawned or awaited; false after the first time.
  bool begin() { return !std::exchange(begun_, true); }

 private:
  static FramePool& frames_here() {
    if (!inside_runtime()) [[unlikely]]
      refuse();
    return this_scheduler().frames();
  }
  [[noreturn]] static void refuse();

  const char* function_ = nullptr;
  const char* waits_for_ = nullptr;
  std::coroutine_handle<> awaited_by_;
  std::exception_ptr error_;
  bool begun_ = false;
  bool spawned_ = false;
  std::uint32_t suspended_at_ms_ = 0;  // Scheduler::time_ms() then
};

/// Throws UsageError; `function` is null where the coroutine has gone elsewhere.
[[noreturn]] void refuse_second_start(const char* function);

template <class Promise>
concept GrappaPromise = std::is_base_of_v<CoroutinePromise, Promise>;

struct FinalSuspend {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    self.promise().finish(self);
  }
  void await_resume() const noexcept {}
};

template <class T>
class PromiseOf : public CoroutinePromise {
 public:
  Coroutine<T> get_return_object() noexcept;
  FinalSuspend final_suspend() const noexcept { return {}; }
  template <class U>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow_error();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class PromiseOf<void> : public CoroutinePromise {
 public:
  Coroutine<void> get_return_object() noexcept;
  FinalSuspend final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void take() const { rethrow_error(); }
};

}  // namespace internal

/// A coroutine that gives a T. Owned by whoever called it until it is spawned or awaited.
template <class T>
class [[nodiscard("a coroutine runs only when it is spawned or awaited")]] Coroutine {
 public:
  using promise_type = internal::PromiseOf<T>;

  explicit Coroutine(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  Coroutine(Coroutine&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Coroutine& operator=(Coroutine&&) = delete;
  ~Coroutine() {
    if (handle_) handle_.destroy();
  }

  /// Runs it and gives its result. UsageError for a second time.
  auto operator co_await() && {
    begin();
    return Awaiter{handle_};
  }

  /// Gives up ownership, to whoever spawns it. UsageError for a second time.
  std::coroutine_handle<promise_type> release() {
    begin();
    return std::exchange(handle_, nullptr);
  }

 private:
  struct Awaiter {
    std::coroutine_handle<promise_type> child;
    bool await_ready() const noexcept { return false; }
    template <internal::GrappaPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> parent) {
      child.promise().scope = parent.promise().scope;
      child.resume();
      if (child.done()) return false;
      internal::CoroutinePromise::suspend(parent, "another coroutine");
      child.promise().set_awaited_by(parent);
      return true;
    }
    T await_resume() { return child.promise().take(); }
  };

  void begin() {
    if (!handle_ || !handle_.promise().begin()) [[unlikely]]
      internal::refuse_second_start(handle_ ? handle_.promise().function() : nullptr);
  }

  std::coroutine_handle<promise_type> handle_;
};

namespace internal {

template <class T>
Coroutine<T> PromiseOf<T>::get_return_object() noexcept {
  return Coroutine<T>(std::coroutine_handle<PromiseOf<T>>::from_promise(*this));
}
inline Coroutine<void> PromiseOf<void>::get_return_object() noexcept {
  return Coroutine<void>(std::coroutine_handle<PromiseOf<void>>::from_promise(*this));
}

/// Goes behind all that are ready.
struct YieldAwaiter {
  bool await_ready() const noexcept { return false; }
  template <GrappaPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> self) const {
    this_scheduler().resume_later(CoroutinePromise::suspend(self, nullptr));
  }
  void await_resume() const noexcept {}
};

class SleepAwaiter {
 public:
  explicit SleepAwaiter(std::uint64_t ns) : ns_(ns) {}
  bool await_ready() const noexcept { return false; }
  template <GrappaPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    me_ = CoroutinePromise::suspend(self, "sleep");
    this_scheduler().wake_after(ns_, Suspended(&me_));
  }
  void await_resume() const noexcept {}

 private:
  std::uint64_t ns_;
  Resumption me_;
};

/// As a task of `scope`.
inline void spawn_here(CompletionShare* scope, Coroutine<> coroutine) {
  Core& me = here();
  const auto handle = coroutine.release();
  me.ledger->add(*scope);
  me.scheduler->resume_later(handle.promise().spawn(handle, scope));
}

}  // namespace internal

namespace co {

/// Lets everything else that is ready on this core run.
inline internal::YieldAwaiter yield() { return {}; }

/// Prefetches the cache line of `address`, and lets others run while it comes (hotpar11, 3.1).
inline internal::YieldAwaiter prefetch(const void* address) {
  __builtin_prefetch(address);
  return {};
}

/// Suspends for at least `ns` on the run's clock.
inline internal::SleepAwaiter sleep_for(std::uint64_t ns) { return internal::SleepAwaiter(ns); }

}  // namespace co

}  // namespace grappa
