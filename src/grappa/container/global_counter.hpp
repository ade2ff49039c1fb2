#pragma once

// GlobalCounter: one number that all tasks add to.
//
//   auto tickets = GlobalCounter::create();
//   const int64_t mine = tickets.fetch_add(10);     // ten numbers that nobody else gets
//   forall(0, 1000, [=](int64_t) { tickets.async_add(); });
//   const int64_t all = tickets.value();
//   tickets.destroy();
//
// The number lies at one core. What the tasks of another core add at the same time becomes one
// addition there (combiner.hpp), and each gets its part of the range. fetch_add and value are
// linearizable and switch tasks; async_add takes effect some time before the enclosing event
// finishes, or the one given first. Numbers wrap around.
//
// A handle, trivially copyable; create and destroy are called by one task and switch tasks.
// UsageError for a handle that is not live, and at destroy while additions are pending.

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/container/combiner.hpp"
#include "grappa/delegate/delegate.hpp"

namespace grappa {

namespace internal {

struct CounterState;

/// Additions that become one.
struct CounterBatch {
  struct Request : CombinedRequest {
    std::int64_t amount = 0;
    std::int64_t before = 0;
  };

  static constexpr std::size_t kMany = 4096;

  std::vector<Request*> requests;
  std::uint64_t sum = 0;  // of all
  std::size_t count = 0;
  GlobalAddress<CounterState> at;

  std::size_t weight() const { return count; }
  CombinedRequest* first_waiting() const { return requests.empty() ? nullptr : requests.front(); }
  void run();
  void fail(const std::exception_ptr& error) {
    for (Request* request : requests) request->fail(error);
  }
  void clear() {
    requests.clear();
    sum = 0;
    count = 0;
  }
};

struct CounterState {
  std::int64_t value = 0;  // at the home
  Combiner<CounterBatch> combiner;

  void attach(const CombinedObject<CounterState>& self) {
    combiner.prepare([&](CounterBatch& batch) { batch.at = self.at_home(); });
  }
  std::int64_t add(std::int64_t n) {
    const std::int64_t before = value;
    value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) +
                                      static_cast<std::uint64_t>(n));
    return before;
  }
};

}  // namespace internal

/// A handle of a number that all tasks add to.
class GlobalCounter {
 public:
  /// Starts at `value`.
  [[nodiscard("create returns the handle")]] static GlobalCounter create(std::int64_t value = 0);
  void destroy();

  /// Adds n and returns the value before: [that, that + n) are the caller's.
  std::int64_t fetch_add(std::int64_t n = 1) const;
  void add(std::int64_t n = 1) const { fetch_add(n); }
  std::int64_t value() const { return fetch_add(0); }
  /// Sets it to `value` and returns what it was.
  std::int64_t exchange(std::int64_t value) const;

  /// Writes the number to a file, which appears whole or not at all; load() makes a counter of it.
  void save(const std::string& path) const;
  [[nodiscard("load returns the handle")]] static GlobalCounter load(const std::string& path);

  void async_add(std::int64_t n = 1) const;
  void async_add(CompletionEvent& event, std::int64_t n = 1) const;

 private:
  void add_in(internal::CompletionShare* scope, std::int64_t n) const;

  internal::CombinedObject<internal::CounterState> object_;
};

}  // namespace grappa
