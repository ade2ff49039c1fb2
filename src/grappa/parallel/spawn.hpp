#pragma once

// Starting tasks.
//
//   spawn([=] { … });            // on this core
//   spawn_public([=] { … });     // on this core, unless another one, of any locale, is idle
//   spawn_on(3, [=] { … });      // on core 3
//   spawn(event, [=] { … });     // as above, but joins `event` instead of the enclosing one
//   spawn(kLargeStack, [=] { … });   // on a stack of --large-stack-size; also spawn_public
//   spawn_on(counter, [](std::int64_t& n) { ++n; });                 // at the home of an object
//   spawn_on(3, [](std::string& s) { use(s); }, std::string("abc"));   // arguments of any kind
//   spawn(follow(list));         // a coroutine, on this core (tasking/coroutine.hpp)
//   spawn_public([=] { return follow(list); });   // one that may be stolen before it begins
//
// A task belongs to the completion event of whoever spawned it, or to the one that is named.
// Closures of spawn need only be movable. Those of spawn_public, spawn_on and on_all_cores travel,
// with arguments beside them, as those of delegates do (delegate/delegate.hpp); they must mean the
// same on every locale: no pointers or references, which runs that scan all payloads refuse
// (message/payload_scan.hpp). A closure that returns a coroutine lives as long as that, on the core
// where it is called. Nothing here waits, but spawn_on may switch tasks when there is no credit for
// the destination. Tasks and delegates may spawn.
//
// A public task is queued at the core that spawned it. Idle cores of its locale steal one at a
// time; cores of other locales ask for half of those that are queued, the oldest first
// (lifeline_balancer.hpp). Once it runs, a task stays on its core.

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "grappa/base/closure_names.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/tasking/coroutine.hpp"
#include "grappa/tasking/scheduler.hpp"
#include "grappa/tasking/task.hpp"

namespace grappa {

struct LargeStack;

namespace internal {

struct SpawnWay {
  template <class F>
  void operator()(RunContext& context, F& f) const {
    context.core.ledger->add(*context.scope);
    context.core.scheduler->push_private(make_task(std::move(f), context.scope));
  }
};

template <class T>
inline constexpr bool kIsCoroutine = false;
template <class T>
inline constexpr bool kIsCoroutine<Coroutine<T>> = true;

/// Runs the coroutine that a closure returns, and keeps the closure, to which it may refer.
template <class F>
Coroutine<> run_coroutine_of(F f) {
  co_await f();
}

/// A closure that returns a coroutine, as a task.
template <class F>
struct BeginCoroutine {
  F f;
  void operator()() { spawn_here(enclosing_scope(), run_coroutine_of(std::move(f))); }
};

/// A task at the home of an object.
template <class T, class F>
struct TaskAt {
  LocalReference at;
  F f;
  auto operator()() { return f(*reinterpret_cast<T*>(at.resolve(here()))); }
};

}  // namespace internal

template <class F>
inline constexpr auto kMembersOf<internal::BeginCoroutine<F>> =
    std::tuple(&internal::BeginCoroutine<F>::f);
template <class T, class F>
inline constexpr auto kMembersOf<internal::TaskAt<T, F>> =
    std::tuple(&internal::TaskAt<T, F>::at, &internal::TaskAt<T, F>::f);

namespace internal {

/// The closure that runs f as a task.
template <class F>
auto as_task(F f) {
  require_callable<F>();
  if constexpr (kIsCoroutine<std::invoke_result_t<F&>>) {
    return BeginCoroutine<F>{std::move(f)};
  } else {
    return f;
  }
}

template <StackClass kStack = StackClass::kNormal, class F>
void push_task(CompletionShare* scope, F task, const CallSite& where) {
  name_closure<F>(where);
  Core& me = here();
  me.ledger->add(*scope);
  me.scheduler->push_private(make_task(std::move(task), scope, TaskRunner<F, kStack>::kType));
}

template <StackClass kStack = StackClass::kNormal, class F>
void spawn_here(CompletionShare* scope, F f, const CallSite& where = CallSite::current()) {
  push_task<kStack>(scope, as_task(std::move(f)), where);
}

/// Puts a public task into the queue of the calling core.
template <StackClass kStack, class F>
void push_public(CompletionShare* scope, F task);

/// A public task that goes to another locale.
template <StackClass kStack>
struct PublicTaskWay {
  template <class F>
  void operator()(RunContext& context, F& task) const {
    push_public<kStack>(context.scope, std::move(task));
  }
};

template <class F, StackClass kStack>
struct PublicTask {
  static void send(Core& from, int to, Task& task) {
    consume_closure<F>(task.storage, [&](const F& f) {
      send_closure(*from.messages, to, PublicTaskWay<kStack>(), f, task.scope);
    });
  }
  static constexpr TaskType kType{&TaskRunner<F>::run, &typeid(F), &send, kStack};
};

template <StackClass kStack, class F>
void push_public(CompletionShare* scope, F task) {
  Core& me = here();
  me.ledger->add(*scope);
  me.scheduler->push_public(make_task(std::move(task), scope, PublicTask<F, kStack>::kType));
}

template <StackClass kStack = StackClass::kNormal, class F>
void spawn_public(CompletionShare* scope, F f, const CallSite& where) {
  require_travelling<F>();
  here().messages->check_payload(f, where);
  auto task = as_task(std::move(f));
  name_closure<decltype(task)>(where);
  push_public<kStack>(scope, std::move(task));
}

template <class F>
void start_task(CompletionShare* scope, int core, F task, const CallSite& where) {
  name_closure<F>(where);
  Core& me = here();
  if (core == me.id) {
    push_task(scope, std::move(task), where);
  } else {
    send_closure(*me.messages, core, SpawnWay(), task, scope);
  }
}

template <class F>
void spawn_at(CompletionShare* scope, int core, F f, const CallSite& where) {
  require_travelling<F>();
  require_core(core, where);
  here().messages->check_payload(f, where);
  start_task(scope, core, as_task(std::move(f)), where);
}

template <class T, class F>
void spawn_at(CompletionShare* scope, GlobalAddress<T> address, F f, const CallSite& where) {
  require_callable_at<F, T>();
  require_travelling<F>();
  here().messages->check_payload(f, where);
  const auto [core, local] = place_in_use(address);
  start_task(scope, core, as_task(TaskAt<T, F>{local, std::move(f)}), where);
}

/// Not what else may stand in front of a closure.
template <class F>
concept Function = !std::same_as<F, CompletionEvent> && !std::same_as<F, LargeStack>;

/// Starts f() on every `stride`-th core, and waits for all that they cause.
template <class F>
void on_every(int stride, const F& f, const CallSite& where) {
  require_travelling<F>();
  Core& me = here();
  me.messages->check_body(f, where);
  CompletionEvent done;
  for (int core = 0; core < me.locale.core_count(); core += stride) {
    start_task(&done.share(), core, as_task(f), where);
    me.messages->flush_to(core);
  }
  done.wait();
}

}  // namespace internal

/// Starts f() on this core. With an event, here and below: as work of that event.
template <class F>
void spawn(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here(internal::enclosing_scope(), std::move(f), where);
}
template <class F>
void spawn(CompletionEvent& event, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here(&event.share(), std::move(f), where);
}

/// For tasks that need more room than most, such as a deep recursion: they run on stacks of
/// `Config::large_stack_bytes`, and there are only as many of these as such tasks at a time.
struct LargeStack {};
inline constexpr LargeStack kLargeStack{};

template <class F>
void spawn(LargeStack, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here<internal::StackClass::kLarge>(internal::enclosing_scope(), std::move(f),
                                                     where);
}
template <class F>
void spawn(CompletionEvent& event, LargeStack, F f,
           internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here<internal::StackClass::kLarge>(&event.share(), std::move(f), where);
}

/// Coroutines are tasks, too (tasking/coroutine.hpp); they stay on this core.
inline void spawn(Coroutine<> coroutine) {
  internal::spawn_here(internal::enclosing_scope(), std::move(coroutine));
}
inline void spawn(CompletionEvent& event, Coroutine<> coroutine) {
  internal::spawn_here(&event.share(), std::move(coroutine));
}

/// Starts f() on this core, or wherever the task is stolen to.
template <class F>
void spawn_public(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_public(internal::enclosing_scope(), std::move(f), where);
}
template <class F>
void spawn_public(CompletionEvent& event, F f,
                  internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_public(&event.share(), std::move(f), where);
}

template <class F>
void spawn_public(LargeStack, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_public<internal::StackClass::kLarge>(internal::enclosing_scope(), std::move(f),
                                                       where);
}
template <class F>
void spawn_public(CompletionEvent& event, LargeStack, F f,
                  internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_public<internal::StackClass::kLarge>(&event.share(), std::move(f), where);
}

/// f(args...), with arguments that travel along.
template <internal::Function F, class... Args>
  requires internal::Arguments<Args...>
void spawn_public(F f, Args&&... args) {
  internal::spawn_public(internal::enclosing_scope(),
                         internal::bind(std::move(f), std::forward<Args>(args)...),
                         internal::CallSite());
}
template <internal::Function F, class... Args>
  requires internal::Arguments<Args...>
void spawn_public(CompletionEvent& event, F f, Args&&... args) {
  internal::spawn_public(&event.share(), internal::bind(std::move(f), std::forward<Args>(args)...),
                         internal::CallSite());
}

/// Starts f() on `core`. UsageError for a core that does not exist.
template <class F>
void spawn_on(int core, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_at(internal::enclosing_scope(), core, std::move(f), where);
}
template <class F>
void spawn_on(CompletionEvent& event, int core, F f,
              internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_at(&event.share(), core, std::move(f), where);
}

template <class F, class... Args>
  requires internal::Arguments<Args...>
void spawn_on(internal::CoreAt core, F f, Args&&... args) {
  internal::spawn_at(internal::enclosing_scope(), core.core,
                     internal::bind(std::move(f), std::forward<Args>(args)...), core.where);
}
template <class F, class... Args>
  requires internal::Arguments<Args...>
void spawn_on(CompletionEvent& event, internal::CoreAt core, F f, Args&&... args) {
  internal::spawn_at(&event.share(), core.core,
                     internal::bind(std::move(f), std::forward<Args>(args)...), core.where);
}

/// Starts f(T&), or f(T&, args...), at the home of `address`, as a task, which may wait.
template <class T, class F>
void spawn_on(GlobalAddress<T> address, F f,
              internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_at(internal::enclosing_scope(), address, std::move(f), where);
}
template <class T, class F>
void spawn_on(CompletionEvent& event, GlobalAddress<T> address, F f,
              internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_at(&event.share(), address, std::move(f), where);
}
template <class T, class F, class... Args>
  requires internal::Arguments<Args...>
void spawn_on(GlobalAddress<T> address, F f, Args&&... args) {
  internal::spawn_at(internal::enclosing_scope(), address,
                     internal::bind<T>(std::move(f), std::forward<Args>(args)...),
                     internal::CallSite());
}
template <class T, class F, class... Args>
  requires internal::Arguments<Args...>
void spawn_on(CompletionEvent& event, GlobalAddress<T> address, F f, Args&&... args) {
  internal::spawn_at(&event.share(), address,
                     internal::bind<T>(std::move(f), std::forward<Args>(args)...),
                     internal::CallSite());
}

/// Runs f() once as a task on every core, and waits for all that they cause.
template <class F>
void on_all_cores(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::on_every(1, f, where);
}

/// f(args...), with copies of the arguments for every core.
template <class F, class... Args>
  requires internal::Arguments<Args...>
void on_all_cores(F f, Args&&... args) {
  internal::on_every(1, internal::bind(std::move(f), std::forward<Args>(args)...),
                     internal::CallSite());
}

/// Runs f() once on the first core of every locale, and waits for all that they cause.
template <class F>
void on_all_locales(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::on_every(internal::here().locale.cores_each, f, where);
}
template <class F, class... Args>
  requires internal::Arguments<Args...>
void on_all_locales(F f, Args&&... args) {
  internal::on_every(internal::here().locale.cores_each,
                     internal::bind(std::move(f), std::forward<Args>(args)...),
                     internal::CallSite());
}

}  // namespace grappa
