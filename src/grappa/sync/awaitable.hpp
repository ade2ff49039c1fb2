#pragma once

// What a coroutine awaits of the objects that synchronize tasks of one core.
//
//   co_await co::wait(event);                 // CompletionEvent::wait
//   const int x = co_await co::read_fe(word); // FullEmpty::read_fe, and so on
//   const auto guard = co_await co::lock(mutex);   // until the guard ends
//
// Same meaning, order and errors as the functions of the objects.

#include <utility>

#include "grappa/sync/completion_event.hpp"
#include "grappa/sync/full_empty.hpp"
#include "grappa/sync/mutex.hpp"
#include "grappa/sync/wait_queue.hpp"
#include "grappa/tasking/coroutine.hpp"

namespace grappa {

namespace internal {

/// Suspends until nothing is unfinished; more may have begun by the time it resumes.
class EventAwaiter {
 public:
  explicit EventAwaiter(CompletionEvent& event) : event_(event) {}
  bool await_ready() const { return event_.finished(); }
  template <GrappaPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    me_ = CoroutinePromise::suspend(self, CompletionEvent::kWhatIsAwaited);
    event_.wake_when_finished(Suspended(&me_));
  }
  void await_resume() const noexcept {}

 private:
  CompletionEvent& event_;
  Resumption me_;
};

/// One operation of a full/empty word.
template <class Word, class Access>
class WordAwaiter : public Waiter {
 public:
  WordAwaiter(Word& word, Access access) : word_(word), access_(std::move(access)) {}
  WordAwaiter(const WordAwaiter&) = delete;
  WordAwaiter& operator=(const WordAwaiter&) = delete;

  bool await_ready() { return word_.attempt(access_); }
  template <GrappaPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    me_ = CoroutinePromise::suspend(self, Access::kWaitsFor);
    resume = [](Waiter& waiter) {
      auto& awaiter = static_cast<WordAwaiter&>(waiter);
      awaiter.word_.finish(awaiter.access_);
      this_scheduler().resume_later(awaiter.me_);
    };
    word_.enqueue(*this);
  }
  auto await_resume() { return std::move(access_.value); }

 private:
  Word& word_;
  Access access_;
  Resumption me_;
};

/// Holds a mutex for a coroutine.
class [[nodiscard("the mutex is unlocked at once")]] LockGuard {
 public:
  LockGuard(Mutex& mutex, std::uint64_t holder) : mutex_(&mutex), holder_(holder) {}
  LockGuard(LockGuard&& other) noexcept
      : mutex_(std::exchange(other.mutex_, nullptr)), holder_(other.holder_) {}
  LockGuard& operator=(LockGuard&&) = delete;
  ~LockGuard() {
    if (mutex_ != nullptr) mutex_->unlock_by(holder_);
  }

 private:
  Mutex* mutex_;
  std::uint64_t holder_;
};

class LockAwaiter : public Waiter {
 public:
  explicit LockAwaiter(Mutex& mutex) : mutex_(mutex) {}
  LockAwaiter(const LockAwaiter&) = delete;
  LockAwaiter& operator=(const LockAwaiter&) = delete;

  bool await_ready() const noexcept { return false; }  // who awaits it is not known here
  template <GrappaPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> self) {
    holder_ = reinterpret_cast<std::uintptr_t>(self.address());
    if (mutex_.try_lock_for(holder_)) return false;
    me_ = CoroutinePromise::suspend(self, "a mutex");
    resume = [](Waiter& waiter) {
      this_scheduler().resume_later(static_cast<LockAwaiter&>(waiter).me_);
    };
    mutex_.enqueue(*this, holder_);
    return true;
  }
  LockGuard await_resume() const { return LockGuard(mutex_, holder_); }

 private:
  Mutex& mutex_;
  std::uint64_t holder_ = 0;
  Resumption me_;
};

}  // namespace internal

namespace co {

inline Coroutine<> wait(CompletionEvent& event) {
  // More work may have joined between the wake-up and the turn of this coroutine.
  while (!event.finished()) co_await internal::EventAwaiter(event);
  event.throw_errors();
}

/// Mutex::lock; gives a guard, which unlocks it.
inline internal::LockAwaiter lock(Mutex& mutex) { return internal::LockAwaiter(mutex); }

/// As FullEmpty::read_fe: waits until the word is full, takes the value.
template <class T>
auto read_fe(FullEmpty<T>& word) {
  return internal::WordAwaiter<FullEmpty<T>, internal::ReadFullEmpty<T>>(word, {});
}
/// As FullEmpty::read_ff: waits until the word is full, copies the value.
template <class T>
auto read_ff(FullEmpty<T>& word) {
  return internal::WordAwaiter<FullEmpty<T>, internal::ReadFullFull<T>>(word, {});
}
/// Returns the value.
template <class T>
auto write_ef(FullEmpty<T>& word, std::type_identity_t<T> value) {
  return internal::WordAwaiter<FullEmpty<T>, internal::WriteEmptyFull<T>>(word, {std::move(value)});
}
/// As FullEmpty::write_ff: replaces the value of a full word, and returns the new one.
template <class T>
auto write_ff(FullEmpty<T>& word, std::type_identity_t<T> value) {
  return internal::WordAwaiter<FullEmpty<T>, internal::WriteFullFull<T>>(word, {std::move(value)});
}

}  // namespace co
}  // namespace grappa
