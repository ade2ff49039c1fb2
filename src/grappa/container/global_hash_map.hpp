#pragma once

// GlobalHashMap<K, V>: a hash map over all cores.
//
//   auto counts = GlobalHashMap<ShortString<23>, int64_t>::create();
//   forall(0, n, [=](int64_t i) { counts.upsert_async(word(i), 1, std::plus<>{}); });
//   std::optional<int64_t> the = counts.find("the");
//   counts.forall([](const ShortString<23>& word, int64_t& count) { … });   // at the home cores
//   counts.destroy();
//
// The operations:
//   insert            adds a key; one that is there keeps its value. Returns whether it was new.
//   insert_or_assign  adds a key or overwrites its value. Returns whether it was new.
//   upsert            adds a key, or sets its value to combine(old, given). Returns the value.
//   find, contains, erase
//   issue_insert, issue_upsert, issue_find, issue_erase    the same, split phase: a Handle, whose
//                     complete() or co_await gives the answer
//   insert_async, upsert_async    the same without an answer, some time before the enclosing event
//                     (or the one given first) finishes: aggregated, and applied with a prefetch
//
// `combine(V& old, const V& given)` returns the new value, or changes `old` itself. It runs at the
// home core of the key and must not suspend. Each operation is atomic: a delegate at the home core,
// with the order that delegates have (delegate/delegate.hpp).
//
// Keys: see key_traits.hpp; V: trivially copyable. With std::string keys the operations take a
// std::string_view of up to 2,046 characters.
//
// Each core keeps its part of the keys in a table of its own, which grows by itself. The object is
// a handle: trivially copyable, captured by value; a map that is not destroyed keeps its memory
// beyond the run. create, destroy, size, clear and forall are called by one task; they, and the
// operations that answer, switch tasks. `local_` functions work on this core's part, at once and
// without messages.
//
// Every operation refuses a handle that was never created, was destroyed (also through a copy) or
// is of an earlier run: UsageError.
//
// During a forall values may change, but keys may not be added or erased: UsageError. UsageError,
// too, when a locale does not have enough memory to grow. As always, errors at another core arrive
// as RemoteError, from operations that answer or from the event of those that do not.

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

#include "grappa/container/hash_table.hpp"
#include "grappa/container/key_traits.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"

namespace grappa {

namespace internal {

/// What is done to a table: action(table, key, hash).
template <class V, class Combine>
struct UpsertAction {
  V value;
  [[no_unique_address]] Combine combine;
  template <class Table, class Key>
  V operator()(Table& table, const Key& key, std::uint64_t hash) const {
    auto [stored, is_new] = table.insert(key, hash, value);
    if (is_new) return stored;
    if constexpr (std::is_void_v<std::invoke_result_t<const Combine&, V&, const V&>>) {
      combine(stored, value);
    } else {
      stored = combine(stored, value);
    }
    return stored;
  }
};

template <class V, bool kOverwrite>
struct InsertAction {
  V value;
  template <class Table, class Key>
  bool operator()(Table& table, const Key& key, std::uint64_t hash) const {
    auto [stored, is_new] = table.insert(key, hash, value);
    if constexpr (kOverwrite) stored = value;
    return is_new;
  }
};

template <class V>
struct FindAction {
  template <class Table, class Key>
  std::optional<V> operator()(Table& table, const Key& key, std::uint64_t hash) const {
    const V* found = table.find(key, hash);
    return found == nullptr ? std::nullopt : std::optional<V>(*found);
  }
};

struct EraseAction {
  template <class Table, class Key>
  bool operator()(Table& table, const Key& key, std::uint64_t hash) const {
    return table.erase(key, hash);
  }
};

/// An action on its way to the home of its key.
template <class Table, class Key, class Action>
struct TableAction {
  LocalReference at;
  Key key;
  [[no_unique_address]] Action action;

  Table& table(const Core& core) const { return *reinterpret_cast<Table*>(at.resolve(core)); }
  [[gnu::always_inline]] void prefetch(const Core& core) const {
    table(core).prefetch(Table::hash_of(key));
  }
  auto run(const Core& core) const { return action(table(core), key, Table::hash_of(key)); }
};

template <class Table, class Key, class Action>
struct TableAsyncMessage {
  TableAction<Table, Key, Action> what;
  [[gnu::always_inline]] void prefetch(const Core& core) const { what.prefetch(core); }
  void operator()(RunContext& context) { what.run(context.core); }
};

template <class Table, class Key, class Action, class R>
struct TableCallMessage {
  ReplyTo<R> reply;
  TableAction<Table, Key, Action> what;
  [[gnu::always_inline]] void prefetch(const Core& core) const { what.prefetch(core); }
  void operator()(RunContext& context) noexcept {
    run_and_reply<R>(context, reply, [&]() -> R { return what.run(context.core); });
  }
};

/// The iterations of forall: the slots of the table at this core.
template <class Table, class F>
struct EachTableSlot {
  SymmetricAddress<Table> tables;
  [[no_unique_address]] F f;
  void operator()(std::int64_t first, std::int64_t last) { tables->for_each(first, last, f); }
};

}  // namespace internal

/// A handle of a hash map that is distributed over all cores.
template <class K, class V>
class GlobalHashMap {
  static_assert(kIsSendable<V>, "grappa: values of a GlobalHashMap are trivially copyable");
  static_assert(internal::require_shared_object<K>() && internal::require_shared_object<V>());
  using Table = internal::HashTable<K, V>;

 public:
  using Argument = typename Table::Argument;  // const K&, or std::string_view

  GlobalHashMap() = default;

  /// An empty map with room for `expected` keys before its tables grow.
  [[nodiscard("create returns the handle")]] static GlobalHashMap create(
      std::int64_t expected = 0, internal::CallSite where = internal::CallSite::current()) {
    constexpr std::int64_t kMost = std::int64_t{1} << 46;  // the bytes of their slots can be said
    if (expected < 0)
      throw UsageError(internal::place_prefix(&where) + "GlobalHashMap: a negative number of keys");
    if (expected > kMost) {
      throw UsageError(internal::place_prefix(&where) +
                       "GlobalHashMap: more keys are expected than any machine has memory for");
    }
    GlobalHashMap map;
    map.tables_ = symmetric_alloc<Table>();
    map.id_ = internal::new_handle();
    internal::register_handle(map.id_);
    if (expected > 0) {
      // The number of keys that fall on one core stays within a few standard deviations of the
      // mean.
      const double mean = static_cast<double>(expected) / core_count();
      const auto part = static_cast<std::int64_t>(mean + 4 * std::sqrt(mean));
      try {
        on_all_cores([tables = map.tables_, part] { tables->reserve(part); });
      } catch (...) {
        map.destroy();
        throw;
      }
    }
    return map;
  }

  void destroy() {
    internal::retire_handle(id_, "GlobalHashMap::destroy");
    symmetric_free(tables_);
    *this = GlobalHashMap();
    id_ = internal::kDestroyedHandle;
  }

  bool insert(Argument key, const V& value,
              internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    return call(key, internal::InsertAction<V, false>{value});
  }
  bool insert_or_assign(Argument key, const V& value,
                        internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    return call(key, internal::InsertAction<V, true>{value});
  }
  template <class Combine>
  V upsert(Argument key, const V& value, Combine combine,
           internal::CallSite where = internal::CallSite::current()) const {
    check_update(value, combine, where);
    return call(key, internal::UpsertAction<V, Combine>{value, combine});
  }
  std::optional<V> find(Argument key) const { return call(key, internal::FindAction<V>{}); }
  bool contains(Argument key) const { return find(key).has_value(); }
  bool erase(Argument key) const { return call(key, internal::EraseAction{}); }

  Handle<bool> issue_insert(Argument key, const V& value,
                            internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    return issue(key, internal::InsertAction<V, false>{value});
  }
  template <class Combine>
  Handle<V> issue_upsert(Argument key, const V& value, Combine combine,
                         internal::CallSite where = internal::CallSite::current()) const {
    check_update(value, combine, where);
    return issue(key, internal::UpsertAction<V, Combine>{value, combine});
  }
  Handle<std::optional<V>> issue_find(Argument key) const {
    return issue(key, internal::FindAction<V>{});
  }
  Handle<bool> issue_erase(Argument key) const { return issue(key, internal::EraseAction{}); }

  void insert_async(Argument key, const V& value,
                    internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    send(internal::enclosing_scope(), key, internal::InsertAction<V, false>{value});
  }
  void insert_async(CompletionEvent& event, Argument key, const V& value,
                    internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    send(&event.share(), key, internal::InsertAction<V, false>{value});
  }
  template <class Combine>
  void upsert_async(Argument key, const V& value, Combine combine,
                    internal::CallSite where = internal::CallSite::current()) const {
    check_update(value, combine, where);
    send(internal::enclosing_scope(), key, internal::UpsertAction<V, Combine>{value, combine});
  }
  template <class Combine>
  void upsert_async(CompletionEvent& event, Argument key, const V& value, Combine combine,
                    internal::CallSite where = internal::CallSite::current()) const {
    check_update(value, combine, where);
    send(&event.share(), key, internal::UpsertAction<V, Combine>{value, combine});
  }

  /// Keys on all cores.
  std::int64_t size() const {
    require_live("GlobalHashMap::size");
    return reduce_cores([tables = tables_] { return tables->size(); }, std::int64_t{0},
                        std::plus<>{});
  }

  /// Removes all keys and gives their memory back.
  void clear() const {
    require_live("GlobalHashMap::clear");
    on_all_cores([tables = tables_] { tables->clear(); });
  }

  /// body(const K&, V&) for every entry, at its home core. Waits for all that it causes.
  template <class F>
  void forall(F body, internal::CallSite where = internal::CallSite::current()) const {
    static_assert(std::is_invocable_v<F&, const K&, V&>,
                  "grappa: the body of this loop is called with a key and its value: "
                  "[=](const K& key, V& value) { ... }.");
    internal::require_closure<F>();
    internal::require_live(id_, "GlobalHashMap::forall", &where);
    internal::name_closure<internal::EachTableSlot<Table, F>>(where);
    on_all_cores(
        [tables = tables_, body] {
          Table& table = tables.local();
          const typename Table::Visit visit(table);
          CompletionEvent done;
          const std::int64_t slots = table.capacity();
          internal::run_range_inline(done.share(), 0, slots, internal::choose_grain(slots, 1, 0),
                                     internal::Reach::kCore,
                                     internal::EachTableSlot<Table, F>{tables, body});
          done.wait();
        },
        where);
  }

  /// visit(const K&, V&) for every entry of this core, now. It must not suspend.
  template <class F>
  void local_for_each(F visit) const {
    require_live("GlobalHashMap::local_for_each");
    Table& table = tables_.local();
    const typename Table::Visit guard(table);
    table.for_each(0, table.capacity(), visit);
  }
  /// Keys on this core.
  std::int64_t local_size() const {
    require_live("GlobalHashMap::local_size");
    return tables_->size();
  }

  /// The core that keeps the key.
  int home(Argument key) const { return home_of(Table::hash_of(key)); }

 private:
  static int home_of(std::uint64_t hash) {
    const auto cores = static_cast<std::uint64_t>(internal::here().locale.core_count());
    return static_cast<int>((hash >> 32) * cores >> 32);
  }

  template <class Action>
  auto call(Argument key, const Action& action) const {
    using R = std::invoke_result_t<const Action&, Table&, Argument, std::uint64_t>;
    require_live(kOperation);
    internal::Core& me = internal::here();
    const std::uint64_t hash = Table::hash_of(key);
    const int core = home_of(hash);
    if (core == me.id) {
      internal::KeyTraits<K>::require_allowed(key);
      return internal::run_here([&]() -> R { return action(tables_.local(), key, hash); });
    }
    internal::Reply<R> reply;
    ask(core, key, action, reply, true);
    reply.await("a hash map");
    return internal::take_value<R>(reply);
  }

  template <class Action>
  auto issue(Argument key, const Action& action) const {
    using R = std::invoke_result_t<const Action&, Table&, Argument, std::uint64_t>;
    require_live(kOperation);
    return Handle<R>([&](internal::Reply<R>& reply) { ask(home(key), key, action, reply, false); });
  }

  /// Sends an action to the home of its key, which answers.
  template <class Action, class R>
  void ask(int core, Argument key, const Action& action, internal::Reply<R>& reply,
           bool last) const {
    internal::Core& me = internal::here();
    const internal::LocalReference at = tables_.on(core).place().local;
    internal::KeyTraits<K>::with_message_form(key, [&](const auto& form) {
      using Message =
          internal::TableCallMessage<Table, std::remove_cvref_t<decltype(form)>, Action, R>;
      me.messages->send_last(core, Message{{me, reply}, {at, form, action}},
                             me.scheduler->current().scope, last);
    });
  }

  template <class Action>
  void send(internal::CompletionShare* scope, Argument key, const Action& action) const {
    require_live(kOperation);
    const int core = home(key);
    const internal::LocalReference at = tables_.on(core).place().local;
    internal::KeyTraits<K>::with_message_form(key, [&](const auto& form) {
      using Message =
          internal::TableAsyncMessage<Table, std::remove_cvref_t<decltype(form)>, Action>;
      internal::here().messages->send(core, Message{{at, form, action}}, scope);
    });
  }

  template <class Combine>
  static void check_update(const V& value, const Combine& combine,
                           const internal::CallSite& where) {
    internal::require_closure<Combine>();
    internal::Aggregator& messages = *internal::here().messages;
    messages.check_value(value, where);
    messages.check_payload(combine, where);
  }

  static constexpr const char* kOperation = "an operation on a GlobalHashMap";
  void require_live(const char* what) const { internal::require_live(id_, what); }

  SymmetricAddress<Table> tables_;
  internal::HandleId id_;
};

}  // namespace grappa
