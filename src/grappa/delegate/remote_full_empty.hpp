#pragma once

// Full/empty words of other cores.
//
//   GlobalAddress<FullEmpty<int64_t>> words = global_alloc<FullEmpty<int64_t>>(n);
//   delegate::write_ef(words + i, 7);              // from any core
//   int64_t x = delegate::read_fe(words + j);
//   auto y = delegate::issue_read_fe(words + k);   // split phase (hotpar11, 3.3)
//   use(x, y.complete());
//
// The operations of sync/full_empty.hpp, with the same meaning and order, for a word at any core.
// The request goes to the home of the word; when the word is not in the state that is waited for,
// the request is queued there, and answered when it is. Nothing waits at the home core but the
// request itself: no task, no handler.
//
// All of them suspend the calling task, unless the word is of this core and ready; except
// async::write_xf, which joins the enclosing completion event, and those that are issued.
// Coroutines await those of namespace co. T must be trivially copyable.
//
// Errors: those of the word arrive as RemoteError.

#include <exception>

#include "grappa/delegate/awaitable.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/delegate/reply.hpp"
#include "grappa/sync/awaitable.hpp"
#include "grappa/sync/full_empty.hpp"

namespace grappa {

namespace internal {

/// Answers an operation that has been done.
template <class T, class Access>
void answer_access(Core& core, ReplyTo<T> reply, const Access& access) {
  core.messages->send(reply.core(), ReplyMessage<T>{reply.place(), access.value}, nullptr);
}

/// An operation of another core that waits at the word.
template <class T, class Access>
struct RemoteAccessWaiter : Waiter {
  FullEmpty<T>& word;
  ReplyTo<T> reply;
  Access access;

  RemoteAccessWaiter(FullEmpty<T>& its_word, ReplyTo<T> its_reply, const Access& its_access)
      : Waiter{nullptr, &proceed}, word(its_word), reply(its_reply), access(its_access) {}

  static void proceed(Waiter& waiter) {
    const std::unique_ptr<RemoteAccessWaiter> self(&static_cast<RemoteAccessWaiter&>(waiter));
    self->word.finish(self->access);
    answer_access(here(), self->reply, self->access);
  }
};

template <class T, class Access>
struct AccessMessage {
  ReplyTo<T> reply;
  LocalReference at;
  Access access;
  void prefetch(const Core& core) const { __builtin_prefetch(at.resolve(core), 1); }
  void operator()(RunContext& context) noexcept {
    auto& word = *reinterpret_cast<FullEmpty<T>*>(at.resolve(context.core));
    try {
      if (word.attempt(access)) {
        answer_access(context.core, reply, access);
      } else {
        word.enqueue(*new RemoteAccessWaiter<T, Access>(word, reply, access));
      }
    } catch (...) {
      send_error_reply(context, reply.core(), reply.place());
    }
  }
};

/// Starts an operation, whose answer is what was read, or what was written.
template <class T, class Access>
void start_access(GlobalAddress<FullEmpty<T>> address, const Access& access, Reply<T>& reply,
                  bool last) {
  static_assert(kIsSendable<T>, "grappa: a word of another core must be trivially copyable");
  Core& me = here();
  const auto [core, local] = internal::place_in_use(address);
  me.messages->send_last(core, AccessMessage<T, Access>{{me, reply}, local, access}, nullptr, last);
}

template <class T, class Access>
T access_word(GlobalAddress<FullEmpty<T>> address, const Access& access) {
  Reply<T> reply;
  start_access(address, access, reply, true);
  reply.await(Access::kWaitsFor);
  return take_value<T>(reply);
}

template <class T, class Access>
Handle<T> issue_access(GlobalAddress<FullEmpty<T>> address, const Access& access) {
  return Handle<T>([&](Reply<T>& reply) { start_access(address, access, reply, false); });
}

}  // namespace internal

namespace delegate {

/// Waits until the word is full, takes the value and leaves it empty.
template <class T>
T read_fe(GlobalAddress<FullEmpty<T>> word) {
  if (word.is_local()) return word.pointer()->read_fe();
  return internal::access_word(word, internal::ReadFullEmpty<T>{});
}

/// Waits until the word is full, copies the value and leaves it full.
template <class T>
T read_ff(GlobalAddress<FullEmpty<T>> word) {
  if (word.is_local()) return word.pointer()->read_ff();
  return internal::access_word(word, internal::ReadFullFull<T>{});
}

/// Waits until the word is empty, and fills it.
template <class T>
void write_ef(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  if (word.is_local()) return word.pointer()->write_ef(value);
  internal::access_word(word, internal::WriteEmptyFull<T>{value});
}

/// Waits until the word is full, and replaces the value.
template <class T>
void write_ff(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  if (word.is_local()) return word.pointer()->write_ff(value);
  internal::access_word(word, internal::WriteFullFull<T>{value});
}

template <class T>
void write_xf(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  call(word, [value](FullEmpty<T>& w) { w.write_xf(value); });
}

/// Split phase: each is as the one without `issue_`, and takes effect, in its turn, some time
/// before it is complete. The result of a write is the value written. A handle that is dropped
/// waits.
template <class T>
Handle<T> issue_read_fe(GlobalAddress<FullEmpty<T>> word) {
  return internal::issue_access(word, internal::ReadFullEmpty<T>{});
}
template <class T>
Handle<T> issue_read_ff(GlobalAddress<FullEmpty<T>> word) {
  return internal::issue_access(word, internal::ReadFullFull<T>{});
}
template <class T>
Handle<T> issue_write_ef(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  return internal::issue_access(word, internal::WriteEmptyFull<T>{value});
}
template <class T>
Handle<T> issue_write_ff(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  return internal::issue_access(word, internal::WriteFullFull<T>{value});
}

/// Empties the word, whatever its state.
template <class T>
void reset(GlobalAddress<FullEmpty<T>> word) {
  call(word, [](FullEmpty<T>& w) { w.reset(); });
}

namespace async {

/// Fills the word some time before the enclosing event finishes.
template <class T>
void write_xf(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  call(word, [value](FullEmpty<T>& w) { w.write_xf(value); });
}

}  // namespace async
}  // namespace delegate

namespace co {

/// As the functions of these names in namespace delegate. co_await gives what was read or written.
template <class T>
Coroutine<T> read_fe(GlobalAddress<FullEmpty<T>> word) {
  if (word.is_local()) co_return co_await read_fe(*word.pointer());
  co_return co_await delegate::issue_read_fe(word);
}
template <class T>
Coroutine<T> read_ff(GlobalAddress<FullEmpty<T>> word) {
  if (word.is_local()) co_return co_await read_ff(*word.pointer());
  co_return co_await delegate::issue_read_ff(word);
}
template <class T>
Coroutine<T> write_ef(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  if (word.is_local()) co_return co_await write_ef(*word.pointer(), value);
  co_return co_await delegate::issue_write_ef(word, value);
}
template <class T>
Coroutine<T> write_ff(GlobalAddress<FullEmpty<T>> word, std::type_identity_t<T> value) {
  if (word.is_local()) co_return co_await write_ff(*word.pointer(), value);
  co_return co_await delegate::issue_write_ff(word, value);
}

}  // namespace co
}  // namespace grappa
