#include "grappa/graph/distributed/supersteps.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "grappa/message/aggregator.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::graph {

/// What a locale has; but for the outboxes, its first core's alone.
struct Supersteps::State {
  using Bytes = std::vector<std::byte>;
  /// What others send for the end of a step.
  struct Inbox {
    std::vector<Bytes> from;            // [locales]
    std::vector<std::size_t> received;  // [locales], bytes
    int complete = 0;                   // locales
  };
  struct alignas(64) Outboxes {
    std::vector<Bytes> to;  // [locales]
  };

  std::vector<Outboxes> of_core;  // [cores of the locale]
  // Of even and odd steps. A locale that is ahead has sent for the next step, never for the one
  // after it: that needs what this locale sends for the next.
  std::array<Inbox, 2> inbox;
  std::size_t parity = 0;  // of the current step
  internal::Worker* waiter = nullptr;
  Bytes message;
};

/// A piece of what a locale sends; its bytes follow.
struct Supersteps::PieceMessage {
  Replica<State*> state;
  std::uint64_t parity;
  std::uint64_t from;
  std::uint64_t at;
  std::uint64_t total;
  std::uint64_t size;  // of the piece; the batch is padded

  void operator()(internal::RunContext& context) const {
    State& mine = **state.data();
    State::Inbox& inbox = mine.inbox[parity];
    std::vector<std::byte>& bytes = inbox.from[from];
    if (bytes.size() != total) bytes.resize(total);
    std::memcpy(bytes.data() + at, this + 1, size);
    if ((inbox.received[from] += size) != total) return;
    ++inbox.complete;
    if (parity == mine.parity && inbox.complete == locale_count() - 1 && mine.waiter != nullptr)
      context.core.scheduler->wake(std::exchange(mine.waiter, nullptr));
  }
};

Supersteps Supersteps::create() {
  Supersteps steps;
  steps.state_ = Replica<State*>::create(1);
  on_each_locale([state = steps.state_] {
    const auto locales = static_cast<std::size_t>(locale_count());
    auto* mine = new State;
    mine->of_core.resize(static_cast<std::size_t>(cores_per_locale()));
    for (State::Outboxes& core : mine->of_core) core.to.resize(locales);
    for (State::Inbox& inbox : mine->inbox) {
      inbox.from.resize(locales);
      inbox.received.resize(locales);
    }
    *state.data() = mine;
  });
  return steps;
}

void Supersteps::destroy() {
  on_each_locale([state = state_] { delete *state.data(); });
  state_.destroy();
}

std::vector<std::byte>& Supersteps::outbox(int locale) const {
  assert(locale != this_locale());
  return (**state_.data()).of_core[core_in_locale()].to[static_cast<std::size_t>(locale)];
}

void Supersteps::begin_exchange(std::span<const std::byte> value) const {
  State& mine = **state_.data();
  internal::Aggregator& messages = *internal::here().messages;
  const std::size_t most = messages.largest_message() - sizeof(PieceMessage);
  for (int step = 1; step < locale_count(); ++step) {
    const int to = (this_locale() + step) % locale_count();
    mine.message.assign(value.begin(), value.end());
    for (State::Outboxes& core : mine.of_core) {
      std::vector<std::byte>& sent = core.to[static_cast<std::size_t>(to)];
      mine.message.insert(mine.message.end(), sent.begin(), sent.end());
      sent.clear();
    }
    const std::size_t total = mine.message.size();
    for (std::size_t at = 0; at < total; at += most) {
      const std::size_t size = std::min(most, total - at);
      messages.send_with_tail(
          first_core_of(to),
          PieceMessage{state_, mine.parity, static_cast<std::uint64_t>(this_locale()), at, total,
                       size},
          mine.message.data() + at, size, nullptr);
    }
    messages.flush_to(first_core_of(to));
  }
  if (mine.inbox[mine.parity].complete == locale_count() - 1) return;
  internal::Scheduler& scheduler = internal::this_scheduler();
  mine.waiter = &scheduler.current();
  scheduler.suspend("the other locales, at the end of a superstep");
}

std::span<const std::byte> Supersteps::arrived(int from) const {
  const State& mine = **state_.data();
  return mine.inbox[mine.parity].from[static_cast<std::size_t>(from)];
}

void Supersteps::end_exchange() const {
  State& mine = **state_.data();
  State::Inbox& inbox = mine.inbox[mine.parity];
  for (State::Bytes& bytes : inbox.from) bytes.clear();
  std::ranges::fill(inbox.received, 0);
  inbox.complete = 0;
  mine.parity ^= 1;
}

}  // namespace grappa::graph
