#pragma once

// A blocking delegate with an array for its argument.
//
//   const double sum = internal::call_with_span(
//       core, std::span<const double>(values), [](std::span<const double> some) {
//         return some.front() + some.back();         // at `core`, in one piece
//       });
//
// As delegate::call, but request and answer leave at once: whoever sends many values in one message
// has waited for company already. Values that are not plain bytes are serialized.

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/delegate/delegate.hpp"

namespace grappa::internal {

/// Followed by the values.
template <class T, class F>
struct SpanCallMessage {
  using Shown = F;
  using R = std::invoke_result_t<F&, std::span<const T>>;
  ReplyTo<R> reply;
  std::uint64_t count;
  alignas(8) F f;
  void operator()(RunContext& context) noexcept {
    const std::span<const T> values(reinterpret_cast<const T*>(this + 1), count);
    run_and_reply<R>(context, reply, [&]() -> R { return f(values); });
    context.core.messages->flush_to(reply.core());
  }
};

/// The same for values that come with the closure.
template <class R>
struct SpanCallWay {
  ReplyTo<R> reply;
  template <class F>
  void operator()(RunContext& context, F& f) const noexcept {
    run_and_reply<R>(context, reply, f);
    context.core.messages->flush_to(reply.core());
  }
};

template <class T, class F>
using SpanResult = std::invoke_result_t<F&, std::span<const T>>;

template <class T, class F>
void send_with_span(int core, std::span<const T> values, const F& f,
                    Reply<SpanResult<T, F>>& reply) {
  using R = SpanResult<T, F>;
  require_closure<F>();
  require_result<R>();
  Core& me = here();
  CompletionShare* const scope = me.scheduler->current().scope;
  if constexpr (kIsSendable<T>) {
    static_assert(alignof(T) <= 8);
    me.messages->send_with_tail(core, SpanCallMessage<T, F>{{me, reply}, values.size(), f},
                                values.data(), values.size_bytes(), scope);
  } else {
    send_closure(
        *me.messages, core, SpanCallWay<R>{{me, reply}},
        internal::bind([f](const std::vector<T>& some) mutable { return f(std::span(some)); },
                       std::vector<T>(values.begin(), values.end())),
        scope);
  }
  me.messages->flush_to(core);
}

template <class T, class F>
auto call_with_span(int core, std::span<const T> values, F f) {
  using R = SpanResult<T, F>;
  if (core == here().id) return run_here([&]() -> R { return f(values); });
  Reply<R> reply;
  send_with_span(core, values, f, reply);
  reply.await("a delegate call");
  return take_value<R>(reply);
}

/// Split phase: complete() of the handle waits for the result.
template <class T, class F>
auto issue_with_span(int core, std::span<const T> values, F f) {
  using R = SpanResult<T, F>;
  return Handle<R>([&](Reply<R>& reply) { send_with_span(core, values, f, reply); });
}

}  // namespace grappa::internal
