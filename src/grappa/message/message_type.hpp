#pragma once

// Message types: what a batch needs to know to run itself.
//
// A message is a small trivially copyable struct with
//   void operator()(RunContext&);     // runs on the destination core, must not suspend
//   void prefetch(const Core&) const; // optional: starts to fetch what operator() will touch
//
// A prefetch function of more than a line or two must be [[gnu::always_inline]], with what it
// calls: GCC takes a function that only prefetches for one without effects, and removes the calls.
//
// A message that is followed by bytes, its *tail*, lies in a batch as Tailed<M>; it finds them at
// `this + 1`, and their length in the RunContext.
//
// Each type has one MessageType object. A batch of n messages costs one indirect call; the body is
// inlined in a loop that prefetches Config::batch_prefetch messages ahead of the one it runs.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <type_traits>
#include <typeinfo>

#include "grappa/message/chunk.hpp"
#include "grappa/tasking/closure.hpp"
#include "grappa/tasking/core.hpp"

namespace grappa::internal {

/// Where a message runs.
struct RunContext {
  Core& core;
  int source;                // the core it came from: its sender, or the one that forwarded it
  Chunk* chunk;              // the chunk that holds it
  CompletionShare* scope;    // of the event the batch belongs to, or nullptr
  std::uint32_t bytes = 0;   // of a message that has a tail, and of the tail
  bool last = false;         // nothing of the chunk is left to run after this one message
  bool chunk_taken = false;  // set by a message that has sent its chunk on
};

struct MessageType {
  void (*run)(std::byte* first, std::uint32_t count, RunContext& context);
  std::uint32_t stride;  // 0: each message tells its own
  const std::type_info* name;
};

/// Records the exception being handled against the event of the batch; ends the process when there
/// is none.
void report_handler_exception(RunContext& context);

template <class M>
concept Prefetchable = requires(const M& m, const Core& core) { m.prefetch(core); };

template <class M>
struct MessageRunner {
  static_assert(kIsSendable<M>,
                "grappa: messages travel as plain bytes and must be trivially copyable");

  static void invoke(M& message, RunContext& context) {
    if constexpr (noexcept(message(context))) {
      message(context);
    } else {
      try {
        message(context);
      } catch (...) {
        report_handler_exception(context);
      }
    }
  }

  static void run(std::byte* first, std::uint32_t count, RunContext& context) {
    if constexpr (alignof(M) > 8) {
      for (std::uint32_t i = 0; i < count; ++i) {
        alignas(M) std::byte aligned[sizeof(M)];
        std::memcpy(aligned, first + i * sizeof(M), sizeof(M));
        invoke(*std::launder(reinterpret_cast<M*>(aligned)), context);
      }
    } else {
      M* messages = std::launder(reinterpret_cast<M*>(first));
      if constexpr (Prefetchable<M>) {
        const Core& core = context.core;
        const auto wanted = static_cast<std::uint32_t>(core.locale.config.batch_prefetch);
        const std::uint32_t ahead = wanted < count ? wanted : count;
        for (std::uint32_t i = 0; i < ahead; ++i) messages[i].prefetch(core);
        const std::uint32_t covered = count - ahead;
        for (std::uint32_t i = 0; i < covered; ++i) {
          messages[i + ahead].prefetch(core);
          invoke(messages[i], context);
        }
        for (std::uint32_t i = covered; i < count; ++i) invoke(messages[i], context);
      } else {
        for (std::uint32_t i = 0; i < count; ++i) invoke(messages[i], context);
      }
    }
  }
};

/// A message with a tail.
template <class M>
struct Tailed {
  static_assert(alignof(M) <= 8 && sizeof(M) % 8 == 0);
  std::uint32_t stride;  // bytes to the next message
  std::uint32_t bytes;   // of the message and the tail
  M message;
};

template <class M>
struct MessageRunner<Tailed<M>> {
  static Tailed<M>* behind(Tailed<M>* message) {
    return reinterpret_cast<Tailed<M>*>(reinterpret_cast<std::byte*>(message) + message->stride);
  }

  static void run(std::byte* first, std::uint32_t count, RunContext& context) {
    auto* next = std::launder(reinterpret_cast<Tailed<M>*>(first));
    Tailed<M>* ahead = next;
    std::uint32_t left = count;  // to prefetch
    const auto prefetch = [&](std::uint32_t most) {
      if constexpr (Prefetchable<M>) {
        for (; most > 0 && left > 0; --most, --left, ahead = behind(ahead))
          ahead->message.prefetch(context.core);
      }
    };
    prefetch(static_cast<std::uint32_t>(context.core.locale.config.batch_prefetch));
    for (std::uint32_t i = 0; i < count; ++i, next = behind(next)) {
      prefetch(1);
      context.bytes = next->bytes;
      MessageRunner<M>::invoke(next->message, context);
    }
  }
};

template <class M>
inline constexpr std::uint32_t kStrideOf = sizeof(M);
template <class M>
inline constexpr std::uint32_t kStrideOf<Tailed<M>> = 0;

/// What people are told about a message of type M: what it runs for the program, M::Shown, if it
/// says so.
template <class M>
struct ShownAs {
  using Type = M;
};
template <class M>
  requires requires { typename M::Shown; }
struct ShownAs<M> {
  using Type = typename M::Shown;
};

template <class M>
struct ShownAs<Tailed<M>> : ShownAs<M> {};

template <class M>
inline constexpr MessageType kMessageType{&MessageRunner<M>::run, kStrideOf<M>,
                                          &typeid(typename ShownAs<M>::Type)};

}  // namespace grappa::internal
