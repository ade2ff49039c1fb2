#pragma once

// GlobalStack<T>: last in, first out, for the tasks of all cores.
//
//   auto work = GlobalStack<int64_t>::create();
//   work.push(7);
//   while (const std::optional<int64_t> next = work.pop()) use(*next);   // until it is closed
//   work.destroy();
//
// The values lie at one core. Requests of another core's tasks combine there (combiner.hpp): a push
// meets a pop and neither travels; what is left travels in batches. Operations without async_ are
// linearizable and switch tasks. async_push takes effect some time before the enclosing event (or
// the one given first) finishes.
//
// T: default-constructible; trivially copyable, or serialized (base/serialize.hpp). A handle,
// trivially copyable; create and destroy are called by one task. UsageError for a handle that is
// not live, for a push to a stack that was closed (from another core perhaps as RemoteError), and
// at destroy while pushes are pending. Who still waits at destroy ends the process with a message.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "grappa/container/internal/shared_list.hpp"

namespace grappa {

/// A handle of a stack that all cores share.
template <class T>
class GlobalStack : public internal::SharedList<T, GlobalStack<T>, true> {
 public:
  void push(const T& value, const internal::CallSite& where = internal::CallSite::current()) const {
    this->put_one(value, where);
  }
  /// Several, of which no other comes in between.
  void push(std::span<const T> values) const { this->put(values); }
  void async_push(const T& value,
                  const internal::CallSite& where = internal::CallSite::current()) const {
    this->async_put_one(internal::enclosing_scope(), value, where);
  }
  void async_push(CompletionEvent& event, const T& value,
                  const internal::CallSite& where = internal::CallSite::current()) const {
    this->async_put_one(&event.share(), value, where);
  }
  void async_push(std::span<const T> values) const {
    this->async_put(internal::enclosing_scope(), values);
  }
  void async_push(CompletionEvent& event, std::span<const T> values) const {
    this->async_put(&event.share(), values);
  }

  /// Waits for a value; nothing when the stack is closed and empty.
  std::optional<T> pop() const { return this->take_one(true); }
  /// Nothing when it is empty.
  std::optional<T> try_pop() const { return this->take_one(false); }
  /// Takes as many as there are, at most values.size(); returns how many.
  std::size_t try_pop(std::span<T> values) const { return this->take(values, false); }
};

}  // namespace grappa
