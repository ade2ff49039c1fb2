#pragma once

// Starting tasks.
//
//   spawn([=] { … });            // on this core
//   spawn_public([=] { … });     // on this core, unless another one, of any locale, is idle
//   spawn_on(3, [=] { … });      // on core 3
//   spawn(event, [=] { … });     // as above, but joins `event` instead of the enclosing one
//   spawn(kLargeStack, [=] { … });   // on a stack of --large-stack-size; also spawn_public
//   spawn(follow(list));         // a coroutine, on this core (tasking/coroutine.hpp)
//
// A task belongs to the completion event of whoever spawned it, or to the one that is named.
// Closures must be trivially copyable. Those of spawn_public and spawn_on must mean the same on
// every locale: no pointers or references, which runs that scan all payloads refuse
// (message/payload_scan.hpp). Nothing here waits, but spawn_on may switch tasks when there is no
// credit for the destination. Tasks and delegates may spawn.
//
// A public task is queued at the core that spawned it. Idle cores of its locale steal one at a
// time; cores of other locales ask for half of those that are queued, the oldest first
// (lifeline_balancer.hpp). Once it runs, a task stays on its core.

#include "grappa/base/closure_names.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/tasking/coroutine.hpp"
#include "grappa/tasking/scheduler.hpp"
#include "grappa/tasking/task.hpp"

namespace grappa {

namespace internal {

template <class F>
struct SpawnMessage {
  F f;
  void operator()(RunContext& context) {
    context.core.ledger->add(*context.scope);
    context.core.scheduler->push_private(make_task(f, context.scope));
  }
};

template <class T>
inline constexpr bool kIsCoroutine = false;
template <class T>
inline constexpr bool kIsCoroutine<Coroutine<T>> = true;

template <class F>
constexpr void require_task() {
  require_callable<F>();
  require_closure<F>();
  static_assert(!kIsCoroutine<std::invoke_result_t<F&>>,
                "grappa: this closure returns a coroutine, which would outlive what the closure "
                "captures. Make it a function with arguments, and spawn what it returns: "
                "spawn(f(x, y)).");
}

template <StackClass kStack = StackClass::kNormal, class F>
void spawn_here(CompletionShare* scope, const F& f, const CallSite& where = CallSite::current()) {
  require_task<F>();
  name_closure<F>(where);
  Core& me = here();
  me.ledger->add(*scope);
  me.scheduler->push_private(make_task(f, scope, TaskRunner<F, kStack>::kType));
}

/// Puts a public task into the queue of the calling core.
template <class F, StackClass kStack>
void push_public(CompletionShare* scope, const F& f);

/// A public task that goes to another locale.
template <class F, StackClass kStack>
struct PublicTaskMessage {
  F f;
  void operator()(RunContext& context) { push_public<F, kStack>(context.scope, f); }
};

template <class F, StackClass kStack>
struct PublicTask {
  static void send(Core& from, int to, Task& task) {
    consume_closure<F>(task.storage, [&](const F& f) {
      from.messages->send(to, PublicTaskMessage<F, kStack>{f}, task.scope);
    });
  }
  static constexpr TaskType kType{&TaskRunner<F>::run, &typeid(F), &send, kStack};
};

template <class F, StackClass kStack>
void push_public(CompletionShare* scope, const F& f) {
  Core& me = here();
  me.ledger->add(*scope);
  me.scheduler->push_public(make_task(f, scope, PublicTask<F, kStack>::kType));
}

template <StackClass kStack = StackClass::kNormal, class F>
void spawn_public(CompletionShare* scope, const F& f, const CallSite& where) {
  require_task<F>();
  name_closure<F>(where);
  here().messages->check_payload(f, where);
  push_public<F, kStack>(scope, f);
}

template <class F>
void start_task(CompletionShare* scope, int core, const F& f, const CallSite& where) {
  name_closure<F>(where);
  Core& me = here();
  if (core == me.id) {
    spawn_here(scope, f, where);
  } else {
    me.messages->send(core, SpawnMessage<F>{f}, scope);
  }
}

template <class F>
void spawn_at(CompletionShare* scope, int core, const F& f, const CallSite& where) {
  require_callable<F>();
  require_closure<F>();
  require_core(core, where);
  here().messages->check_payload(f, where);
  start_task(scope, core, f, where);
}

/// Starts f() on every `stride`-th core, and waits for all that they cause.
template <class F>
void on_every(int stride, const F& f, const CallSite& where) {
  require_callable<F>();
  require_closure<F>();
  Core& me = here();
  me.messages->check_body(f, where);
  CompletionEvent done;
  for (int core = 0; core < me.locale.core_count(); core += stride) {
    start_task(&done.share(), core, f, where);
    me.messages->flush_to(core);
  }
  done.wait();
}

}  // namespace internal

/// Starts f() on this core. With an event, here and below: as work of that event.
template <class F>
void spawn(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here(internal::enclosing_scope(), f, where);
}
template <class F>
void spawn(CompletionEvent& event, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here(&event.share(), f, where);
}

/// For tasks that need more room than most, such as a deep recursion: they run on stacks of
/// `Config::large_stack_bytes`, and there are only as many of these as such tasks at a time.
struct LargeStack {};
inline constexpr LargeStack kLargeStack{};

template <class F>
void spawn(LargeStack, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here<internal::StackClass::kLarge>(internal::enclosing_scope(), f, where);
}
template <class F>
void spawn(CompletionEvent& event, LargeStack, F f,
           internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_here<internal::StackClass::kLarge>(&event.share(), f, where);
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
  internal::spawn_public(internal::enclosing_scope(), f, where);
}
template <class F>
void spawn_public(CompletionEvent& event, F f,
                  internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_public(&event.share(), f, where);
}

template <class F>
void spawn_public(LargeStack, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_public<internal::StackClass::kLarge>(internal::enclosing_scope(), f, where);
}
template <class F>
void spawn_public(CompletionEvent& event, LargeStack, F f,
                  internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_public<internal::StackClass::kLarge>(&event.share(), f, where);
}

/// Starts f() on `core`. UsageError for a core that does not exist.
template <class F>
void spawn_on(int core, F f, internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_at(internal::enclosing_scope(), core, f, where);
}
template <class F>
void spawn_on(CompletionEvent& event, int core, F f,
              internal::CallSite where = internal::CallSite::current()) {
  internal::spawn_at(&event.share(), core, f, where);
}

/// Runs f() once as a task on every core, and waits for all that they cause.
template <class F>
void on_all_cores(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::on_every(1, f, where);
}

/// Runs f() once on the first core of every locale, and waits for all that they cause.
template <class F>
void on_all_locales(F f, internal::CallSite where = internal::CallSite::current()) {
  internal::on_every(internal::here().locale.cores_each, f, where);
}

}  // namespace grappa
