#pragma once

// Many values for one core, which takes them piece by piece while the sender goes on.
//
//   const std::vector<double> values(1'000'000, 0.5);
//   send_span(7, std::span(values), [table](std::span<const double> piece, std::size_t first) {
//     for (const double value : piece) use(value, first++);
//   });
//
// A piece is a message of its own, as large as messages get, so many values cost their bandwidth
// and little else. Values that are not plain bytes are serialized (base/serialize.hpp). There is
// credit for so many messages under way to a core (Config::chunk_bytes, buffers): a sender that is
// ahead of the receiver waits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/message/aggregator.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa {

namespace internal {

/// Consecutive values of a span, which follow.
template <class T, class Take>
struct SpanPieceMessage {
  std::uint64_t first;
  std::uint64_t count;
  [[no_unique_address]] alignas(8) Take take;
  void operator()(RunContext&) {
    take(std::span<const T>(reinterpret_cast<const T*>(this + 1), count),
         static_cast<std::size_t>(first));
  }
};

template <class T, class Take>
void send_span_joining(CompletionShare* scope, int core, std::span<const T> values,
                       const Take& take) {
  Aggregator& messages = *here().messages;
  if constexpr (!kIsSendable<T>) {
    constexpr std::size_t kMost = 1024;
    for (std::size_t at = 0; at < values.size(); at += kMost) {
      const auto piece = values.subspan(at, std::min(kMost, values.size() - at));
      send_closure(
          messages, core, AsyncCallWay(),
          internal::bind([take, at](const std::vector<T>& some) { take(std::span(some), at); },
                         std::vector<T>(piece.begin(), piece.end())),
          scope);
    }
  } else {
    static_assert(alignof(T) <= 8, "grappa: values that are sent are aligned to at most 8 bytes");
    using Message = SpanPieceMessage<T, Take>;
    // A value that does not fit into a chunk has one of its own.
    const std::size_t most = std::max<std::size_t>(1, messages.largest_tail<Message>() / sizeof(T));
    for (std::size_t at = 0; at < values.size(); at += most) {
      const std::size_t count = std::min(most, values.size() - at);
      messages.send_with_tail(core, Message{at, count, take}, values.data() + at, count * sizeof(T),
                              scope);
    }
  }
}

}  // namespace internal

/// Calls take(piece, first) at `core` for each piece of the values, where `first` is how many come
/// before it; in any order, and not when there are none. Joins the enclosing completion event, and
/// may switch tasks. `take` is a closure as those of delegates (no suspending).
template <class T, class Take>
void send_span(int core, std::span<const T> values, Take take,
               internal::CallSite where = internal::CallSite::current()) {
  internal::require_closure<Take>();
  internal::require_core(core, where);
  internal::here().messages->check_payload(take, where);
  internal::send_span_joining(internal::enclosing_scope(), core, values, take);
}

}  // namespace grappa
