#include "grappa/parallel/exchange.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "grappa/parallel/send_span.hpp"

namespace grappa {

/// What a locale has; but for the outboxes, its first core's alone.
struct Exchange::State {
  using Bytes = std::vector<std::byte>;
  /// What others send in a round or a superstep.
  struct Inbox {
    std::vector<Bytes> from;            // [locales]
    std::vector<std::size_t> received;  // [locales], bytes
    int complete = 0;                   // locales
  };
  struct alignas(64) Outboxes {
    std::vector<Bytes> to;  // [locales]
  };

  State() : of_core(static_cast<std::size_t>(cores_per_locale())) {
    const auto locales = static_cast<std::size_t>(locale_count());
    for (Outboxes& core : of_core) core.to.resize(locales);
    for (Inbox& inbox : inboxes) {
      inbox.from.resize(locales);
      inbox.received.resize(locales);
    }
  }

  std::vector<Outboxes> of_core;  // [cores of the locale]
  // Of even and odd supersteps. A locale that is ahead has sent for the next one, never for the one
  // after it: that needs what this locale sends for the next. Rounds that one task ends use one
  // of them.
  std::array<Inbox, 2> inboxes;
  std::size_t parity = 0;  // of the current one
  internal::Worker* waiter = nullptr;
  Bytes message;
};

/// Where a piece of what a locale sends belongs.
struct Exchange::TakePiece {
  LocaleState<State> state;
  std::uint64_t parity;
  std::uint64_t from;
  std::uint64_t total;

  void operator()(std::span<const std::byte> piece, std::size_t first) const {
    State& mine = *state;
    State::Inbox& inbox = mine.inboxes[parity];
    std::vector<std::byte>& bytes = inbox.from[from];
    if (bytes.size() != total) bytes.resize(total);
    std::ranges::copy(piece, bytes.begin() + static_cast<std::ptrdiff_t>(first));
    if ((inbox.received[from] += piece.size()) != total) return;
    ++inbox.complete;
    if (parity == mine.parity && inbox.complete == locale_count() - 1 && mine.waiter != nullptr)
      internal::this_scheduler().wake(std::exchange(mine.waiter, nullptr));
  }
};

Exchange Exchange::create() {
  Exchange exchange;
  exchange.state_ = LocaleState<State>::create();
  return exchange;
}

void Exchange::destroy() { state_.destroy(); }

void Exchange::send_bytes(int locale, std::span<const std::byte> bytes) const {
  send_joining(internal::enclosing_scope(), locale, bytes);
}

void Exchange::broadcast_bytes(std::span<const std::byte> bytes) const {
  CompletionEvent arrived;
  for (int locale = 0; locale < locale_count(); ++locale)
    send_joining(&arrived.share(), locale, bytes);
  arrived.wait();
}

void Exchange::send_joining(internal::CompletionShare* scope, int locale,
                            std::span<const std::byte> bytes) const {
  State& mine = *state_;
  const auto me = static_cast<std::size_t>(this_locale());
  if (locale == this_locale()) {
    mine.inboxes[mine.parity].from[me].assign(bytes.begin(), bytes.end());
    return;
  }
  internal::send_span_joining(scope, first_core_of(locale), bytes,
                              TakePiece{state_, mine.parity, me, bytes.size()});
}

std::vector<std::byte> Exchange::take_bytes(int from) const {
  State::Inbox& inbox = state_->inboxes[state_->parity];
  const auto sender = static_cast<std::size_t>(from);
  if (std::exchange(inbox.received[sender], 0) != 0) --inbox.complete;
  return std::exchange(inbox.from[sender], {});
}

std::vector<std::byte>& Exchange::outbox(int locale) const {
  assert(locale != this_locale());
  return state_->of_core[static_cast<std::size_t>(internal::here().index)]
      .to[static_cast<std::size_t>(locale)];
}

void Exchange::send_superstep(std::span<const std::byte> value) const {
  State& mine = *state_;
  for (int step = 1; step < locale_count(); ++step) {
    // Everybody begins with the next, so that they do not all send to the first at once.
    const int to = (this_locale() + step) % locale_count();
    mine.message.assign(value.begin(), value.end());
    for (State::Outboxes& core : mine.of_core) {
      std::vector<std::byte>& added = core.to[static_cast<std::size_t>(to)];
      mine.message.insert(mine.message.end(), added.begin(), added.end());
      added.clear();
    }
    send_joining(nullptr, to, mine.message);
    internal::here().messages->flush_to(first_core_of(to));
  }
  if (mine.inboxes[mine.parity].complete == locale_count() - 1) return;
  internal::Scheduler& scheduler = internal::this_scheduler();
  mine.waiter = &scheduler.current();
  scheduler.suspend("the other locales, at the end of a superstep");
}

std::span<const std::byte> Exchange::arrived(int from) const {
  return state_->inboxes[state_->parity].from[static_cast<std::size_t>(from)];
}

void Exchange::begin_superstep() const {
  State& mine = *state_;
  State::Inbox& inbox = mine.inboxes[mine.parity];
  for (State::Bytes& bytes : inbox.from) bytes.clear();
  std::ranges::fill(inbox.received, 0);
  inbox.complete = 0;
  mine.parity ^= 1;
}

}  // namespace grappa
