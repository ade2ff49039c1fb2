#pragma once

// GlobalHashSet<K>: a set of keys over all cores.
//
//   auto seen = GlobalHashSet<int64_t>::create();
//   const bool is_new = seen.insert(17);
//   forall(0, 1000, [=](int64_t i) { seen.async_insert(i * i); });
//   seen.unite(others);                          // others: GlobalHashSet<int64_t>
//   seen.destroy();
//
// Keys and their homes, atomicity, order and errors are those of GlobalHashMap. As sets have the
// same home for the same key, unite, intersect and subtract work on every core by itself, and
// nothing travels; they are called by one task, as create, destroy, size, clear, forall, erase_if
// and gather_keys are.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/global_hash_map.hpp"

namespace grappa {

namespace internal {
/// The value of a key that has none.
struct NoValue {};

struct InHashSet {
  static constexpr const char* kName = "GlobalHashSet";
};
}  // namespace internal

/// A handle of a set that is distributed over all cores.
template <class K>
class GlobalHashSet {
  static_assert(internal::require_kept<K>());
  using Tables = internal::KeyedTables<K, internal::NoValue, internal::InHashSet>;
  using Table = typename Tables::Table;
  using Insert = internal::InsertAction<internal::NoValue, false>;
  using CallSite = internal::CallSite;

 public:
  using Argument = typename Table::Argument;  // const K&, or std::string_view

  /// An empty set with room for `expected` keys before its tables grow.
  [[nodiscard("create returns the handle")]] static GlobalHashSet create(
      std::int64_t expected = 0, CallSite where = CallSite::current()) {
    GlobalHashSet set;
    set.tables_.create(expected, where);
    return set;
  }
  void destroy() { tables_.destroy("GlobalHashSet::destroy"); }

  /// Whether the key was new.
  bool insert(Argument key) const { return tables_.call(key, Insert{}, kOperation); }
  bool contains(Argument key) const {
    return tables_.call(key, internal::ContainsAction{}, kOperation);
  }
  /// Whether it was there.
  bool erase(Argument key) const { return tables_.call(key, internal::EraseAction{}, kOperation); }

  void async_insert(Argument key) const {
    tables_.send(internal::enclosing_scope(), key, Insert{}, kOperation);
  }
  void async_insert(CompletionEvent& event, Argument key) const {
    tables_.send(&event.share(), key, Insert{}, kOperation);
  }
  void async_erase(Argument key) const {
    tables_.send(internal::enclosing_scope(), key, internal::EraseAction{}, kOperation);
  }
  void async_erase(CompletionEvent& event, Argument key) const {
    tables_.send(&event.share(), key, internal::EraseAction{}, kOperation);
  }

  // ---- Many at once: in messages that carry many ----

  void insert(std::span<const K> keys) const {
    internal::for_each_key(
        keys, [&](CompletionEvent& event, std::size_t i) { async_insert(event, keys[i]); });
  }
  void erase(std::span<const K> keys) const {
    internal::for_each_key(
        keys, [&](CompletionEvent& event, std::size_t i) { async_erase(event, keys[i]); });
  }
  /// For each key whether it is there.
  std::vector<bool> contains(std::span<const K> keys, CallSite where = CallSite::current()) const {
    std::vector<std::uint8_t> found(keys.size());
    tables_.call_each(keys, std::span(found), internal::ContainsAction{}, "GlobalHashSet::contains",
                      where);
    return {found.begin(), found.end()};
  }

  std::int64_t size() const { return tables_.size("GlobalHashSet::size"); }
  void clear() const { tables_.clear("GlobalHashSet::clear"); }
  std::int64_t local_size() const {
    tables_.require_live("GlobalHashSet::local_size");
    return tables_.local().size();
  }

  /// Adds the keys of the other one.
  void unite(const GlobalHashSet& other) const {
    require_both(other, "GlobalHashSet::unite");
    if (same_as(other)) return;
    on_all_cores([mine = tables_, theirs = other.tables_] {
      const auto add = [&](const K& key, internal::NoValue) {
        mine.local().insert(key, Table::hash_of(key), {});
      };
      theirs.local().for_each(0, theirs.local().capacity(), add);
    });
  }
  /// Keeps the keys that the other one has, too.
  void intersect(const GlobalHashSet& other) const {
    keep(other, true, "GlobalHashSet::intersect");
  }
  /// Keeps the keys that the other one does not have.
  void subtract(const GlobalHashSet& other) const { keep(other, false, "GlobalHashSet::subtract"); }

  /// Erases the keys for which pred(const K&) is true, at their homes; returns how many.
  template <class Predicate>
  std::int64_t erase_if(Predicate pred, CallSite where = CallSite::current()) const {
    return tables_.erase_if([pred](const K& key, internal::NoValue) mutable { return pred(key); },
                            "GlobalHashSet::erase_if", where);
  }

  /// All keys, in no particular order.
  std::vector<K> gather_keys(CallSite where = CallSite::current()) const {
    return tables_.gather_keys("GlobalHashSet::gather_keys", where);
  }

  /// Writes the keys to a file, which appears whole or not at all; load() makes a set of them.
  void save(const std::string& path) const { tables_.save_keys(path, saved_name(), kOperation); }
  [[nodiscard("load returns the handle")]] static GlobalHashSet load(const std::string& path) {
    internal::SavedFileReader file(path, saved_name());
    Owned<GlobalHashSet> set = create();
    internal::load_entries<K>(
        file, [&](CompletionEvent& event, const K& key) { set->async_insert(event, key); });
    return set.release();
  }

  /// body(const K&) for every key, at its home core. Waits for all that it causes.
  template <class F>
  void forall(F body, CallSite where = CallSite::current()) const {
    static_assert(std::is_invocable_v<F&, const K&>,
                  "grappa: the body of this loop is called with a key: [=](const K& key) { ... }.");
    tables_.forall([body](const K& key, internal::NoValue) mutable { body(key); },
                   "GlobalHashSet::forall", where);
  }
  /// visit(const K&) for every key of this core, now. It must not suspend.
  template <class F>
  void local_for_each(F visit) const {
    auto on_entry = [&](const K& key, internal::NoValue) { visit(key); };
    tables_.local_for_each(on_entry, "GlobalHashSet::local_for_each");
  }

  /// The core that keeps the key.
  int home(Argument key) const { return tables_.home(key); }

 private:
  static constexpr const char* kOperation = "an operation on a GlobalHashSet";
  static std::string saved_name() { return internal::saved_name<K>("GlobalHashSet"); }

  bool same_as(const GlobalHashSet& other) const {
    return tables_.tables().offset() == other.tables_.tables().offset();
  }
  void require_both(const GlobalHashSet& other, const char* what) const {
    tables_.require_live(what);
    other.tables_.require_live(what);
  }
  void keep(const GlobalHashSet& other, bool wanted, const char* what) const {
    require_both(other, what);
    if (same_as(other)) {
      if (!wanted) clear();
      return;
    }
    on_all_cores([mine = tables_, theirs = other.tables_, wanted] {
      auto unwanted = [&](const K& key, internal::NoValue) {
        return (theirs.local().find(key, Table::hash_of(key)) != nullptr) != wanted;
      };
      mine.local().erase_if(unwanted);
    });
  }

  Tables tables_;
};

}  // namespace grappa
