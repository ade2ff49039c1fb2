#pragma once

// FullEmpty<T>: a word that is full or empty, and whose readers and writers wait for one another.
//
//   FullEmpty<int64_t> word;             // empty
//   word.write_ef(7);                    // waits until it is empty, writes, leaves it full
//   int64_t x = word.read_fe();          // waits until it is full, reads, leaves it empty
//
// The operations:
//               waits until   leaves it
//   read_fe     full          empty        takes the value
//   read_ff     full          full         looks at it
//   write_ef    empty         full         puts a value
//   write_ff    full          full         replaces the value
//   write_xf    –             full         puts or replaces it
//   reset       –             empty        forgets it
//
// The try_ forms do the same without waiting, and tell whether they could. Waiters are queued on
// the word, and nothing polls. Operations take effect in the order in which they came, and have
// taken effect when the waiting task becomes ready, so nobody can slip in between. It follows that
// a read_ff behind a read_fe waits for the next value.
//
// A word belongs to the core that made it: tasks of that core use it directly, tasks of other cores
// through the functions of the same names in delegate/remote_full_empty.hpp. Delegates of the core
// may use the try_ forms, write_xf and reset. read_fe, read_ff, write_ef and write_ff may switch
// tasks, nothing else does.
//
// T is movable and default-constructible, and copyable where read_ff is used. The state costs 8
// bytes, so a FullEmpty<int64_t> takes 16; full_empty_pointer.hpp has one of 8 for pointers.
//
// Errors: UsageError when used on another core. Destroying a word for which somebody waits ends the
// process with a message.

#include <optional>
#include <utility>

#include "grappa/sync/wait_queue.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

namespace internal {

/// One operation: the state it waits for, the state it leaves, and what it reads or writes.
template <class T, bool kReads, bool kFromFull, bool kToFull>
struct WordAccess {
  static constexpr bool kRead = kReads;
  static constexpr bool kWaitsForFull = kFromFull;
  static constexpr bool kLeavesFull = kToFull;
  static constexpr const char* kWaitsFor = kFromFull ? "a full word" : "an empty word";

  T value{};

  void operator()(T& word) {
    if constexpr (!kReads) {
      word = std::move(value);
    } else if constexpr (kToFull) {
      value = word;
    } else {
      value = std::move(word);
    }
  }
};

template <class T>
using ReadFullEmpty = WordAccess<T, true, true, false>;
template <class T>
using ReadFullFull = WordAccess<T, true, true, true>;
template <class T>
using WriteEmptyFull = WordAccess<T, false, false, true>;
template <class T>
using WriteFullFull = WordAccess<T, false, true, true>;

/// The value of a FullEmpty<T>, beside a word that has the state and the queue.
template <class T>
class ValueBesideState {
 public:
  ValueBesideState() = default;
  explicit ValueBesideState(T value) : value_(std::move(value)) { queue_.set_mark(true); }

  bool full() const { return queue_.marked(); }
  void set_empty() { queue_.set_mark(false); }
  /// Does `access` whatever the state, and leaves the state that it leaves.
  template <class Access>
  void apply(Access& access) {
    access(value_);
    queue_.set_mark(access.kLeavesFull);
  }

  bool waited_for() const { return !queue_.empty(); }
  void push(Waiter& waiter) { queue_.push(waiter); }
  Waiter& pop() { return queue_.pop(); }

  void require_owner(const char* what) const { queue_.require_owner(what); }

 private:
  T value_{};
  WaitQueue queue_;  // marked: full
};

/// How a FullEmpty<T> lies in memory.
template <class T>
struct FullEmptyStorage {
  using type = ValueBesideState<T>;
};

}  // namespace internal

/// A word of one core that is full or empty. Starts empty, or full with a value.
template <class T>
class FullEmpty {
 public:
  FullEmpty() = default;
  explicit FullEmpty(T value) : word_(std::move(value)) {}

  /// Waits until the word is full, takes the value and leaves it empty.
  T read_fe() { return run(internal::ReadFullEmpty<T>{}); }
  /// Waits until the word is full, copies the value and leaves it full.
  T read_ff() { return run(internal::ReadFullFull<T>{}); }
  /// Waits until the word is empty, and fills it.
  void write_ef(T value) { run(internal::WriteEmptyFull<T>{std::move(value)}); }
  /// Waits until the word is full, and replaces the value.
  void write_ff(T value) { run(internal::WriteFullFull<T>{std::move(value)}); }

  /// Fills the word or replaces its value; never waits.
  void write_xf(T value) {
    word_.require_owner(kName);
    const bool was_full = full();
    internal::WriteEmptyFull<T> access{std::move(value)};
    word_.apply(access);
    if (!was_full) let_go_on();
  }

  /// Empties the word; never waits.
  void reset() {
    word_.require_owner(kName);
    if (!full()) return;
    word_.set_empty();
    let_go_on();
  }

  /// read_fe without waiting; nothing if the word is empty.
  std::optional<T> try_read_fe() { return try_read(internal::ReadFullEmpty<T>{}); }
  /// read_ff without waiting; nothing if the word is empty.
  std::optional<T> try_read_ff() { return try_read(internal::ReadFullFull<T>{}); }
  /// write_ef without waiting; false if the word is full.
  bool try_write_ef(T value) { return attempt(internal::WriteEmptyFull<T>{std::move(value)}); }
  /// write_ff without waiting; false if the word is empty.
  bool try_write_ff(T value) { return attempt(internal::WriteFullFull<T>{std::move(value)}); }

  bool full() const { return word_.full(); }

  // ---- for operations that come from other cores

  /// Does `access` and resumes those who wait for the state that it leaves. False, with nothing
  /// done, when the word is not in the state that it waits for.
  template <class Access>
  bool attempt(Access&& access) {
    word_.require_owner(kName);
    if (full() != access.kWaitsForFull) return false;
    word_.apply(access);
    if (access.kLeavesFull != access.kWaitsForFull) let_go_on();
    return true;
  }

  /// Queues a waiter whose `resume` calls `finish(access)`. Only after `attempt(access)` has
  /// failed.
  void enqueue(internal::Waiter& waiter) { word_.push(waiter); }

  template <class Access>
  void finish(Access& access) {
    word_.apply(access);
  }

 private:
  static constexpr const char* kName = "a full/empty word";

  template <class Access>
  struct TaskWaiter : internal::WorkerWaiter {
    TaskWaiter(FullEmpty& its_word, Access& its_access) : word(its_word), access(its_access) {
      resume = [](internal::Waiter& waiter) {
        auto& self = static_cast<TaskWaiter&>(waiter);
        self.word.finish(self.access);
        self.wake();
      };
    }
    FullEmpty& word;
    Access& access;
  };

  template <class Access>
  T run(Access access) {
    if (!attempt(access)) {
      TaskWaiter<Access> self(*this, access);
      word_.push(self);
      internal::this_scheduler().suspend(Access::kWaitsFor);
    }
    return std::move(access.value);
  }

  template <class Access>
  std::optional<T> try_read(Access access) {
    if (!attempt(access)) return std::nullopt;
    return std::move(access.value);
  }

  /// After a change of the state: all waiters wait for the new one. They proceed one by one, until
  /// one of them changes the state back.
  void let_go_on() {
    if (!word_.waited_for()) return;
    // An answer to another core may not wait for credit here, in the middle of a step.
    const internal::Scheduler::NoSuspend guard(internal::this_scheduler());
    const bool state = full();
    while (word_.waited_for() && full() == state) {
      internal::Waiter& first = word_.pop();
      first.resume(first);
    }
  }

  typename internal::FullEmptyStorage<T>::type word_;
};

}  // namespace grappa
