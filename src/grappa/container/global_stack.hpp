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
// T: trivially copyable and default-constructible. A handle, trivially copyable; create and destroy
// are called by one task. UsageError for a handle that is not live, for a push to a stack that was
// closed (from another core perhaps as RemoteError), and at destroy while pushes are pending. Who
// still waits at destroy ends the process with a message.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "grappa/container/internal/shared_list.hpp"

namespace grappa {

/// A handle of a stack that all cores share.
template <class T>
class GlobalStack {
 public:
  [[nodiscard("create returns the handle")]] static GlobalStack create() {
    GlobalStack made;
    made.list_.create();
    return made;
  }
  void destroy() { list_.destroy("GlobalStack::destroy"); }

  void push(const T& value, internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    list_.put({&value, 1}, kOperation);
  }
  /// Several, of which no other comes in between.
  void push(std::span<const T> values) const { list_.put(values, kOperation); }
  void async_push(const T& value, internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    list_.async_put(internal::enclosing_scope(), value, kOperation);
  }
  void async_push(CompletionEvent& event, const T& value,
                  internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    list_.async_put(&event.share(), value, kOperation);
  }

  /// Waits for a value; nothing when the stack is closed and empty.
  std::optional<T> pop() const { return take_one(true); }
  /// Nothing when it is empty.
  std::optional<T> try_pop() const { return take_one(false); }
  /// Takes as many as there are, at most values.size(); returns how many.
  std::size_t try_pop(std::span<T> values) const { return list_.take(values, false, kOperation); }

  /// From now on nothing can be put, and who waits for more than there is waits no longer.
  void close() const { list_.close(kOperation); }

  std::int64_t size() const { return list_.size(kOperation); }
  void clear() const { list_.clear(kOperation); }
  /// Values that lie at this core: all of them or none.
  std::int64_t local_size() const { return list_.local_size(kOperation); }

  /// body(T&) for each value, where it lies. What comes and goes meanwhile may be left out.
  template <class F>
  void forall(F body, internal::CallSite where = internal::CallSite::current()) const {
    list_.forall(body, where, kOperation);
  }

  /// Writes the values to a file, which appears whole or not at all; load() makes a container of
  /// them.
  void save(const std::string& path) const { list_.save(path, saved_name(), kOperation); }
  [[nodiscard("load returns the handle")]] static GlobalStack load(const std::string& path) {
    GlobalStack made;
    made.list_.load(path, saved_name());
    return made;
  }

 private:
  static constexpr const char* kOperation = "an operation on a GlobalStack";
  static std::string saved_name() { return internal::saved_name("GlobalStack", sizeof(T)); }

  std::optional<T> take_one(bool waits) const {
    T value;
    if (list_.take({&value, 1}, waits, kOperation) == 0) return std::nullopt;
    return value;
  }

  internal::SharedList<T, true> list_;
};

}  // namespace grappa
