#pragma once

// What the containers with keys have in common: a table of entries on each core, and operations
// that run at the home of their key.
//
// The high bits of a key's hash choose the core (key_traits.hpp). An operation is an action, called
// as action(table, key, hash) at the home, in one piece: blocking (call) or without an answer
// (send), aggregated with others and run with a prefetch ahead.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/container/hash_table.hpp"
#include "grappa/container/internal/saved_file.hpp"
#include "grappa/container/internal/span_call.hpp"
#include "grappa/container/key_traits.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"

namespace grappa::internal {

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

/// A key and an action that are not both plain bytes; they are serialized, behind the hash.
template <class Key, class Action>
struct KeyedWork {
  Key key;
  [[no_unique_address]] Action action;
  static constexpr auto kMembers = std::tuple(&KeyedWork::key, &KeyedWork::action);
};

template <class Table>
struct TableWay {
  LocalReference at;
  std::uint64_t hash;
  Table& table(const Core& core) const { return *reinterpret_cast<Table*>(at.resolve(core)); }
  [[gnu::always_inline]] void prefetch(const Core& core) const { table(core).prefetch(hash); }
  template <class Work>
  void operator()(RunContext& context, const Work& work) const {
    work.action(table(context.core), work.key, hash);
  }
};

template <class Table, class R>
struct TableCallWay {
  ReplyTo<R> reply;
  TableWay<Table> to;
  [[gnu::always_inline]] void prefetch(const Core& core) const { to.prefetch(core); }
  template <class Work>
  void operator()(RunContext& context, const Work& work) const noexcept {
    run_and_reply<R>(context, reply,
                     [&]() -> R { return work.action(to.table(context.core), work.key, to.hash); });
  }
};

/// The iterations of forall: the slots of the table at this core.
template <class Table, class F>
struct EachTableSlot {
  SymmetricAddress<Table> tables;
  [[no_unique_address]] F f;
  void operator()(std::int64_t first, std::int64_t last) { tables->for_each(first, last, f); }
};

/// Throws UsageError for a number of keys that a container cannot have been expected to hold.
void require_expected(std::int64_t expected, const char* container, const CallSite& where);

/// Entries of key K and value V over all cores, of the container that `Owner` names: a handle,
/// trivially copyable.
template <class K, class V, class Owner = InHashMap>
class KeyedTables {
 public:
  using Table = HashTable<K, V, Owner>;
  using Argument = typename Table::Argument;  // const K&, or std::string_view

  /// With room for `expected` keys. `where` is for the error.
  void create(std::int64_t expected, const CallSite& where) {
    require_expected(expected, Owner::kName, where);
    tables_ = symmetric_alloc<Table>();
    id_ = new_handle();
    register_handle(id_);
    if (expected == 0) return;
    // The number of keys that fall on one core stays within a few standard deviations of the mean.
    const double mean = static_cast<double>(expected) / core_count();
    const auto part = static_cast<std::int64_t>(mean + 4 * std::sqrt(mean));
    try {
      on_all_cores([tables = tables_, part] { tables->reserve(part); });
    } catch (...) {
      destroy(Owner::kName);
      throw;
    }
  }
  void destroy(const char* what) {
    retire_handle(id_, what);
    symmetric_free(tables_);
    *this = KeyedTables();
    id_ = kDestroyedHandle;
  }

  void require_live(const char* what, const CallSite* where = nullptr) const {
    internal::require_live(id_, what, where);
  }

  /// This core's.
  Table& local() const { return tables_.local(); }
  const SymmetricAddress<Table>& tables() const { return tables_; }

  int home(Argument key) const { return home_of(Table::hash_of(key)); }

  std::int64_t size(const char* what) const {
    require_live(what);
    return reduce_cores([tables = tables_] { return tables->size(); }, std::int64_t{0},
                        std::plus<>{});
  }
  void clear(const char* what) const {
    require_live(what);
    on_all_cores([tables = tables_] { tables->clear(); });
  }

  /// What the action returns at the home of the key. Switches tasks unless that is here.
  template <class Action>
  auto call(Argument key, const Action& action, const char* what) const {
    using R = std::invoke_result_t<const Action&, Table&, Argument, std::uint64_t>;
    require_live(what);
    Core& me = here();
    const std::uint64_t hash = Table::hash_of(key);
    const int core = home_of(hash);
    if (core == me.id) {
      KeyTraits<K>::require_allowed(key);
      return run_here([&]() -> R { return action(tables_.local(), key, hash); });
    }
    Reply<R> reply;
    ask(hash, key, action, reply, true);
    reply.await("a container with keys");
    return take_value<R>(reply);
  }
  /// The same, split phase.
  template <class Action>
  auto issue(Argument key, const Action& action, const char* what) const {
    using R = std::invoke_result_t<const Action&, Table&, Argument, std::uint64_t>;
    require_live(what);
    return Handle<R>([&](Reply<R>& reply) { ask(Table::hash_of(key), key, action, reply, false); });
  }

  /// out[i] = what the action, which changes nothing, returns for keys[i], in one message for each
  /// home. A key that is there several times is asked for once. UsageError when the spans differ in
  /// length.
  template <class R, class Action>
  void call_each(std::span<const K> keys, std::span<R> out, const Action& action, const char* what,
                 const CallSite& where) const {
    require_live(what, &where);
    if (keys.size() != out.size()) refuse_lengths(where, what, "results", "keys");
    struct Asked {
      std::vector<K> keys;
      std::vector<std::size_t> positions;
    };
    std::vector<Asked> asked(static_cast<std::size_t>(core_count()));
    HashTable<K, std::size_t> first;                            // position of the first one alike
    std::vector<std::pair<std::size_t, std::size_t>> repeated;  // position, and that of the first
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto [position, is_new] = first.insert(keys[i], Table::hash_of(keys[i]), i);
      if (!is_new) {
        repeated.emplace_back(i, position);
        continue;
      }
      Asked& there = asked[static_cast<std::size_t>(home(keys[i]))];
      there.keys.push_back(keys[i]);
      there.positions.push_back(i);
    }
    CompletionEvent done;
    for (std::size_t core = 0; core < asked.size(); ++core) {
      if (asked[core].keys.empty()) continue;
      spawn_here(&done.share(), [core, tables = *this, some = &asked[core], out, action] {
        std::vector<R> answers =
            call_with_span(static_cast<int>(core), std::span<const K>(some->keys),
                           [tables, action](std::span<const K> given) {
                             return tables.template answer_each<R>(given, action);
                           });
        for (std::size_t k = 0; k < answers.size(); ++k)
          out[some->positions[k]] = std::move(answers[k]);
      });
    }
    done.wait();
    for (const auto& [position, same] : repeated) out[position] = out[same];
  }

  /// Has the action run at the home of the key, some time before the event finishes.
  template <class Action>
  void send(CompletionShare* scope, Argument key, const Action& action, const char* what) const {
    require_live(what);
    const std::uint64_t hash = Table::hash_of(key);
    const int core = home_of(hash);
    const LocalReference at = tables_.on(core).place().local;
    Aggregator& messages = *here().messages;
    if constexpr (kIsPlain<Action>) {
      KeyTraits<K>::with_message_form(key, [&](const auto& form) {
        using Message = TableAsyncMessage<Table, std::remove_cvref_t<decltype(form)>, Action>;
        messages.send(core, Message{{at, form, action}}, scope);
      });
    } else {
      KeyTraits<K>::require_allowed(key);
      send_closure(messages, core, TableWay<Table>{at, hash}, KeyedWork<K, Action>{K(key), action},
                   scope);
    }
  }

  /// All keys, in no particular order.
  std::vector<K> gather_keys(const char* what, const CallSite& where) const {
    require_live(what, &where);
    std::vector<K> keys;
    for (std::vector<K>& some :
         gather_cores([tables = tables_] { return keys_of(tables.local()); }, where))
      std::move(some.begin(), some.end(), std::back_inserter(keys));
    return keys;
  }

  /// Writes all keys to a file, a block of a core each.
  void save_keys(const std::string& path, const std::string& name, const char* what) const {
    save(path, name, [](Table& table) { return keys_of(table); }, what);
  }

  /// Writes what list(table) returns of each core, a vector, to a file, a block each.
  template <class List>
  void save(const std::string& path, const std::string& name, const List& list,
            const char* what) const {
    require_live(what);
    SavedFileWriter file(path, name);
    for (int core = 0; core < core_count(); ++core) {
      const auto entries =
          delegate::call(core, [tables = tables_, list] { return list(tables.local()); });
      file.write(to_bytes(entries));
    }
    file.commit();
  }

  /// body(const K&, V&) for every entry, at its home. Waits for all that it causes.
  template <class F>
  void forall(const F& body, const char* what, const CallSite& where) const {
    require_closure<F>();
    require_live(what, &where);
    name_closure<EachTableSlot<Table, F>>(where);
    on_all_cores(
        [tables = tables_, body] {
          Table& table = tables.local();
          const typename Table::Visit visit(table);
          CompletionEvent done;
          const std::int64_t slots = table.capacity();
          run_range_inline(done.share(), 0, slots, choose_grain(slots, 1, 0), Reach::kCore,
                           EachTableSlot<Table, F>{tables, body});
          done.wait();
        },
        where);
  }

  /// visit(const K&, V&) for every entry of this core, now. It must not suspend, and what it sends
  /// does not let others run.
  template <class F>
  void local_for_each(F& visit, const char* what) const {
    require_live(what);
    Table& table = tables_.local();
    const typename Table::Visit guard(table);
    const Scheduler::NoSuspend now(this_scheduler(), &typeid(F));
    table.for_each(0, table.capacity(), visit);
  }

  /// Erases the entries for which pred(const K&, V&) is true, at their homes; returns how many. As
  /// above.
  template <class Predicate>
  std::int64_t erase_if(Predicate pred, const char* what, const CallSite& where) const {
    require_closure<Predicate>();
    require_live(what, &where);
    return reduce_cores(
        [tables = tables_, pred]() mutable {
          const Scheduler::NoSuspend now(this_scheduler(), &typeid(Predicate));
          return tables.local().erase_if(pred);
        },
        std::int64_t{0}, std::plus<>{}, where);
  }

 private:
  /// Whether key and action travel as they are; strings have forms that do (key_traits.hpp).
  template <class Action>
  static constexpr bool kIsPlain =
      kIsSendable<Action> && (kIsSendable<K> || std::is_same_v<K, std::string>);

  template <class R, class Action>
  std::vector<R> answer_each(std::span<const K> keys, const Action& action) const {
    std::vector<R> answers;
    answers.reserve(keys.size());
    Table& table = local();
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) table.prefetch(Table::hash_of(keys[i + kAhead]));
      answers.push_back(action(table, keys[i], Table::hash_of(keys[i])));
    }
    return answers;
  }

  static std::vector<K> keys_of(Table& table) {
    std::vector<K> keys;
    keys.reserve(static_cast<std::size_t>(table.size()));
    const auto add = [&](const K& key, const V&) { keys.push_back(key); };
    table.for_each(0, table.capacity(), add);
    return keys;
  }

  static int home_of(std::uint64_t hash) {
    const auto cores = static_cast<std::uint64_t>(here().locale.core_count());
    return static_cast<int>((hash >> 32) * cores >> 32);
  }

  /// Sends an action to the home of its key, which answers.
  template <class Action, class R>
  void ask(std::uint64_t hash, Argument key, const Action& action, Reply<R>& reply,
           bool last) const {
    Core& me = here();
    const int core = home_of(hash);
    const LocalReference at = tables_.on(core).place().local;
    CompletionShare* const scope = me.scheduler->current().scope;
    if constexpr (kIsPlain<Action>) {
      KeyTraits<K>::with_message_form(key, [&](const auto& form) {
        using Message = TableCallMessage<Table, std::remove_cvref_t<decltype(form)>, Action, R>;
        me.messages->send_last(core, Message{{me, reply}, {at, form, action}}, scope, last);
      });
    } else {
      KeyTraits<K>::require_allowed(key);
      send_closure(*me.messages, core, TableCallWay<Table, R>{{me, reply}, {at, hash}},
                   KeyedWork<K, Action>{K(key), action}, scope, last);
    }
  }

  SymmetricAddress<Table> tables_;
  HandleId id_;
};

/// send(event, i) for each of the keys, as work of one event; returns when it is done.
template <class K, class Send>
void for_each_key(std::span<const K> keys, const Send& send) {
  CompletionEvent done;
  for (std::size_t i = 0; i < keys.size(); ++i) send(done, i);
  done.wait();
}

/// add(event, entry) for each entry of a file that save() has written, as work of one event.
template <class Entry, class Add>
void load_entries(SavedFileReader& file, const Add& add) {
  CompletionEvent done;
  std::vector<Entry> entries;
  while (file.next_value(entries)) {
    for (const Entry& entry : entries) add(done, entry);
  }
  done.wait();
}

}  // namespace grappa::internal
