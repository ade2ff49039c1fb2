#pragma once

// Delegates that a coroutine awaits: what delegate.hpp does for a task, without a stack.
//
//   Coroutine<> follow(GlobalAddress<Node> node) {
//     while (node) node = co_await co::read(next_of(node));
//   }
//   const double r = co_await co::call(cell, [x](Cell& c) { return c.add(x); });
//   auto a = delegate::issue_read(p);          // split phase: both are under way at once
//   auto b = delegate::issue_read(q);
//   const int sum = co_await a + co_await b;
//
// They have the meaning of the blocking delegates of the same names (order, atomicity, errors). If
// this core is the home of the object, the result is there at once and nothing suspends. Requests
// of many coroutines to one core travel together; a lone one leaves when the core has nothing else
// to do.
//
// A coroutine's requests belong to its completion event where a blocking delegate's would. A send
// that finds no credit waits as it would in a task.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "grappa/delegate/delegate.hpp"
#include "grappa/tasking/coroutine.hpp"

namespace grappa {

namespace internal {

/// `Delegate` has the core, whether it is this one, and how it is run here and sent.
template <class R, class Delegate>
class DelegateAwaiter {
 public:
  explicit DelegateAwaiter(const Delegate& delegate) : delegate_(delegate) {}
  DelegateAwaiter(const DelegateAwaiter&) = delete;
  DelegateAwaiter& operator=(const DelegateAwaiter&) = delete;

  bool await_ready() {
    Core& me = here();
    if (delegate_.core() != me.id) return false;
    if constexpr (std::is_void_v<R>) {
      run_here([&] { delegate_.run(me); });
    } else if constexpr (Delegate::kPlain) {
      reply_.value = delegate_.run(me);
    } else {
      reply_.value = run_here([&]() -> R { return delegate_.run(me); });
    }
    return true;
  }

  template <GrappaPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    me_ = CoroutinePromise::suspend(self, "a delegate");
    reply_.waiter = Suspended(&me_);
    // From here on the answer may come, and this object end with it.
    delegate_.send(here(), reply_);
  }

  R await_resume() {
    reply_.rethrow();
    return take_value<R>(reply_);
  }

 private:
  Delegate delegate_;
  Resumption me_;
  Reply<R> reply_;
};

template <class T, class F>
class DelegateAt {
 public:
  using R = std::invoke_result_t<F&, T&>;
  static constexpr bool kPlain = PlainOperation<F>;
  /// `scoped`: f may start work, which joins the event of the caller.
  DelegateAt(GlobalAddress<T> address, const F& f, bool scoped) : f_(f), scoped_(scoped) {
    const auto [core, local] = internal::place_in_use(address);
    core_ = core;
    local_ = local;
  }
  int core() const { return core_; }
  R run(const Core& me) { return f_(*reinterpret_cast<T*>(local_.resolve(me))); }
  void send(Core& me, Reply<R>& reply) const {
    send_closure(*me.messages, core_, CallAtWay<T, R>{{me, reply}, local_}, f_,
                 scoped_ ? me.scheduler->current().scope : nullptr);
  }

 private:
  LocalReference local_;
  int core_;
  [[no_unique_address]] F f_;
  bool scoped_;
};

template <class F>
class DelegateOn {
 public:
  using R = std::invoke_result_t<F&>;
  static constexpr bool kPlain = false;
  DelegateOn(int core, const F& f, const CallSite& where) : core_(core), f_(f) {
    require_core(core, where);
  }
  int core() const { return core_; }
  R run(const Core&) { return f_(); }
  void send(Core& me, Reply<R>& reply) const {
    send_closure(*me.messages, core_, CallWay<R>{{me, reply}}, f_, me.scheduler->current().scope);
  }

 private:
  int core_;
  F f_;
};

template <class T, class F>
[[gnu::always_inline]] inline auto await_at(GlobalAddress<T> address, const F& f, bool scoped) {
  using At = DelegateAt<T, F>;
  require_travelling<F>();
  require_result<typename At::R>();
  return DelegateAwaiter<typename At::R, At>(At(address, f, scoped));
}

/// Waits for a split-phase operation.
template <class R>
class HandleAwaiter {
 public:
  explicit HandleAwaiter(Reply<R>& reply) : reply_(reply) {}
  bool await_ready() const { return reply_.done; }
  template <GrappaPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    me_ = CoroutinePromise::suspend(self, "a split-phase operation");
    reply_.waiter = Suspended(&me_);
  }
  R await_resume() {
    reply_.rethrow();
    return take_value<R>(reply_);
  }

 private:
  Reply<R>& reply_;
  Resumption me_;
};

}  // namespace internal

/// The result, as Handle::complete returns it.
template <class R>
auto operator co_await(Handle<R>& handle) {
  return internal::HandleAwaiter<R>(handle.claim());
}
template <class R>
auto operator co_await(Handle<R>&& handle) {
  return internal::HandleAwaiter<R>(handle.claim());
}

// Delegates to single words are inlined by attribute: in coroutines GCC calls what it inlines
// elsewhere.
namespace co {

/// Runs f() on `core`; co_await gives its result.
template <class F>
auto call(int core, F f, internal::CallSite where = internal::CallSite::current()) {
  using On = internal::DelegateOn<F>;
  internal::require_travelling<F>();
  internal::require_result<typename On::R>();
  internal::here().messages->check_payload(f, where);
  return internal::DelegateAwaiter<typename On::R, On>(On(core, f, where));
}

/// Runs f(T&) at the home of `address`; co_await gives its result.
template <class T, class F>
auto call(GlobalAddress<T> address, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::here().messages->check_payload(f, where);
  return internal::await_at(address, f, true);
}

/// f(args...) and f(T&, args...), as delegate::call.
template <class F, class... Args>
  requires internal::Arguments<Args...>
auto call(internal::CoreAt core, F f, Args&&... args) {
  return call(core.core, internal::bind(std::move(f), std::forward<Args>(args)...), core.where);
}
template <class T, class F, class... Args>
  requires internal::Arguments<Args...>
auto call(GlobalAddress<T> address, F f, Args&&... args) {
  return call(address, internal::bind<T>(std::move(f), std::forward<Args>(args)...),
              internal::CallSite());
}

/// co_await gives the value.
template <class T>
[[gnu::always_inline]] inline auto read(GlobalAddress<T> address) {
  return internal::await_at(address, internal::Read<T>{}, false);
}

/// Writes `value`; has taken effect when co_await returns.
template <class T>
[[gnu::always_inline]] inline auto write(GlobalAddress<T> address, std::type_identity_t<T> value,
                                         internal::CallSite where = internal::CallSite::current()) {
  internal::here().messages->check_value(value, where);
  return internal::await_at(address, internal::Write<T>{value}, false);
}

/// Adds `by`; co_await gives the value before.
template <class T>
[[gnu::always_inline]] inline auto fetch_add(GlobalAddress<T> address, std::type_identity_t<T> by) {
  return internal::await_at(address, internal::FetchAdd<T>{by}, false);
}

/// Compare-and-swap; co_await gives whether the value was `expected`, and so is `desired` now.
template <class T>
[[gnu::always_inline]] inline auto compare_exchange(GlobalAddress<T> address,
                                                    std::type_identity_t<T> expected,
                                                    std::type_identity_t<T> desired) {
  return internal::await_at(address, internal::CompareExchange<T>{expected, desired}, false);
}

/// Adds `by`; has taken effect when co_await returns.
template <class T>
[[gnu::always_inline]] inline auto increment(GlobalAddress<T> address,
                                             std::type_identity_t<T> by = T{1}) {
  return internal::await_at(address, internal::Add<T>{by}, false);
}

}  // namespace co
}  // namespace grappa
