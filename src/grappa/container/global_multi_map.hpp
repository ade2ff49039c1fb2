#pragma once

// GlobalMultiMap<K, V>: any number of values for each key, over all cores.
//
//   auto edges = GlobalMultiMap<int64_t, int64_t>::create();
//   forall(0, n, [=](int64_t i) { edges.async_insert(i % 10, i); });
//   const int64_t tens = edges.count(0);
//   edges.async_visit_group(3, [](std::vector<int64_t>& values) { … });   // at the home of the key
//   edges.destroy();
//
// The values of a key lie at its home, in the order in which they came there. Keys, values and
// homes, atomicity, order and errors are those of GlobalHashMap. During a forall nobody else may
// add, erase or visit values: UsageError.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/container/internal/keyed_tables.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa {

namespace internal {

struct InMultiMap {
  static constexpr const char* kName = "GlobalMultiMap";
};

template <class V>
struct AddToGroup {
  V value;
  static constexpr auto kMembers = std::tuple(&AddToGroup::value);
  template <class Table, class Key>
  std::int64_t operator()(Table& table, const Key& key, std::uint64_t hash) const {
    table.require_unvisited();
    std::vector<V>& group = table.insert(key, hash, {}).first;
    if (!group.empty() && group.size() == group.capacity())
      require_memory(2 * group.size() * sizeof(V), InMultiMap::kName);
    group.push_back(value);
    return std::ssize(group);
  }
};

template <class V>
struct CountGroup {
  template <class Table, class Key>
  std::int64_t operator()(Table& table, const Key& key, std::uint64_t hash) const {
    const std::vector<V>* group = table.find(key, hash);
    return group == nullptr ? 0 : std::ssize(*group);
  }
};

template <class V>
struct EraseGroup {
  template <class Table, class Key>
  std::int64_t operator()(Table& table, const Key& key, std::uint64_t hash) const {
    const std::int64_t count = CountGroup<V>{}(table, key, hash);
    table.erase(key, hash);
    return count;
  }
};

template <class V>
struct CopyGroup {
  template <class Table, class Key>
  std::vector<V> operator()(Table& table, const Key& key, std::uint64_t hash) const {
    const std::vector<V>* group = table.find(key, hash);
    return group == nullptr ? std::vector<V>() : *group;
  }
};

/// f(values), if there are any; a group that is empty afterwards is none.
template <class F>
struct VisitGroup {
  F f;
  template <class Table, class Key>
  bool operator()(Table& table, const Key& key, std::uint64_t hash) const {
    auto* group = table.find(key, hash);
    if (group == nullptr) return false;
    table.require_unvisited();
    F own(f);
    own(*group);
    if (group->empty()) table.erase(key, hash);
    return true;
  }
};

}  // namespace internal

/// A handle of a map from keys to groups of values.
template <class K, class V>
class GlobalMultiMap {
  static_assert(internal::require_kept<K>() && internal::require_kept<V>());
  using Tables = internal::KeyedTables<K, std::vector<V>, internal::InMultiMap>;
  using Table = typename Tables::Table;
  using CallSite = internal::CallSite;

 public:
  using Argument = typename Table::Argument;  // const K&, or std::string_view

  /// An empty map with room for `expected` keys before its tables grow.
  [[nodiscard("create returns the handle")]] static GlobalMultiMap create(
      std::int64_t expected = 0, CallSite where = CallSite::current()) {
    GlobalMultiMap map;
    map.tables_.create(expected, where);
    return map;
  }
  void destroy() { tables_.destroy("GlobalMultiMap::destroy"); }

  /// Adds a value; returns how many the key has now.
  std::int64_t insert(Argument key, const V& value, CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    return tables_.call(key, internal::AddToGroup<V>{value}, kOperation);
  }
  void async_insert(Argument key, const V& value, CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    tables_.send(internal::enclosing_scope(), key, internal::AddToGroup<V>{value}, kOperation);
  }
  void async_insert(CompletionEvent& event, Argument key, const V& value,
                    CallSite where = CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    tables_.send(&event.share(), key, internal::AddToGroup<V>{value}, kOperation);
  }

  /// Values of the key.
  std::int64_t count(Argument key) const {
    return tables_.call(key, internal::CountGroup<V>{}, kOperation);
  }
  /// A copy of them.
  std::vector<V> find(Argument key) const {
    return tables_.call(key, internal::CopyGroup<V>{}, kOperation);
  }
  /// Erases the key with all its values; returns how many they were.
  std::int64_t erase(Argument key) const {
    return tables_.call(key, internal::EraseGroup<V>{}, kOperation);
  }
  void async_erase(Argument key) const {
    tables_.send(internal::enclosing_scope(), key, internal::EraseGroup<V>{}, kOperation);
  }
  void async_erase(CompletionEvent& event, Argument key) const {
    tables_.send(&event.share(), key, internal::EraseGroup<V>{}, kOperation);
  }

  // ---- Many at once: in messages that carry many ----

  /// insert(keys[i], values[i]) for all i. UsageError when the spans differ in length.
  void insert(std::span<const K> keys, std::span<const V> values,
              CallSite where = CallSite::current()) const {
    if (keys.size() != values.size())
      internal::refuse_lengths(where, "GlobalMultiMap::insert", "values", "keys");
    internal::for_each_key(keys, [&](CompletionEvent& event, std::size_t i) {
      async_insert(event, keys[i], values[i], where);
    });
  }
  /// out[i] = count(keys[i]); each key is asked for once. UsageError when the spans differ in
  /// length.
  void count(std::span<const K> keys, std::span<std::int64_t> out,
             CallSite where = CallSite::current()) const {
    tables_.call_each(keys, out, internal::CountGroup<V>{}, "GlobalMultiMap::count", where);
  }
  void erase(std::span<const K> keys) const {
    internal::for_each_key(
        keys, [&](CompletionEvent& event, std::size_t i) { async_erase(event, keys[i]); });
  }

  /// f(std::vector<V>&) at the home of the key, if it has values; f may change them. Returns
  /// whether it had.
  template <class F>
  bool visit_group(Argument key, F f, CallSite where = CallSite::current()) const {
    check(f, where);
    return tables_.call(key, internal::VisitGroup<F>{f}, kOperation);
  }
  template <class F>
  void async_visit_group(Argument key, F f, CallSite where = CallSite::current()) const {
    check(f, where);
    tables_.send(internal::enclosing_scope(), key, internal::VisitGroup<F>{f}, kOperation);
  }
  template <class F>
  void async_visit_group(CompletionEvent& event, Argument key, F f,
                         CallSite where = CallSite::current()) const {
    check(f, where);
    tables_.send(&event.share(), key, internal::VisitGroup<F>{f}, kOperation);
  }

  /// Keys on all cores.
  std::int64_t key_count() const { return tables_.size("GlobalMultiMap::key_count"); }
  /// Values on all cores.
  std::int64_t size() const {
    tables_.require_live("GlobalMultiMap::size");
    return reduce_cores(
        [tables = tables_] {
          std::int64_t sum = 0;
          auto add = [&](const K&, const std::vector<V>& group) { sum += std::ssize(group); };
          tables.local().for_each(0, tables.local().capacity(), add);
          return sum;
        },
        std::int64_t{0}, std::plus<>{});
  }
  void clear() const { tables_.clear("GlobalMultiMap::clear"); }

  /// Erases the keys for which pred(const K&, std::vector<V>&) is true, with their values, at their
  /// homes; returns how many keys. It must not suspend.
  template <class Predicate>
  std::int64_t erase_if(Predicate pred, CallSite where = CallSite::current()) const {
    return tables_.erase_if(pred, "GlobalMultiMap::erase_if", where);
  }
  /// All keys, in no particular order.
  std::vector<K> gather_keys(CallSite where = CallSite::current()) const {
    return tables_.gather_keys("GlobalMultiMap::gather_keys", where);
  }

  /// Writes keys and values to a file, which appears whole or not at all; load() makes a map of
  /// them. The values of a key come back in no particular order.
  void save(const std::string& path) const {
    tables_.save(
        path, saved_name(),
        [](Table& table) {
          std::vector<std::pair<K, V>> list;
          auto add = [&](const K& key, const std::vector<V>& group) {
            for (const V& value : group) list.emplace_back(key, value);
          };
          table.for_each(0, table.capacity(), add);
          return list;
        },
        kOperation);
  }
  [[nodiscard("load returns the handle")]] static GlobalMultiMap load(const std::string& path) {
    internal::SavedFileReader file(path, saved_name());
    Owned<GlobalMultiMap> map = create();
    internal::load_entries<std::pair<K, V>>(file, [&](CompletionEvent& event, const auto& entry) {
      map->async_insert(event, entry.first, entry.second);
    });
    return map.release();
  }

  /// body(const K&, std::vector<V>&) for every key, at its home core; not to add or erase keys.
  template <class F>
  void forall(F body, CallSite where = CallSite::current()) const {
    static_assert(std::is_invocable_v<F&, const K&, std::vector<V>&>,
                  "grappa: the body of this loop is called with a key and its values: "
                  "[=](const K& key, std::vector<V>& values) { ... }.");
    tables_.forall(body, "GlobalMultiMap::forall", where);
  }
  /// visit(const K&, std::vector<V>&) for every key of this core, now. It must not suspend.
  template <class F>
  void local_for_each(F visit) const {
    tables_.local_for_each(visit, "GlobalMultiMap::local_for_each");
  }

  /// Keys on this core.
  std::int64_t local_key_count() const {
    tables_.require_live("GlobalMultiMap::local_key_count");
    return tables_.local().size();
  }

  /// The core that keeps the key.
  int home(Argument key) const { return tables_.home(key); }

 private:
  static constexpr const char* kOperation = "an operation on a GlobalMultiMap";
  static std::string saved_name() { return internal::saved_name<K, V>("GlobalMultiMap"); }

  template <class F>
  static void check(const F& f, const CallSite& where) {
    internal::require_callable_at<F, std::vector<V>>();
    internal::require_closure<F>();
    internal::here().messages->check_payload(f, where);
  }

  Tables tables_;
};

}  // namespace grappa
