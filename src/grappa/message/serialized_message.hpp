#pragma once

// Messages that carry a value which is not plain bytes, and those that carry a closure of either
// kind; the compiler chooses.
//
//   struct Call {
//     template <class F>
//     void operator()(RunContext&, F& f) const { f(); }
//   };
//   send_closure(*here().messages, core, Call(), [] { … }, enclosing_scope());
//
// What is done with a closure at its destination is the *way* of its message, a small object that
// travels in front of it. A way that prefetches does so for closures of both kinds.
//
// Errors: bytes that are no such value end the process, with the name of the type.

#include <cstddef>
#include <typeinfo>
#include <utility>

#include "grappa/base/serialize.hpp"
#include "grappa/message/aggregator.hpp"

namespace grappa::internal {

/// Sends a message with a value behind it, which must not change meanwhile. `last`: see
/// Aggregator::send_last.
template <class M, class T>
void send_serialized(Aggregator& messages, int core, const M& message, const T& value,
                     CompletionShare* scope, bool last) {
  ByteCounter counter;
  put(counter, value);
  const auto write = [&](std::byte* to) {
    MemoryWriter out({to, counter.count});
    put(out, value);
    out.finish();
  };
  messages.send_writing(core, message, counter.count, write, scope, last);
}

/// Ends the process: what is being thrown says why the bytes are no value of this type.
[[noreturn]] void refuse_bytes(const RunContext& context, const std::type_info& type);

/// The value behind a message that runs.
template <class T, class M>
T value_behind(const M& message, const RunContext& context) {
  try {
    return from_bytes<T>(
        {reinterpret_cast<const std::byte*>(&message + 1), context.bytes - sizeof(M)});
  } catch (...) {
    refuse_bytes(context, typeid(T));
  }
}

template <class Way, class F>
struct ClosureMessage {
  using Shown = F;
  [[no_unique_address]] Way way;
  [[no_unique_address]] F f;
  [[gnu::always_inline]] void prefetch(const Core& core) const
    requires Prefetchable<Way>
  {
    way.prefetch(core);
  }
  void operator()(RunContext& context) noexcept(noexcept(way(context, f))) { way(context, f); }
};

/// The closure is the value behind it.
template <class Way, class F>
struct alignas(8) SerializedClosureMessage {
  using Shown = F;
  Way way;
  [[gnu::always_inline]] void prefetch(const Core& core) const
    requires Prefetchable<Way>
  {
    way.prefetch(core);
  }
  void operator()(RunContext& context) noexcept(noexcept(way(context, std::declval<F&>()))) {
    F f = value_behind<F>(*this, context);
    way(context, f);
  }
};

/// What arrives where an F is sent: another type, where F only refers to what it sends.
template <class F>
struct ArrivalOf {
  using Type = F;
};
template <class F>
using Arrival = typename ArrivalOf<F>::Type;

template <class Way, class F>
[[gnu::always_inline]] inline void send_closure(Aggregator& messages, int core, const Way& way,
                                                const F& f, CompletionShare* scope,
                                                bool last = false) {
  if constexpr (kIsSendable<Arrival<F>>) {
    if (last) {
      messages.send_last(core, ClosureMessage<Way, F>{way, f}, scope);
    } else {
      messages.send(core, ClosureMessage<Way, F>{way, f}, scope);
    }
  } else {
    send_serialized(messages, core, SerializedClosureMessage<Way, Arrival<F>>{way}, f, scope, last);
  }
}

}  // namespace grappa::internal
