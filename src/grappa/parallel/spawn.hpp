// Starting tasks.
//
//   spawn([=] { … });            // on this core
//   spawn_public([=] { … });     // on this core, unless another core of the locale is quicker
//   spawn_on(3, [=] { … });      // on core 3
//   spawn(event, [=] { … });     // as above, joining `event` and not the enclosing one
//
// A task belongs to the completion event of whoever spawned it, or to the one that is named.
// Closures must be trivially copyable. Nothing here waits, but spawn_on may switch tasks when the
// destination is out of credit. Tasks and delegates may spawn.
#pragma once

#include "grappa/delegate/delegate.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/sync/completion_event.hpp"
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

template <class F>
void spawn_here(CompletionShare* scope, const F& f) {
  Core& me = here();
  me.ledger->add(*scope);
  me.scheduler->push_private(make_task(f, scope));
}

template <class F>
void spawn_stealable(CompletionShare* scope, const F& f) {
  Core& me = here();
  me.ledger->add(*scope);
  me.scheduler->push_public(make_task(f, scope));
}

template <class F>
void spawn_at(CompletionShare* scope, int core, const F& f, const CallSite& where) {
  require_closure<F>();
  require_core(core);
  Core& me = here();
  me.messages->check_payload(f, where);
  if (core == me.id) {
    spawn_here(scope, f);
  } else {
    me.messages->send(core, SpawnMessage<F>{f}, scope);
  }
}

}  // namespace internal

template <class F>
void spawn(F f) {
  internal::spawn_here(enclosing_scope(), f);
}
template <class F>
void spawn(CompletionEvent& event, F f) {
  internal::spawn_here(&event.share(), f);
}

template <class F>
void spawn_public(F f) {
  internal::spawn_stealable(enclosing_scope(), f);
}
template <class F>
void spawn_public(CompletionEvent& event, F f) {
  internal::spawn_stealable(&event.share(), f);
}

template <class F>
void spawn_on(int core, F f, CallSite where = CallSite::current()) {
  internal::spawn_at(enclosing_scope(), core, f, where);
}
template <class F>
void spawn_on(CompletionEvent& event, int core, F f, CallSite where = CallSite::current()) {
  internal::spawn_at(&event.share(), core, f, where);
}

/// Runs f() once as a task on every core, and waits for all that they cause.
template <class F>
void on_all_cores(F f, CallSite where = CallSite::current()) {
  CompletionEvent done;
  for (int core = 0; core < here().locale.core_count(); ++core) {
    internal::spawn_at(&done.share(), core, f, where);
    here().messages->flush_to(core);
  }
  done.wait();
}

/// Runs f() once on the first core of every locale, and waits for all that they cause.
template <class F>
void on_all_locales(F f, CallSite where = CallSite::current()) {
  CompletionEvent done;
  for (int locale = 0; locale < here().locale.count; ++locale) {
    const int core = locale * here().locale.cores_each;
    internal::spawn_at(&done.share(), core, f, where);
    here().messages->flush_to(core);
  }
  done.wait();
}

}  // namespace grappa
