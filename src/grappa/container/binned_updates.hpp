#pragma once

// BinnedUpdates: asynchronous updates of a large array that wait, sorted by address, until many of
// them touch each cache line.
//
//   auto bins = BinnedIncrements<int64_t>::create(table);
//   forall(0, n, [=](int64_t i) { bins.increment(index(i)); });   // all applied when it returns
//   bins.destroy();
//
// On a table that is much larger than the caches, every single update fetches a line from memory.
// Binned by address first and applied bin by bin, a line is fetched once for all the updates that
// wait for it; with buffers of half the table's size that beats the plain shared-memory loop
// (propagation blocking: S. Beamer, K. Asanović, D. Patterson, "Reducing PageRank communication via
// propagation blocking", IPDPS 2017).
//
// Each core keeps up to Config::bin_bytes (--bin-size) of pending updates. They belong to the
// completion event of whoever made them, and are applied when their core has nothing else to do (at
// the latest while that event is waited for) or when the bins are full. Updates are applied at the
// home core, in no particular order; those of one location never overlap. If Op has
// merge(const Op& next), which makes it do what both do one after the other, updates of one element
// that wait near one another go to another locale as one (unless Config::combining is off).
//
// The object is a handle: trivially copyable. create and destroy are called by one task and switch
// tasks; no update may be pending at destroy. update() may switch tasks when the bins are full. The
// array must have the block distribution. UsageError for an index that is out of range; when the
// array is not live, at create, when updates begin to wait and when they leave the bins; and for
// bins that were destroyed already, also through a copy. Debug builds check both handles at each
// update.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "grappa/container/bin_store.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa {

/// Op, called as op(T&), applied to elements of a GlobalArray<T> in batches sorted by address.
template <class T, class Op>
class BinnedUpdates {
  static_assert(kIsSendable<Op> && std::is_invocable_v<const Op&, T&>);

 public:
  BinnedUpdates() = default;

  /// Throws UsageError unless the array has the block distribution.
  static BinnedUpdates create(GlobalArray<T> array,
                              internal::CallSite where = internal::CallSite::current()) {
    array.require_live("BinnedUpdates::create", &where);
    if (array.distribution() != Distribution::kBlock)
      throw UsageError("BinnedUpdates: the array must have the block distribution");
    BinnedUpdates b;
    b.array_ = array;
    const auto cores = static_cast<std::uint64_t>(core_count());
    const auto per_core = std::max<std::uint64_t>(1, kBins / cores);
    const auto block = static_cast<std::uint64_t>(array.block());
    const std::uint64_t width = std::bit_ceil(
        std::max<std::uint64_t>({1, (block + per_core - 1) / per_core, kMinBin / sizeof(T)}));
    b.width_shift_ = std::countr_zero(width);
    if (b.width_shift_ > 31) throw UsageError("BinnedUpdates: more than 2^31 elements a bin");
    b.bins_per_core_ = static_cast<std::int32_t>((block + width - 1) / width);
    b.stores_ = symmetric_alloc<State*>();
    b.id_ = internal::new_handle();
    internal::register_handle(b.id_);
    on_all_cores([b] {
      const std::size_t bins =
          static_cast<std::size_t>(b.bins_per_core_) * static_cast<std::size_t>(core_count());
      auto* state = new State(bins, internal::here().locale.config.bin_bytes);
      state->self = b;
      b.stores_.local() = state;
      internal::this_scheduler().add_idle_hook(&drain_hook, state);
    });
    return b;
  }

  /// Throws UsageError while updates are pending.
  void destroy() {
    const BinnedUpdates b = *this;
    internal::require_live(id_, "BinnedUpdates::destroy");
    on_all_cores([b] {
      if (b.stores_.local()->scope != nullptr) {
        throw UsageError(
            "BinnedUpdates::destroy: updates are pending; wait for the event that they belong to");
      }
    });
    internal::retire_handle(id_, "BinnedUpdates::destroy");
    on_all_cores([b] {
      State* state = b.stores_.local();
      internal::this_scheduler().remove_idle_hook(state);
      delete state;
    });
    symmetric_free(stores_);
    *this = BinnedUpdates();
    id_ = internal::kDestroyedHandle;
  }

  /// Applies op(element i) some time before the enclosing event finishes.
  void update(std::int64_t i, const Op& op = {}) const {
    internal::require_live_if_checked(id_, "BinnedUpdates::update");
    array_.require_index(i);
    State& state = *stores_.local();
    internal::CompletionShare* scope = internal::enclosing_scope();
    if (state.scope != scope) [[unlikely]]
      make_room(state, scope);
    const auto [home, local] = array_.position_in_blocks(i);
    const std::size_t bin =
        static_cast<std::size_t>(home) * static_cast<std::size_t>(bins_per_core_) +
        static_cast<std::size_t>(local >> width_shift_);
    const Entry entry{static_cast<std::uint32_t>(local & ((std::uint64_t{1} << width_shift_) - 1)),
                      op};
    std::memcpy(state.store.place(bin, sizeof(Entry)), static_cast<const void*>(&entry),
                sizeof entry);
    if (state.store.appended(bin)) [[unlikely]]
      make_room(state, scope);
  }

  /// Adds one to element i some time before the enclosing event finishes.
  void increment(std::int64_t i) const
    requires std::is_same_v<Op, internal::AddOne<T>>
  {
    update(i);
  }

 private:
  static constexpr std::uint64_t kBins =
      1024;  // of all cores: their open lines stay in the second-level cache
  static constexpr std::uint64_t kMinBin =
      256 << 10;  // bytes of the array a bin: it stays in the cache while it is applied

  struct Entry {
    std::uint32_t offset;  // within the bin
    [[no_unique_address]] Op op;
  };
  static_assert(sizeof(Entry) <= internal::kLineBytes);

  static Entry entry_at(const std::byte* entries, std::uint64_t i) {
    Entry entry;
    std::memcpy(static_cast<void*>(&entry), entries + i * sizeof(Entry), sizeof entry);
    return entry;
  }

  static constexpr bool kMerges =
      std::is_default_constructible_v<Op> && requires(Op op, const Op& next) { op.merge(next); };

  /// Entries of one bin on their way. The last of each slot waits there for others of its element.
  class MergedRun {
   public:
    MergedRun() { waiting_.fill({.offset = kFree, .op = {}}); }

    /// use(bytes of entries, how many) when there are many.
    template <class Use>
    void add(const Entry& entry, const Use& use) {
      Entry& there = waiting_[entry.offset % kSlots];
      if (there.offset == entry.offset) {
        there.op.merge(entry.op);
      } else {
        leave(there, use);
        there = entry;
      }
    }
    template <class Use>
    void finish(const Use& use) {
      for (const Entry& there : waiting_) leave(there, use);
      if (count_ > 0) use(reinterpret_cast<const std::byte*>(out_.data()), count_);
    }

   private:
    static constexpr std::size_t kSlots = 256;
    static constexpr std::uint32_t kFree = UINT32_MAX;  // bins are narrower

    template <class Use>
    void leave(const Entry& entry, const Use& use) {
      if (entry.offset == kFree) return;
      out_[count_++] = entry;
      if (count_ < out_.size()) return;
      use(reinterpret_cast<const std::byte*>(out_.data()), count_);
      count_ = 0;
    }

    std::array<Entry, kSlots> waiting_;
    std::array<Entry, internal::BinBlock::kBytes / sizeof(Entry)> out_;
    std::size_t count_ = 0;
  };

  struct State {
    State(std::size_t bins, std::size_t bytes) : store(bins, bytes, sizeof(Entry)) {}
    internal::BinStore store;
    internal::CompletionShare* scope = nullptr;  // of the pending updates; counts them as one
    BinnedUpdates self;
  };

  /// The chains of one home core's bins, on their way.
  struct Handover {
    State* from;
    std::vector<internal::BinBlock*> chains;
  };

  /// Entries of one bin for another locale; they follow the message.
  struct RemoteMessage {
    BinnedUpdates self;
    std::uint64_t bin;  // of the receiving core
    std::uint64_t count;
    void operator()(internal::RunContext&) {
      self.apply(static_cast<std::size_t>(bin), reinterpret_cast<const std::byte*>(this + 1),
                 count);
    }
  };

  /// Drains what belongs to another event, or fills the pool.
  void make_room(State& state, internal::CompletionShare* scope) const {
    array_.require_live("BinnedUpdates::update");
    internal::Scheduler& scheduler = internal::this_scheduler();
    // Draining and waiting let other tasks of this core fill the bins, hence the loop.
    while (state.scope != scope || state.store.exhausted()) {
      if (state.scope != nullptr) {
        drain(state);
        continue;
      }
      // Most of what was handed out must have been applied first. A delegate cannot wait and goes
      // beyond the pool.
      state.store.collect();
      if (scheduler.may_suspend() && state.store.blocks_out() > state.store.bins()) {
        scheduler.yield_to_main();
        continue;
      }
      state.scope = scope;
      internal::here().ledger->add(*scope);
      return;
    }
  }

  static bool drain_hook(void* argument) {
    auto& state = *static_cast<State*>(argument);
    if (state.scope == nullptr) return false;
    state.self.drain(state);
    return true;
  }

  /// Hands all pending updates to their homes, as work of their event.
  void drain(State& state) const {
    array_.require_live("BinnedUpdates::update");
    internal::Core& me = internal::here();
    internal::CompletionShare* scope = state.scope;
    const auto per_core = static_cast<std::size_t>(bins_per_core_);
    std::vector<std::unique_ptr<Handover>> handovers(
        static_cast<std::size_t>(me.locale.core_count()));
    for (std::size_t bin = 0; bin < state.store.bins(); ++bin) {
      internal::BinBlock* chain = state.store.take(bin);
      if (chain == nullptr) continue;
      std::unique_ptr<Handover>& handover = handovers[bin / per_core];
      if (handover == nullptr) {
        handover = std::make_unique<Handover>();
        handover->from = &state;
        handover->chains.resize(per_core);
      }
      handover->chains[bin % per_core] = chain;
    }
    internal::BinStore::fence();
    state.store.drained();
    state.scope = nullptr;
    // From here on other tasks may fill the bins anew: sending may switch tasks.
    for (int home = 0; home < me.locale.core_count(); ++home) {
      Handover* sent = handovers[static_cast<std::size_t>(home)].release();
      if (sent == nullptr) continue;
      const BinnedUpdates self = *this;
      const auto apply_there = [self, sent] { self.apply_handover(sent); };
      if (home == me.id) {
        internal::spawn_here(scope, apply_there);
      } else if (me.locale.holds(home)) {
        // By pointer: both cores are of this locale, so the scan for pointers does not apply.
        internal::send_closure(*me.messages, home, internal::SpawnWay(), apply_there, scope);
        me.messages->flush_to(home);
      } else {
        internal::spawn_here(scope, [self, sent, home] { self.send_handover(sent, home); });
      }
    }
    me.ledger->finish(*scope);
  }

  void apply(std::size_t bin, const std::byte* entries, std::uint64_t count) const {
    T* base = array_.local().data() + (static_cast<std::uint64_t>(bin) << width_shift_);
    constexpr std::uint64_t kAhead = 32;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i + kAhead < count) __builtin_prefetch(base + entry_at(entries, i + kAhead).offset, 1);
      const Entry entry = entry_at(entries, i);
      entry.op(base[entry.offset]);
    }
  }

  template <class Use>
  static void for_each_run(internal::BinBlock* chain, const Use& use) {
    constexpr std::size_t kPerLine = internal::kLineBytes / sizeof(Entry);
    for (internal::BinBlock* block = chain; block != nullptr; block = block->next) {
      if constexpr (internal::kLineBytes % sizeof(Entry) == 0) {
        use(block->lines(), block->full_lines * kPerLine + block->last_entries);
      } else {
        for (std::uint32_t line = 0; line < block->full_lines; ++line)
          use(block->lines() + line * internal::kLineBytes, kPerLine);
        if (block->last_entries != 0)
          use(block->lines() + block->full_lines * internal::kLineBytes,
              std::size_t{block->last_entries});
      }
    }
  }

  /// As for_each_run; entries of one element that are near one another become one.
  template <class Use>
  static void for_each_merged_run(internal::BinBlock* chain, const Use& use) {
    if constexpr (kMerges) {
      const auto merged = std::make_unique<MergedRun>();
      for_each_run(chain, [&](const std::byte* entries, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) merged->add(entry_at(entries, k), use);
      });
      merged->finish(use);
    } else {
      for_each_run(chain, use);
    }
  }

  void apply_handover(Handover* raw) const {
    const std::unique_ptr<Handover> handover(raw);
    for (std::size_t bin = 0; bin < handover->chains.size(); ++bin) {
      internal::BinBlock* chain = handover->chains[bin];
      for_each_run(
          chain, [&](const std::byte* entries, std::size_t count) { apply(bin, entries, count); });
      handover->from->store.give_back(chain);
      internal::this_scheduler().between_units();
    }
  }

  void send_handover(Handover* raw, int home) const {
    const std::unique_ptr<Handover> handover(raw);
    const bool combines = internal::here().locale.config.combining;
    for (std::size_t bin = 0; bin < handover->chains.size(); ++bin) {
      internal::BinBlock* chain = handover->chains[bin];
      const auto send = [&](const std::byte* entries, std::size_t count) {
        internal::here().messages->send_with_tail(home, RemoteMessage{*this, bin, count}, entries,
                                                  count * sizeof(Entry),
                                                  internal::enclosing_scope());
      };
      if (combines) {
        for_each_merged_run(chain, send);
      } else {
        for_each_run(chain, send);
      }
      handover->from->store.give_back(chain);
    }
  }

  GlobalArray<T> array_;
  SymmetricAddress<State*> stores_;
  std::int32_t width_shift_ = 0;
  std::int32_t bins_per_core_ = 1;
  internal::HandleId id_;
};

/// Adds one to elements.
template <class T>
using BinnedIncrements = BinnedUpdates<T, internal::AddOne<T>>;

/// Adds values to elements: update(i, {value}).
template <class T>
using BinnedAdds = BinnedUpdates<T, internal::Add<T>>;

}  // namespace grappa
