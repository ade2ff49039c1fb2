#pragma once

// Delegates: short closures that run at the home core of what they touch, hence atomically.
//
//   int64_t old = delegate::fetch_add(counter, int64_t{1});
//   auto sum = delegate::call(cell, [x](Cell& c) { return c.total += x; });   // blocking
//   delegate::async::increment(table[i]);              // joins the enclosing completion event
//
// A blocking delegate suspends its task until the result is back, runs in program order with the
// other blocking delegates of its task, and is linearizable. At its own core it runs at once,
// without a switch. An asynchronous one is like a spawned task (atc15, section 3.1.3): only its
// completion event orders it. A closure must not suspend (a blocking delegate, a wait or a yield
// inside one ends the process with a message that names the task).
//
// A closure is trivially copyable or lists its members (base/serialize.hpp). Where a lambda would
// capture a string or a container, give it as an argument:
//
//   delegate::call(cell, [](Cell& c, std::string& word) { use(c, word); }, text);
//
// Such closures and results are serialized into the same buffers; they cost the conversion and what
// their types allocate. A message is at most 2 GiB long.
//
// Forms: a name alone (call, read, write, fetch_add, compare_exchange, increment) blocks; issue and
// issue_read start one and return a Handle; those in `async` return no result and belong to a
// completion event, the enclosing one or the one that is given first.
//
// Errors: what a closure throws reaches the caller of a blocking delegate, or the waiter of the
// event of an asynchronous one, as RemoteError. A core that does not exist is a UsageError.

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#include "grappa/delegate/arguments.hpp"
#include "grappa/delegate/reply.hpp"
#include "grappa/memory/global_address.hpp"
#include "grappa/message/serialized_message.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

namespace internal {

/// Throws UsageError, which says where it was asked for, for a core that the run does not have.
void require_core(int core, const CallSite& where);

// The ways of delegates (message/serialized_message.hpp).

template <class R>
struct CallWay {
  ReplyTo<R> reply;
  template <class F>
  void operator()(RunContext& context, F& f) const noexcept {
    run_and_reply<R>(context, reply, f);
  }
};

template <class T, class R>
struct CallAtWay {
  ReplyTo<R> reply;
  LocalReference at;
  [[gnu::always_inline]] void prefetch(const Core& core) const {
    __builtin_prefetch(at.resolve(core), 1);
  }
  template <class F>
  void operator()(RunContext& context, F& f) const noexcept {
    run_and_reply<R>(context, reply,
                     [&]() -> R { return f(*reinterpret_cast<T*>(at.resolve(context.core))); });
  }
};

struct AsyncCallWay {
  template <class F>
  void operator()(RunContext&, F& f) const noexcept(noexcept(f())) {
    f();
  }
};

/// `Reference`: LocalReference, or what is known to be simpler.
template <class T, class Reference>
struct AsyncCallAtWay {
  Reference at;
  [[gnu::always_inline]] void prefetch(const Core& core) const {
    __builtin_prefetch(at.resolve(core), 1);
  }
  template <class F>
  void operator()(RunContext& context, F& f) const noexcept(noexcept(f(std::declval<T&>()))) {
    f(*reinterpret_cast<T*>(at.resolve(context.core)));
  }
};

/// Prefetches an object whose home is this core; for others it prefetches the caller's stack, which
/// is harmless. Without a branch: nothing could predict the next home, and compilers turn
/// everything but assembly into a branch.
template <class Reference>
void prefetch_own(const Core& me, int home, const Reference& at) {
  const auto own = reinterpret_cast<std::uint64_t>(at.resolve(me));
  auto target = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
#if defined(__x86_64__)
  asm("cmpl %[me], %[home]\n\tcmove %[own], %[target]"
      : [target] "+r"(target)
      : [home] "r"(home), [me] "m"(me.id), [own] "r"(own)
      : "cc");
#else
  std::uint64_t mine = -static_cast<std::uint64_t>(home == me.id);
  asm("" : "+r"(mine));  // hides what it is
  target = (own & mine) | (target & ~mine);
#endif
  __builtin_prefetch(reinterpret_cast<const void*>(target), 1);
}

/// Runs a delegate on its own core, on the caller's stack.
template <class Work>
auto run_here(Work&& work) -> decltype(work()) {
  const Scheduler::NoSuspend guard(this_scheduler(), &typeid(Work));
  try {
    return work();
  } catch (...) {
    throw to_remote_error(std::current_exception());
  }
}

/// Operations that run no code of the user's, and so cannot suspend or throw.
template <class T>
inline constexpr bool kPlainArithmetic = std::is_arithmetic_v<T> || std::is_pointer_v<T>;
template <class F>
concept PlainOperation = F::kPlain;

template <class T>
struct Read {
  static constexpr bool kPlain = true;
  T operator()(T& x) const noexcept { return x; }
};
template <class T>
struct Write {
  static constexpr bool kPlain = kIsSendable<T>;
  T value;
  void operator()(T& x) noexcept(kPlain) { x = std::move(value); }
};
template <class T>
struct FetchAdd {
  static constexpr bool kPlain = kPlainArithmetic<T>;
  T by;
  T operator()(T& x) const noexcept {
    const T old = x;
    x += by;
    return old;
  }
};
template <class T>
struct Add {
  static constexpr bool kPlain = kPlainArithmetic<T>;
  T by;
  void operator()(T& x) const noexcept { x += by; }
  void merge(const Add& next) { by += next.by; }
};
template <class T>
struct AddOne {
  static constexpr bool kPlain = kPlainArithmetic<T>;
  void operator()(T& x) const noexcept { ++x; }
};
template <class T>
struct CompareExchange {
  static constexpr bool kPlain = kPlainArithmetic<T>;
  T expected;
  T desired;
  bool operator()(T& x) const noexcept {
    if (!(x == expected)) return false;
    x = desired;
    return true;
  }
};

}  // namespace internal

template <class T>
inline constexpr auto kMembersOf<internal::Write<T>> = std::tuple(&internal::Write<T>::value);

namespace internal {
/// Throws UsageError: there are not as many `values` as `places`.
[[noreturn]] void refuse_lengths(const CallSite& where, const char* what, const char* values,
                                 const char* places);
/// Throws UsageError: a Handle was used that was moved from, or on another core than `core`.
[[noreturn]] void refuse_handle(bool moved, int core);
[[noreturn]] void refuse_second_wait();
}  // namespace internal

/// The result of a split-phase operation, on its way. Complete it on the core that issued it. It
/// can be moved, and kept in a container. The destructor waits for an operation that is not
/// complete, and so may switch tasks. UsageError for one that was moved from, on another core, and
/// for the second who wants its result.
template <class R>
class [[nodiscard("a split-phase operation that is dropped is waited for at once")]] Handle {
 public:
  Handle(Handle&&) noexcept = default;
  Handle& operator=(Handle&& other) noexcept {
    std::swap(reply_, other.reply_);  // what was here is waited for by the other's destructor
    std::swap(core_, other.core_);
    std::swap(claimed_, other.claimed_);
    return *this;
  }
  ~Handle() {
    // An error that nobody asks for is dropped, like a result.
    if (reply_ != nullptr && !reply_->done) reply().wait_until_done("a split-phase operation");
  }

  /// Whether the result is there.
  bool ready() const { return reply().done; }

  /// Waits for the result. Switches tasks unless it is there already.
  R complete() {
    internal::Reply<R>& mine = claim();
    mine.await("a split-phase operation");
    return internal::take_value<R>(mine);
  }

  /// For other ways to wait for it (awaitable.hpp), once.
  internal::Reply<R>& claim() {
    internal::Reply<R>& mine = reply();
    if (std::exchange(claimed_, true)) [[unlikely]]
      internal::refuse_second_wait();
    return mine;
  }

  /// `start(reply)` sends the request.
  template <std::invocable<internal::Reply<R>&> Start>
  explicit Handle(Start start) {
    start(*reply_);
  }

 private:
  internal::Reply<R>& reply() const {
    if (reply_ == nullptr || core_ != internal::here().id) [[unlikely]]
      internal::refuse_handle(reply_ == nullptr, core_);
    return *reply_;
  }

  // Where the answer is written to: it stays when the handle moves.
  std::unique_ptr<internal::Reply<R>> reply_ = std::make_unique<internal::Reply<R>>();
  int core_ = internal::here().id;
  bool claimed_ = false;  // somebody has its result, or waits for it
};

namespace delegate {

/// Runs f() on `core` and returns its result, which is trivially copyable or can be serialized
/// (base/serialize.hpp). Switches tasks unless `core` is this one.
template <class F>
auto call(int core, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::require_callable<F>();
  using R = std::invoke_result_t<F&>;
  internal::require_travelling<F>();
  internal::require_result<R>();
  internal::Core& me = internal::here();
  me.messages->check_payload(f, where);
  if (core == me.id) return internal::run_here(f);
  internal::require_core(core, where);
  internal::Reply<R> reply;
  // The closure may start work, which belongs to the caller's event.
  internal::send_closure(*me.messages, core, internal::CallWay<R>{{me, reply}}, f,
                         me.scheduler->current().scope, true);
  reply.await("a delegate call");
  return internal::take_value<R>(reply);
}
/// f(args...): arguments of any kind that can be serialized (base/serialize.hpp) travel beside the
/// closure, here and below.
template <class F, class... Args>
  requires internal::Arguments<Args...>
auto call(internal::CoreAt core, F f, Args&&... args) {
  return call(core.core, internal::bind(std::move(f), std::forward<Args>(args)...), core.where);
}

namespace detail {

/// Blocking f(T&) at the home of `address`. `scope`: the event of work that f may start; nullptr
/// when it starts none. Inlined, and so are its callers, because each frame between the switch and
/// the task is another cache line to fetch when many tasks wait; it costs a quarter of the rate of
/// reads.
template <class T, class F>
[[gnu::always_inline]] inline auto call_at(GlobalAddress<T> address, const F& f,
                                           internal::CompletionShare* scope, const char* why)
    -> std::invoke_result_t<F&, T&> {
  using R = std::invoke_result_t<F&, T&>;
  internal::Core& me = internal::here();
  const auto [core, local] = internal::place_in_use(address);
  if (core == me.id) {
    T& object = *reinterpret_cast<T*>(local.resolve(me));
    F own(f);
    if constexpr (internal::PlainOperation<F>) return own(object);
    return internal::run_here([&]() -> R { return own(object); });
  }
  internal::Reply<R> reply;
  internal::send_closure(*me.messages, core, internal::CallAtWay<T, R>{{me, reply}, local}, f,
                         scope, true);
  reply.await(why);
  return internal::take_value<R>(reply);
}

}  // namespace detail

/// Runs f(T&) at the home of `address` and returns its result. Switches tasks unless that is here.
template <class T, class F>
auto call(GlobalAddress<T> address, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::require_callable_at<F, T>();
  internal::require_travelling<F>();
  internal::require_result<std::invoke_result_t<F&, T&>>();
  internal::Core& me = internal::here();
  me.messages->check_payload(f, where);
  return detail::call_at(address, f, me.scheduler->current().scope, "a delegate call");
}
/// f(T&, args...).
template <class T, class F, class... Args>
  requires internal::Arguments<Args...>
auto call(GlobalAddress<T> address, F f, Args&&... args) {
  return call(address, internal::bind<T>(std::move(f), std::forward<Args>(args)...),
              internal::CallSite());
}

/// Returns the value. Switches tasks unless the home is this core; so do all that follow.
template <class T>
[[gnu::always_inline]] inline T read(GlobalAddress<T> address) {
  internal::require_result<T>();
  return detail::call_at(address, internal::Read<T>{}, nullptr, "a delegate read");
}

/// Writes `value`; has taken effect when it returns.
template <class T>
[[gnu::always_inline]] inline void write(GlobalAddress<T> address, std::type_identity_t<T> value,
                                         internal::CallSite where = internal::CallSite::current()) {
  internal::require_payload<T>();
  internal::here().messages->check_value(value, where);
  detail::call_at(address, internal::Write<T>{std::move(value)}, nullptr, "a delegate write");
}

/// Adds `by` and returns the value before.
template <class T>
[[gnu::always_inline]] inline T fetch_add(GlobalAddress<T> address, std::type_identity_t<T> by) {
  internal::require_value<T>();
  return detail::call_at(address, internal::FetchAdd<T>{by}, nullptr, "a delegate fetch_add");
}

/// Compare-and-swap: writes `desired` and returns true if the value was `expected`.
template <class T>
[[gnu::always_inline]] inline bool compare_exchange(GlobalAddress<T> address,
                                                    std::type_identity_t<T> expected,
                                                    std::type_identity_t<T> desired) {
  internal::require_value<T>();
  return detail::call_at(address, internal::CompareExchange<T>{expected, desired}, nullptr,
                         "a delegate compare_exchange");
}

/// Adds `by`; has taken effect when it returns.
template <class T>
[[gnu::always_inline]] inline void increment(GlobalAddress<T> address,
                                             std::type_identity_t<T> by = T{1}) {
  internal::require_value<T>();
  detail::call_at(address, internal::Add<T>{by}, nullptr, "a delegate increment");
}

/// Split phase: starts f() on `core`; `complete()` of the handle waits for the result.
template <class F>
auto issue(int core, F f, internal::CallSite where = internal::CallSite::current()) {
  using Arrival = internal::Arrival<F>;
  internal::require_callable<Arrival>();
  using R = std::invoke_result_t<Arrival&>;
  internal::require_travelling<Arrival>();
  internal::require_result<R>();
  internal::Core& me = internal::here();
  me.messages->check_payload(f, where);
  internal::require_core(core, where);
  return Handle<R>([&](internal::Reply<R>& reply) {
    internal::send_closure(*me.messages, core, internal::CallWay<R>{{me, reply}}, f,
                           me.scheduler->current().scope);
  });
}
template <class F, class... Args>
  requires internal::Arguments<Args...>
auto issue(internal::CoreAt core, const F& f, const Args&... args) {
  return issue(core.core, internal::bind_to_send(f, args...), core.where);
}

/// Split phase: starts f(T&) at the home of `address`.
template <class T, class F>
auto issue(GlobalAddress<T> address, F f,
           internal::CallSite where = internal::CallSite::current()) {
  using Arrival = internal::Arrival<F>;
  internal::require_callable_at<Arrival, T>();
  using R = std::invoke_result_t<Arrival&, T&>;
  internal::require_travelling<Arrival>();
  internal::require_result<R>();
  internal::Core& me = internal::here();
  me.messages->check_payload(f, where);
  return Handle<R>([&](internal::Reply<R>& reply) {
    const auto [core, local] = internal::place_in_use(address);
    internal::send_closure(*me.messages, core, internal::CallAtWay<T, R>{{me, reply}, local}, f,
                           me.scheduler->current().scope);
  });
}
template <class T, class F, class... Args>
  requires internal::Arguments<Args...>
auto issue(GlobalAddress<T> address, const F& f, const Args&... args) {
  return issue(address, internal::bind_to_send<T>(f, args...), internal::CallSite());
}

/// Split phase: starts a read.
template <class T>
Handle<T> issue_read(GlobalAddress<T> address) {
  return issue(address, internal::Read<T>{});
}
/// Split phase: as fetch_add and compare_exchange.
template <class T>
Handle<T> issue_fetch_add(GlobalAddress<T> address, std::type_identity_t<T> by) {
  return issue(address, internal::FetchAdd<T>{by});
}
template <class T>
Handle<bool> issue_compare_exchange(GlobalAddress<T> address, std::type_identity_t<T> expected,
                                    std::type_identity_t<T> desired) {
  return issue(address, internal::CompareExchange<T>{expected, desired});
}

namespace async {

namespace detail {

template <class F>
void call_in(internal::CompletionShare* scope, int core, const F& f,
             const internal::CallSite& where) {
  internal::require_callable<internal::Arrival<F>>();
  internal::require_travelling<internal::Arrival<F>>();
  internal::require_core(core, where);
  internal::Aggregator& messages = *internal::here().messages;
  messages.check_payload(f, where);
  internal::send_closure(messages, core, internal::AsyncCallWay(), f, scope);
}

template <class Address, class F>
void call_at_in(internal::CompletionShare* scope, const Address& address, const F& f) {
  internal::require_callable_at<internal::Arrival<F>, internal::ElementOf<Address>>();
  const auto [core, local] = internal::place_in_use(address);
  internal::Core& me = internal::here();
  // The element is fetched while other messages are written; other homes prefetch when they run
  // theirs.
  internal::prefetch_own(me, core, local);
  using Way =
      internal::AsyncCallAtWay<internal::ElementOf<Address>, std::remove_cv_t<decltype(local)>>;
  internal::send_closure(*me.messages, core, Way{local}, f, scope);
}

}  // namespace detail

/// Runs f() on `core` some time before the event finishes. Like all of these, it may switch tasks
/// when there is no credit for `core`.
template <class F>
void call(int core, F f, internal::CallSite where = internal::CallSite::current()) {
  detail::call_in(internal::enclosing_scope(), core, f, where);
}
template <class F>
void call(CompletionEvent& event, int core, F f,
          internal::CallSite where = internal::CallSite::current()) {
  detail::call_in(&event.share(), core, f, where);
}
template <class F, class... Args>
  requires internal::Arguments<Args...>
void call(internal::CoreAt core, const F& f, const Args&... args) {
  detail::call_in(internal::enclosing_scope(), core.core, internal::bind_to_send(f, args...),
                  core.where);
}
template <class F, class... Args>
  requires internal::Arguments<Args...>
void call(CompletionEvent& event, internal::CoreAt core, const F& f, const Args&... args) {
  detail::call_in(&event.share(), core.core, internal::bind_to_send(f, args...), core.where);
}

/// Runs f(T&) at the home of `address` some time before the event finishes.
template <internal::AnyGlobalAddress Address, class F>
void call(const Address& address, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::require_travelling<internal::Arrival<F>>();
  internal::here().messages->check_payload(f, where);
  detail::call_at_in(internal::enclosing_scope(), address, f);
}
template <internal::AnyGlobalAddress Address, class F>
void call(CompletionEvent& event, const Address& address, F f,
          internal::CallSite where = internal::CallSite::current()) {
  internal::require_travelling<internal::Arrival<F>>();
  internal::here().messages->check_payload(f, where);
  detail::call_at_in(&event.share(), address, f);
}
template <internal::AnyGlobalAddress Address, class F, class... Args>
  requires internal::Arguments<Args...>
void call(const Address& address, const F& f, const Args&... args) {
  call(address, internal::bind_to_send<internal::ElementOf<Address>>(f, args...),
       internal::CallSite());
}
template <internal::AnyGlobalAddress Address, class F, class... Args>
  requires internal::Arguments<Args...>
void call(CompletionEvent& event, const Address& address, const F& f, const Args&... args) {
  call(event, address, internal::bind_to_send<internal::ElementOf<Address>>(f, args...),
       internal::CallSite());
}

/// Writes `value` some time before the event finishes.
template <internal::AnyGlobalAddress Address>
void write(const Address& address, internal::ElementOf<Address> value,
           internal::CallSite where = internal::CallSite::current()) {
  internal::require_payload<internal::ElementOf<Address>>();
  internal::here().messages->check_value(value, where);
  detail::call_at_in(internal::enclosing_scope(), address,
                     internal::Write<internal::ElementOf<Address>>{std::move(value)});
}
template <internal::AnyGlobalAddress Address>
void write(CompletionEvent& event, const Address& address, internal::ElementOf<Address> value,
           internal::CallSite where = internal::CallSite::current()) {
  internal::require_payload<internal::ElementOf<Address>>();
  internal::here().messages->check_value(value, where);
  detail::call_at_in(&event.share(), address,
                     internal::Write<internal::ElementOf<Address>>{std::move(value)});
}

/// Adds one (which makes the smallest message), or `by`.
template <internal::AnyGlobalAddress Address>
void increment(const Address& address) {
  detail::call_at_in(internal::enclosing_scope(), address,
                     internal::AddOne<internal::ElementOf<Address>>{});
}
template <internal::AnyGlobalAddress Address>
void increment(const Address& address, internal::ElementOf<Address> by) {
  internal::require_value<internal::ElementOf<Address>>();
  detail::call_at_in(internal::enclosing_scope(), address,
                     internal::Add<internal::ElementOf<Address>>{by});
}
template <internal::AnyGlobalAddress Address>
void increment(CompletionEvent& event, const Address& address,
               internal::ElementOf<Address> by = internal::ElementOf<Address>{1}) {
  internal::require_value<internal::ElementOf<Address>>();
  detail::call_at_in(&event.share(), address, internal::Add<internal::ElementOf<Address>>{by});
}

}  // namespace async
}  // namespace delegate
}  // namespace grappa
