#pragma once

// GlobalHashMap<K, V>: a hash map over all cores.
//
//   auto counts = GlobalHashMap<ShortString<23>, int64_t>::create();
//   forall(0, n, [=](int64_t i) { counts.async_upsert(word(i), 1, std::plus<>{}); });
//   std::optional<int64_t> the = counts.find("the");
//   counts.forall([](const ShortString<23>& word, int64_t& count) { … });   // at the home cores
//   counts.destroy();
//
// The operations:
//   insert            adds a key; one that is there keeps its value. Returns whether it was new.
//   insert_or_assign  adds a key or overwrites its value. Returns whether it was new.
//   upsert            adds a key, or sets its value to combine(old, given). Returns the value.
//   visit             f(V&), if the key is there. Returns whether it was.
//   visit_or_insert   f(V&), of a key that is added if it is not there. Returns what f returns.
//   find, contains, erase
//   issue_insert, issue_upsert, issue_find, issue_erase    the same, split phase: a Handle, whose
//                     complete() or co_await gives the answer
//   async_insert, async_insert_or_assign, async_upsert, async_visit, async_visit_or_insert,
//   async_erase       the same without an answer, some time before the enclosing event (or the one
//                     given first) finishes: aggregated, and applied with a prefetch
//   insert, find, erase of spans of keys    many at once; each key is fetched once
//   top_k, gather_keys   of the whole map, for one task
//   erase_if          erases while it goes through the map
//
// `combine(V& old, const V& given)` returns the new value, or changes `old` itself. It runs at the
// home core of the key and must not suspend. Each operation is atomic: a delegate at the home core,
// with the order that delegates have (delegate/delegate.hpp).
//
// Keys: see key_traits.hpp. Keys and values are trivially copyable, or serialized
// (base/serialize.hpp); plain ones, and short strings that are keys, are faster. With std::string
// keys the operations take a std::string_view of up to 2,046 characters.
//
// Each core keeps its part of the keys in a table of its own, which grows by itself. The object is
// a handle: trivially copyable, captured by value; a map that is not destroyed keeps its memory
// beyond the run. create, destroy, size, clear, erase_if, top_k, gather_keys and forall are called
// by one task; they, and the operations that answer, switch tasks. `local_` functions work on this
// core's part, at once and without messages.
//
// Every operation refuses a handle that was never created, was destroyed (also through a copy) or
// is of an earlier run: UsageError.
//
// During a forall values may change, but keys may not be added or erased: UsageError. UsageError,
// too, when a locale does not have enough memory to grow. As always, errors at another core arrive
// as RemoteError, from operations that answer or from the event of those that do not.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/container/internal/keyed_tables.hpp"
#include "grappa/container/internal/map_combiner.hpp"
#include "grappa/container/internal/table_actions.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa {

namespace internal {

/// The k entries whose values come first by `before`, in that order; ties go to the
/// smaller key.
template <class K, class V, class Before>
std::vector<std::pair<K, V>> best_of(std::vector<std::pair<K, V>> all, std::size_t k,
                                     const Before& before) {
  const auto order = [&](const std::pair<K, V>& a, const std::pair<K, V>& b) {
    if (before(a.second, b.second)) return true;
    return !before(b.second, a.second) && a.first < b.first;
  };
  k = std::min(k, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(), order);
  all.resize(k);
  return all;
}

}  // namespace internal

/// A handle of a hash map that is distributed over all cores.
template <class K, class V>
class GlobalHashMap {
  static_assert(internal::require_kept<K>() && internal::require_kept<V>());
  using Tables = internal::KeyedTables<K, V>;
  using Table = typename Tables::Table;
  using CallSite = internal::CallSite;

 public:
  using Argument = typename Table::Argument;  // const K&, or std::string_view

  GlobalHashMap() = default;

  /// An empty map with room for `expected` keys before its tables grow.
  [[nodiscard("create returns the handle")]] static GlobalHashMap create(
      std::int64_t expected = 0, CallSite where = CallSite::current()) {
    GlobalHashMap map;
    map.tables_.create(expected, where);
    if constexpr (kCombines) {
      map.combined_.create();
      on_all_cores([map] {
        map.combined_.local().combiner.prepare([&](auto& batch) { batch.tables = map.tables_; });
      });
    }
    return map;
  }
  void destroy() {
    if constexpr (kCombines) combined_.destroy("GlobalHashMap::destroy");
    tables_.destroy("GlobalHashMap::destroy");
  }

  bool insert(Argument key, const V& value, CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    if constexpr (kCombines) {
      if (combines(key)) return combined(key, &value).is_new;
    }
    return call(key, internal::InsertAction<V, false>{value});
  }
  bool insert_or_assign(Argument key, const V& value, CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    return call(key, internal::InsertAction<V, true>{value});
  }
  template <class Combine>
  V upsert(Argument key, const V& value, Combine combine,
           CallSite where = CallSite::current()) const {
    check_update(value, combine, where);
    return call(key, internal::UpsertAction<V, Combine>{value, combine});
  }
  template <class F>
  bool visit(Argument key, F f, CallSite where = CallSite::current()) const {
    check_visit(f, where);
    return call(key, internal::VisitAction<F>{f});
  }
  template <class F>
  auto visit_or_insert(Argument key, const V& first, F f,
                       CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(first, where);
    check_visit(f, where);
    return call(key, internal::VisitOrInsertAction<V, F>{first, f});
  }
  std::optional<V> find(Argument key) const {
    if constexpr (kCombines) {
      if (combines(key)) return combined(key, nullptr).found;
    }
    return call(key, internal::FindAction<V>{});
  }
  bool contains(Argument key) const { return call(key, internal::ContainsAction{}); }
  bool erase(Argument key) const { return call(key, internal::EraseAction{}); }

  Handle<bool> issue_insert(Argument key, const V& value,
                            CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    return issue(key, internal::InsertAction<V, false>{value});
  }
  template <class Combine>
  Handle<V> issue_upsert(Argument key, const V& value, Combine combine,
                         CallSite where = CallSite::current()) const {
    check_update(value, combine, where);
    return issue(key, internal::UpsertAction<V, Combine>{value, combine});
  }
  Handle<std::optional<V>> issue_find(Argument key) const {
    return issue(key, internal::FindAction<V>{});
  }
  Handle<bool> issue_erase(Argument key) const { return issue(key, internal::EraseAction{}); }

  void async_insert(Argument key, const V& value, CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    send(internal::enclosing_scope(), key, internal::InsertAction<V, false>{value});
  }
  void async_insert(CompletionEvent& event, Argument key, const V& value,
                    CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    send(&event.share(), key, internal::InsertAction<V, false>{value});
  }
  void async_insert_or_assign(Argument key, const V& value,
                              CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    send(internal::enclosing_scope(), key, internal::InsertAction<V, true>{value});
  }
  void async_insert_or_assign(CompletionEvent& event, Argument key, const V& value,
                              CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    send(&event.share(), key, internal::InsertAction<V, true>{value});
  }
  template <class Combine>
  void async_upsert(Argument key, const V& value, Combine combine,
                    CallSite where = CallSite::current()) const {
    check_update(value, combine, where);
    send(internal::enclosing_scope(), key,
         internal::UpsertAction<V, Combine, void>{value, combine});
  }
  template <class Combine>
  void async_upsert(CompletionEvent& event, Argument key, const V& value, Combine combine,
                    CallSite where = CallSite::current()) const {
    check_update(value, combine, where);
    send(&event.share(), key, internal::UpsertAction<V, Combine, void>{value, combine});
  }
  template <class F>
  void async_visit(Argument key, F f, CallSite where = CallSite::current()) const {
    check_visit(f, where);
    send(internal::enclosing_scope(), key, internal::VisitAction<F>{f});
  }
  template <class F>
  void async_visit(CompletionEvent& event, Argument key, F f,
                   CallSite where = CallSite::current()) const {
    check_visit(f, where);
    send(&event.share(), key, internal::VisitAction<F>{f});
  }
  template <class F>
  void async_visit_or_insert(Argument key, const V& first, F f,
                             CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(first, where);
    check_visit(f, where);
    send(internal::enclosing_scope(), key, internal::VisitOrInsertAction<V, F>{first, f});
  }
  template <class F>
  void async_visit_or_insert(CompletionEvent& event, Argument key, const V& first, F f,
                             CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(first, where);
    check_visit(f, where);
    send(&event.share(), key, internal::VisitOrInsertAction<V, F>{first, f});
  }
  void async_erase(Argument key) const {
    send(internal::enclosing_scope(), key, internal::EraseAction{});
  }
  void async_erase(CompletionEvent& event, Argument key) const {
    send(&event.share(), key, internal::EraseAction{});
  }

  /// out[i] = find(keys[i]), in one message for each core; a key that is there several times is
  /// asked for once. UsageError when the spans differ in length.
  void find(std::span<const K> keys, std::span<std::optional<V>> out,
            CallSite where = CallSite::current()) const {
    tables_.call_each(keys, out, internal::FindAction<V>{}, "GlobalHashMap::find", where);
  }
  /// insert(keys[i], values[i]) for all i; of several values of one key, any one stays. UsageError
  /// when the spans differ in length.
  void insert(std::span<const K> keys, std::span<const V> values,
              CallSite where = CallSite::current()) const {
    if (keys.size() != values.size())
      internal::refuse_lengths(where, "GlobalHashMap::insert", "values", "keys");
    internal::for_each_key(keys, [&](CompletionEvent& event, std::size_t i) {
      async_insert(event, keys[i], values[i], where);
    });
  }
  void erase(std::span<const K> keys) const {
    internal::for_each_key(
        keys, [&](CompletionEvent& event, std::size_t i) { async_erase(event, keys[i]); });
  }

  /// Keys on all cores.
  std::int64_t size() const { return tables_.size("GlobalHashMap::size"); }

  /// Removes all keys and gives their memory back.
  void clear() const { tables_.clear("GlobalHashMap::clear"); }

  /// Erases the entries for which pred(const K&, V&) is true, at their home cores; returns how
  /// many. It must not suspend.
  template <class Predicate>
  std::int64_t erase_if(Predicate pred, CallSite where = CallSite::current()) const {
    return tables_.erase_if(pred, "GlobalHashMap::erase_if", where);
  }

  /// The k entries whose values come first by `before`, in that order; ties go to the smaller key.
  template <class Before = std::greater<>>
  std::vector<std::pair<K, V>> top_k(std::int64_t k, Before before = {},
                                     CallSite where = CallSite::current()) const {
    tables_.require_live("GlobalHashMap::top_k", &where);
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(0, k));
    std::vector<std::pair<K, V>> all;
    for (std::vector<std::pair<K, V>>& some : gather_cores([tables = tables_, most, before] {
           return internal::best_of(entries_of(tables.local()), most, before);
         }))
      std::move(some.begin(), some.end(), std::back_inserter(all));
    return internal::best_of(std::move(all), most, before);
  }

  /// All keys, in no particular order.
  std::vector<K> gather_keys(CallSite where = CallSite::current()) const {
    return tables_.gather_keys("GlobalHashMap::gather_keys", where);
  }

  /// Writes the entries to a file, which appears whole or not at all; load() makes a map of them.
  void save(const std::string& path) const {
    tables_.save(path, saved_name(), [](Table& table) { return entries_of(table); }, kOperation);
  }
  [[nodiscard("load returns the handle")]] static GlobalHashMap load(const std::string& path) {
    internal::SavedFileReader file(path, saved_name());
    Owned<GlobalHashMap> map = create();
    internal::load_entries<std::pair<K, V>>(file, [&](CompletionEvent& event, const auto& entry) {
      map->async_insert(event, entry.first, entry.second);
    });
    return map.release();
  }

  /// body(const K&, V&) for every entry, at its home core. Waits for all that it causes.
  template <class F>
  void forall(F body, CallSite where = CallSite::current()) const {
    static_assert(std::is_invocable_v<F&, const K&, V&>,
                  "grappa: the body of this loop is called with a key and its value: "
                  "[=](const K& key, V& value) { ... }.");
    tables_.forall(body, "GlobalHashMap::forall", where);
  }

  /// visit(const K&, V&) for every entry of this core, now. It must not suspend.
  template <class F>
  void local_for_each(F visit) const {
    tables_.local_for_each(visit, "GlobalHashMap::local_for_each");
  }
  /// Keys on this core.
  std::int64_t local_size() const {
    tables_.require_live("GlobalHashMap::local_size");
    return tables_.local().size();
  }

  /// The core that keeps the key.
  int home(Argument key) const { return tables_.home(key); }

 private:
  using State = internal::MapState<K, V>;
  using Request = typename internal::MapBatch<K, V>::Request;
  static constexpr bool kCombines =
      kIsSendable<K> && alignof(K) <= 8 && alignof(V) <= 8 && std::is_default_constructible_v<V>;

  /// Whether requests for the key combine with others.
  bool combines(Argument key) const {
    return internal::combining() && tables_.home(key) != internal::here().id;
  }
  /// A look-up, or the insertion of a value.
  Request combined(Argument key, const V* value) const {
    tables_.require_live(kOperation);
    Request request;
    request.inserts = value != nullptr;
    if (value != nullptr) request.value = *value;
    auto& combiner = combined_.local().combiner;
    combiner.gathering().add(key, Table::hash_of(key), request);
    combiner.wait(request);
    return request;
  }

  template <class Action>
  auto call(Argument key, const Action& action) const {
    return tables_.call(key, action, kOperation);
  }
  template <class Action>
  auto issue(Argument key, const Action& action) const {
    return tables_.issue(key, action, kOperation);
  }
  template <class Action>
  void send(internal::CompletionShare* scope, Argument key, const Action& action) const {
    tables_.send(scope, key, action, kOperation);
  }

  static std::vector<std::pair<K, V>> entries_of(Table& table) {
    std::vector<std::pair<K, V>> entries;
    entries.reserve(static_cast<std::size_t>(table.size()));
    const auto add = [&](const K& key, const V& value) { entries.emplace_back(key, value); };
    table.for_each(0, table.capacity(), add);
    return entries;
  }
  template <class Combine>
  static void check_update(const V& value, const Combine& combine, const CallSite& where) {
    internal::require_closure<Combine>();
    internal::Aggregator& messages = *internal::here().messages;
    messages.check_value(value, where);
    messages.check_payload(combine, where);
  }
  template <class F>
  static void check_visit(const F& f, const CallSite& where) {
    internal::require_callable_at<F, V>();
    internal::require_closure<F>();
    internal::here().messages->check_payload(f, where);
  }

  static constexpr const char* kOperation = "an operation on a GlobalHashMap";
  static std::string saved_name() { return internal::saved_name<K, V>("GlobalHashMap"); }

  Tables tables_;
  internal::CombinedObject<State> combined_;
};

}  // namespace grappa
