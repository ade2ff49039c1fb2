#pragma once

// Bulk operations: many addresses in one call.
//
//   std::vector<GlobalAddress<int64_t>> where(1000);
//   …                                               // all of them set
//   std::vector<int64_t> values(where.size());
//   delegate::gather<int64_t>(where, values);       // values[i] = what where[i] holds
//   delegate::scatter<int64_t>(where, values);      // writes them
//
// In a coroutine: co_await co::gather<int64_t>(where, values), and co::scatter.
//
// A gather sends blocks of references to each home; the home writes the values over the references,
// with a prefetch ahead, and the same block comes back. So a word costs 8 bytes each way and
// nothing is copied at the home. Blocks of all homes are in flight at once. A few references make
// no block: those of one home are one small message, which travels with those of other tasks (or
// one message each: Config::combining).
//
// Both switch tasks and return when everything is done. The operations of one call are not ordered
// among themselves, and each is atomic; they see what the caller wrote before the call. Element
// types are trivially copyable. Errors: UsageError when the spans differ in length.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "grappa/delegate/awaitable.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/sync/awaitable.hpp"

namespace grappa {

namespace internal {

/// Up to so many references are sent in small messages.
inline constexpr std::int64_t kFewReferences = 64;

/// The state of a gather at the core that asked; its blocks carry the address of it.
struct GatherState {
  std::int64_t blocks_out = 0;
  bool all_sent = false;
  Suspended waiter;
  std::vector<std::vector<std::int64_t>> positions;  // of each block slot: where its values go
  std::vector<std::uint32_t> free_slots;
  void* out = nullptr;
  std::array<std::uint8_t, kFewReferences> order;  // of a few: by home

  void block_is_back(Core& core) {
    --blocks_out;
    if (waiter) core.scheduler->wake(std::exchange(waiter, {}));
  }
};

struct GatherHeader {
  GatherState* state;
  std::uint32_t slot;
  std::uint32_t count;
};

/// Bytes between the entries of a block: a reference, later a value.
template <class T>
inline constexpr std::size_t kGatherStride = sizeof(T) <= 8 ? 8 : (sizeof(T) + 7) / 8 * 8;

inline void wait_for_gather(GatherState& state) {
  Scheduler& scheduler = this_scheduler();
  while (state.blocks_out > 0) {
    state.waiter = &scheduler.current();
    scheduler.suspend("a gather");
  }
}

/// Until a block comes back.
class GatherAwaiter {
 public:
  explicit GatherAwaiter(GatherState& state) : state_(state) {}
  bool await_ready() const { return state_.blocks_out == 0; }
  template <GrappaPromise Promise>
  void await_suspend(std::coroutine_handle<Promise> self) {
    me_ = CoroutinePromise::suspend(self, "a gather");
    state_.waiter = Suspended(&me_);
  }
  void await_resume() const noexcept {}

 private:
  GatherState& state_;
  Resumption me_;
};

/// The values came back.
template <class T>
struct GatherReplyMessage {
  GatherHeader header;
  void operator()(RunContext& context) noexcept {
    GatherState& state = *header.state;
    const auto* values = reinterpret_cast<const std::byte*>(this + 1);
    const std::int64_t* positions = state.positions[header.slot].data();
    T* out = static_cast<T*>(state.out);
    for (std::uint32_t i = 0; i < header.count; ++i) {
      std::memcpy(static_cast<void*>(out + positions[i]), values + i * kGatherStride<T>, sizeof(T));
    }
    state.free_slots.push_back(header.slot);
    state.block_is_back(context.core);
  }
};

/// References to read; they become values and go back.
template <class T>
struct GatherMessage {
  GatherHeader header;
  void operator()(RunContext& context) noexcept {
    auto* entries = reinterpret_cast<std::byte*>(this + 1);
    const Core& core = context.core;
    const auto reference = [&](std::uint32_t i) {
      LocalReference r;
      std::memcpy(&r, entries + i * kGatherStride<T>, sizeof r);
      return r.resolve(core);
    };
    const auto ahead = static_cast<std::uint32_t>(core.locale.config.batch_prefetch);
    const std::uint32_t primed = std::min(ahead, header.count);
    for (std::uint32_t i = 0; i < primed; ++i) __builtin_prefetch(reference(i));
    for (std::uint32_t i = 0; i < header.count; ++i) {
      if (i + ahead < header.count) __builtin_prefetch(reference(i + ahead));
      std::memcpy(entries + i * kGatherStride<T>, reference(i), sizeof(T));
    }
    context.core.messages->send_back<GatherReplyMessage<T>>(context);
  }
};

/// The values of a few references, which follow; those from the first-th in `order` on.
template <class T>
struct FewValuesMessage {
  GatherState* state;
  std::uint32_t first;
  std::uint32_t count;
  void operator()(RunContext& context) noexcept {
    const auto* values = reinterpret_cast<const std::byte*>(this + 1);
    T* out = static_cast<T*>(state->out);
    for (std::uint32_t i = 0; i < count; ++i)
      std::memcpy(static_cast<void*>(out + state->order[first + i]), values + i * sizeof(T),
                  sizeof(T));
    state->block_is_back(context.core);
  }
};

/// A few references, which follow, for the core that asks.
template <class T>
struct FewReferencesMessage {
  FewValuesMessage<T> answer;
  std::uint64_t asker;
  void operator()(RunContext& context) noexcept {
    const auto* references = reinterpret_cast<const LocalReference*>(this + 1);
    for (std::uint32_t i = 0; i < answer.count; ++i)
      __builtin_prefetch(references[i].resolve(context.core));
    const auto write = [&](std::byte* to) {
      for (std::uint32_t i = 0; i < answer.count; ++i)
        std::memcpy(to + i * sizeof(T), references[i].resolve(context.core), sizeof(T));
    };
    context.core.messages->send_writing(static_cast<int>(asker), answer, answer.count * sizeof(T),
                                        write, nullptr, context.last);
  }
};

/// Starts a gather of a few elements.
template <class T, class PlaceOf>
void start_few(GatherState& state, std::int64_t n, const PlaceOf& place, T* out) {
  Core& me = here();
  struct Place {
    int core;
    LocalReference local;
  };
  std::array<Place, kFewReferences> places;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [core, local] = place(i);
    places[static_cast<std::size_t>(i)].core = core;
    std::memcpy(&places[static_cast<std::size_t>(i)].local, &local, sizeof local);
    state.order[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  }
  std::sort(state.order.begin(), state.order.begin() + n,
            [&](std::uint8_t a, std::uint8_t b) { return places[a].core < places[b].core; });
  state.out = out;
  const bool together = me.locale.config.combining;
  std::array<LocalReference, kFewReferences> references;
  for (std::uint32_t first = 0; first < n;) {
    const int core = places[state.order[first]].core;
    std::uint32_t end = first;
    do {
      references[end] = places[state.order[end]].local;
      ++end;
    } while (end < n && places[state.order[end]].core == core && (together || core == me.id));
    if (core == me.id) {
      for (; first < end; ++first)
        std::memcpy(static_cast<void*>(out + state.order[first]), references[first].resolve(me),
                    sizeof(T));
      continue;
    }
    ++state.blocks_out;
    me.messages->send_with_tail(
        core,
        FewReferencesMessage<T>{{&state, first, end - first}, static_cast<std::uint64_t>(me.id)},
        references.data() + first, (end - first) * sizeof(LocalReference), nullptr, true);
    first = end;
  }
}

/// Starts out[i] = the element at place(i), for i in [0, n); done when all blocks are back. `place`
/// returns GlobalAddress<T>::Place.
template <class T, class PlaceOf>
void start_gather(GatherState& state, std::int64_t n, PlaceOf place, T* out) {
  static_assert(kIsSendable<T>, "grappa: gathered elements must be trivially copyable");
  if (n <= kFewReferences && sizeof(T) <= 64) return start_few(state, n, place, out);
  Core& me = here();
  Aggregator& messages = *me.messages;
  struct OpenBlock {
    Chunk* chunk = nullptr;
    std::byte* next = nullptr;
    std::int64_t* positions = nullptr;
    std::uint32_t count = 0;
    std::uint32_t slot = 0;
  };
  const auto most = static_cast<std::uint32_t>((messages.largest_message() - sizeof(GatherHeader)) /
                                               kGatherStride<T>);
  if (most == 0) {  // each fills a message by itself
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [core, local] = place(i);
      const T element = delegate::call(core, [reference = local] {
        return *reinterpret_cast<const T*>(reference.resolve(here()));
      });
      std::memcpy(static_cast<void*>(out + i), static_cast<const void*>(&element), sizeof element);
    }
    return;
  }
  state.out = out;
  std::vector<OpenBlock> open(static_cast<std::size_t>(me.locale.core_count()));
  const auto send = [&](int core) {
    OpenBlock& block = open[static_cast<std::size_t>(core)];
    *reinterpret_cast<GatherHeader*>(Aggregator::message_of(block.chunk)) = {&state, block.slot,
                                                                             block.count};
    ++state.blocks_out;
    messages.send_chunk<GatherMessage<T>>(
        core, block.chunk, sizeof(GatherHeader) + block.count * kGatherStride<T>, nullptr);
    block = OpenBlock{};
  };
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [core, local] = place(i);
    OpenBlock& block = open[static_cast<std::size_t>(core)];
    if (block.chunk == nullptr) {
      block.chunk = messages.acquire_chunk(core);  // may switch tasks: replies arrive meanwhile
      block.next = Aggregator::message_of(block.chunk) + sizeof(GatherHeader);
      block.count = 0;
      if (state.free_slots.empty()) {
        state.free_slots.push_back(static_cast<std::uint32_t>(state.positions.size()));
        state.positions.emplace_back(most);
      }
      block.slot = state.free_slots.back();
      state.free_slots.pop_back();
      block.positions = state.positions[block.slot].data();
    }
    std::memcpy(block.next, &local, sizeof local);
    block.next += kGatherStride<T>;
    block.positions[block.count++] = i;
    if (block.count == most) send(core);
  }
  for (int core = 0; core < me.locale.core_count(); ++core) {
    if (open[static_cast<std::size_t>(core)].count != 0) send(core);
  }
}

template <class T, class PlaceOf>
void gather_places(std::int64_t n, PlaceOf place, T* out) {
  GatherState state;
  start_gather(state, n, place, out);
  wait_for_gather(state);
}

}  // namespace internal

namespace delegate {
namespace detail {

template <class T>
void start_gather(internal::GatherState& state, std::span<const GlobalAddress<T>> addresses,
                  std::span<T> out, const internal::CallSite& where) {
  if (addresses.size() != out.size())
    internal::refuse_lengths(where, "gather", "results", "addresses");
  internal::start_gather<T>(
      state, static_cast<std::int64_t>(addresses.size()),
      [&](std::int64_t i) {
        return internal::place_in_use(addresses[static_cast<std::size_t>(i)]);
      },
      out.data());
}

template <class T>
void start_scatter(CompletionEvent& done, std::span<const GlobalAddress<T>> addresses,
                   std::span<const T> values, const internal::CallSite& where) {
  if (addresses.size() != values.size())
    internal::refuse_lengths(where, "scatter", "values", "addresses");
  for (std::size_t i = 0; i < addresses.size(); ++i) async::write(done, addresses[i], values[i]);
}

}  // namespace detail

/// out[i] = the value at addresses[i].
template <class T>
void gather(std::span<const GlobalAddress<T>> addresses, std::span<std::type_identity_t<T>> out,
            internal::CallSite where = internal::CallSite::current()) {
  internal::GatherState state;
  detail::start_gather<T>(state, addresses, out, where);
  internal::wait_for_gather(state);
}

/// Writes values[i] to addresses[i]. Of several values for one address, any one stays.
template <class T>
void scatter(std::span<const GlobalAddress<T>> addresses,
             std::span<const std::type_identity_t<T>> values,
             internal::CallSite where = internal::CallSite::current()) {
  CompletionEvent done;
  detail::start_scatter<T>(done, addresses, values, where);
  done.wait();
}

}  // namespace delegate

namespace co {

/// The same, awaited. What the spans refer to stays until then.
template <class T>
Coroutine<> gather(std::span<const GlobalAddress<T>> addresses,
                   std::span<std::type_identity_t<T>> out,
                   internal::CallSite where = internal::CallSite::current()) {
  internal::GatherState state;
  delegate::detail::start_gather<T>(state, addresses, out, where);
  while (state.blocks_out > 0) co_await internal::GatherAwaiter(state);
}

template <class T>
Coroutine<> scatter(std::span<const GlobalAddress<T>> addresses,
                    std::span<const std::type_identity_t<T>> values,
                    internal::CallSite where = internal::CallSite::current()) {
  CompletionEvent done;
  delegate::detail::start_scatter<T>(done, addresses, values, where);
  co_await wait(done);
}

}  // namespace co
}  // namespace grappa
