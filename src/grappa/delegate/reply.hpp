#pragma once

// How the result of a delegate travels back: the place that waits for it, and the messages that
// fill it.

#include <optional>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/message/aggregator.hpp"
#include "grappa/message/serialized_message.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa {

namespace internal {

/// Whether a result is plain bytes.
template <class R>
inline constexpr bool kPlainResult = std::is_void_v<R> || kIsSendable<R>;

template <class R>
constexpr void require_result() {
  static_assert(!std::is_reference_v<R> && !kIsOfOneProcess<R>,
                "grappa: the result of this delegate is a reference, a pointer or a view of memory "
                "of the core where it ran, which means nothing elsewhere. Return the value, a "
                "std::string or a GlobalAddress.");
  if constexpr (!std::is_void_v<R> && !std::is_reference_v<R>) require_payload<R>();
}

struct Nothing {};
template <class R>
using Stored = std::conditional_t<std::is_void_v<R>, Nothing, R>;

/// The part of a waiting place that does not depend on the type.
struct ReplyBase {
  Suspended waiter;
  bool done = false;
  ErrorRecord* error = nullptr;  // its own

  ReplyBase() = default;
  ReplyBase(const ReplyBase&) = delete;
  ReplyBase& operator=(const ReplyBase&) = delete;
  // By attribute: in coroutines GCC calls what it inlines elsewhere.
  [[gnu::always_inline]] ~ReplyBase() {
    if (error != nullptr) [[unlikely]]
      delete_error();
  }

  void finish(Core& core) {
    done = true;
    if (waiter) core.scheduler->wake(waiter);
  }
  void wait_until_done(const char* why) {
    if (done) return;
    Scheduler& scheduler = this_scheduler();
    waiter = &scheduler.current();
    scheduler.suspend(why);
  }
  void await(const char* why) {
    wait_until_done(why);
    rethrow();
  }
  void rethrow() const {
    if (error != nullptr) [[unlikely]]
      throw_error();
  }

 private:
  [[noreturn]] void throw_error() const;
  void delete_error() noexcept;
};

template <class R>
struct Reply : ReplyBase {
  std::optional<Stored<R>> value;
};
template <class R>
  requires(std::is_trivially_copyable_v<Stored<R>> &&
           std::is_trivially_default_constructible_v<Stored<R>>)
struct Reply<R> : ReplyBase {
  Stored<R> value;
};

/// Where a reply goes: a core and a place of it, in one word that travels with the request.
template <class R>
class ReplyTo {
 public:
  ReplyTo(const Core& core, Reply<R>& place)
      : bits_(static_cast<std::uint64_t>(core.id) << kPointerBits |
              reinterpret_cast<std::uint64_t>(&place)) {}
  int core() const { return static_cast<int>(bits_ >> kPointerBits); }
  Reply<R>* place() const {
    return reinterpret_cast<Reply<R>*>(bits_ & ((std::uint64_t{1} << kPointerBits) - 1));
  }

 private:
  static constexpr int kPointerBits = 48;  // of an address in user space; 16 are left for the core
  std::uint64_t bits_;
};

template <class R>
struct ReplyMessage {
  Reply<R>* reply;
  Stored<R> value;
  void prefetch(const Core&) const { __builtin_prefetch(reply, 1); }
  void operator()(RunContext& context) noexcept {
    reply->value = value;
    reply->finish(context.core);
  }
};
template <>
struct ReplyMessage<void> {
  Reply<void>* reply;
  void prefetch(const Core&) const { __builtin_prefetch(reply, 1); }
  void operator()(RunContext& context) noexcept { reply->finish(context.core); }
};

/// Followed by the serialized value.
template <class R>
struct SerializedReplyMessage {
  Reply<R>* reply;
  void operator()(RunContext& context) noexcept {
    reply->value.emplace(value_behind<R>(*this, context));
    reply->finish(context.core);
  }
};

/// Sends a message to the core that waits for it.
template <class M>
void answer(RunContext& context, int core, const M& message) {
  context.core.messages->send_last(core, message, nullptr, context.last);
}

/// Sends what is being thrown to the waiting place. Called in a catch block.
void send_error_reply(RunContext& context, int core, ReplyBase* reply);

/// Inlined, as it is called from one place for each kind of message: a call is 4 % of what a
/// fetch_add or a write takes.
template <class R, class Work>
[[gnu::always_inline]] inline void run_and_reply(RunContext& context, ReplyTo<R> to, Work&& work) {
  Reply<R>* const reply = to.place();
  try {
    if constexpr (std::is_void_v<R>) {
      work();
      answer(context, to.core(), ReplyMessage<void>{reply});
    } else if constexpr (kPlainResult<R>) {
      const R value = work();
      context.core.messages->check_result(value);
      answer(context, to.core(), ReplyMessage<R>{reply, value});
    } else {
      const R value = work();
      send_serialized(*context.core.messages, to.core(), SerializedReplyMessage<R>{reply}, value,
                      nullptr, context.last);
    }
  } catch (...) {
    send_error_reply(context, to.core(), reply);
  }
}

template <class R>
R take_value(Reply<R>& reply) {
  if constexpr (!std::is_void_v<R>) {
    if constexpr (std::is_same_v<decltype(reply.value), std::optional<R>>) {
      return std::move(*reply.value);
    } else {
      return reply.value;
    }
  }
}

}  // namespace internal
}  // namespace grappa
