#pragma once

// CountingMap<K>: how often each key was counted, over all cores.
//
//   auto words = CountingMap<ShortString<23>>::create();
//   forall(0, n, [=](int64_t i) { words.async_add(word(i)); });
//   for (const auto& [word, count] : words.top_k(10)) use(word, count);
//   words.destroy();
//
// What the tasks of a core add to one key between two batches becomes one addition (combiner.hpp),
// so frequent keys hardly travel. Keys and their homes, and errors, are those of GlobalHashMap.
// `add` and `count` are linearizable and switch tasks; async_add takes effect some time before the
// enclosing event (or the one given first) finishes. create, destroy, size, total, top_k, clear and
// forall are called by one task.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/combiner.hpp"
#include "grappa/container/global_hash_map.hpp"
#include "grappa/container/internal/key_index.hpp"

namespace grappa {

namespace internal {

/// Additions to keys, one sum for each. At most kMany keys: others go by themselves.
template <class K>
class CountBatch {
 public:
  static constexpr std::size_t kMany = 16384;

  GlobalHashMap<K, std::int64_t> map;
  KeyIndex<K, std::int64_t> sums;

  std::size_t weight() const { return sums.size(); }
  static CombinedRequest* first_waiting() { return nullptr; }
  void run() {
    CompletionEvent done;
    for (const auto& [key, sum, hash] : sums.items())
      map.async_upsert(done, key, sum, std::plus<>{});
    done.wait();
  }
  void fail(const std::exception_ptr&) {}
  void clear() { sums.clear(); }
};

template <class K>
struct CountState {
  Combiner<CountBatch<K>> combiner;
  void attach(const CombinedObject<CountState>&) {}
};

}  // namespace internal

/// A handle of counts of keys that are distributed over all cores.
template <class K>
class CountingMap {
  using Map = GlobalHashMap<K, std::int64_t>;
  using State = internal::CountState<K>;
  using CallSite = internal::CallSite;

 public:
  using Argument = typename Map::Argument;  // const K&, or std::string_view

  /// An empty map with room for `expected` keys before its tables grow.
  [[nodiscard("create returns the handle")]] static CountingMap create(
      std::int64_t expected = 0, CallSite where = CallSite::current()) {
    return made_of(Map::create(expected, where));
  }
  void destroy() {
    object_.destroy("CountingMap::destroy");
    map_.destroy();
  }

  /// Adds n; returns the count.
  std::int64_t add(Argument key, std::int64_t n = 1) const {
    return map().upsert(key, n, std::plus<>{});
  }
  /// 0 for a key that was never counted.
  std::int64_t count(Argument key) const { return map().find(key).value_or(0); }

  void async_add(Argument key, std::int64_t n = 1) const {
    if (!gather(internal::enclosing_scope(), key, n)) map().async_upsert(key, n, std::plus<>{});
  }
  void async_add(CompletionEvent& event, Argument key, std::int64_t n = 1) const {
    if (!gather(&event.share(), key, n)) map().async_upsert(event, key, n, std::plus<>{});
  }

  // ---- Many at once: in messages that carry many ----

  /// Adds one to each key, as often as it is there.
  void add(std::span<const K> keys) const {
    internal::for_each_key(
        keys, [&](CompletionEvent& event, std::size_t i) { async_add(event, keys[i]); });
  }
  /// out[i] = count(keys[i]). UsageError when the spans differ in length.
  void count(std::span<const K> keys, std::span<std::int64_t> out,
             CallSite where = CallSite::current()) const {
    if (keys.size() != out.size())
      internal::refuse_lengths(where, "CountingMap::count", "results", "keys");
    std::vector<std::optional<std::int64_t>> found(keys.size());
    map().find(keys, found, where);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = found[i].value_or(0);
  }
  void erase(std::span<const K> keys) const { map().erase(keys); }

  /// Keys.
  std::int64_t size() const { return map().size(); }
  /// The sum of all counts.
  std::int64_t total() const {
    return reduce_cores(
        [map = map()] {
          std::int64_t sum = 0;
          map.local_for_each([&](const K&, std::int64_t count) { sum += count; });
          return sum;
        },
        std::int64_t{0}, std::plus<>{});
  }
  /// The k most frequent keys with their counts; ties go to the smaller key.
  std::vector<std::pair<K, std::int64_t>> top_k(std::int64_t k) const { return map().top_k(k); }
  std::vector<K> gather_keys() const { return map().gather_keys(); }
  bool erase(Argument key) const { return map().erase(key); }
  void async_erase(Argument key) const { map().async_erase(key); }
  void async_erase(CompletionEvent& event, Argument key) const { map().async_erase(event, key); }
  /// Erases the keys for which pred(const K&, int64_t&) is true, at their homes; returns how many.
  /// It must not suspend.
  template <class Predicate>
  std::int64_t erase_if(Predicate pred, CallSite where = CallSite::current()) const {
    return map().erase_if(pred, where);
  }
  void clear() const { map().clear(); }

  /// Writes keys and counts to a file, which appears whole or not at all; load() makes a map of
  /// them.
  void save(const std::string& path) const { map().save(path); }
  [[nodiscard("load returns the handle")]] static CountingMap load(const std::string& path) {
    return made_of(Map::load(path));
  }

  /// body(const K&, int64_t&) for every key and its count, at its home core.
  template <class F>
  void forall(F body, CallSite where = CallSite::current()) const {
    map().forall(body, where);
  }
  /// visit(const K&, int64_t&) for every key of this core, now. It must not suspend.
  template <class F>
  void local_for_each(F visit) const {
    map().local_for_each(visit);
  }
  /// Keys on this core.
  std::int64_t local_size() const { return map().local_size(); }

  /// The core that keeps the key.
  int home(Argument key) const { return map().home(key); }

 private:
  static CountingMap made_of(const Map& made) {
    CountingMap counts;
    counts.map_ = made;
    counts.object_.create();
    on_all_cores([counts] {
      counts.object_.local().combiner.prepare([&](auto& batch) { batch.map = counts.map_; });
    });
    return counts;
  }

  const Map& map() const {
    object_.require_live(kOperation);
    return map_;
  }

  /// Leaves the addition to the next batch. False when it has to go by itself.
  bool gather(internal::CompletionShare* scope, Argument key, std::int64_t n) const {
    object_.require_live(kOperation);
    if (!internal::combining()) return false;
    internal::KeyTraits<K>::require_allowed(key);
    auto& combiner = object_.local().combiner;
    std::int64_t* const sum = combiner.gathering().sums.find_or_add(
        key, internal::HashTable<K, std::int64_t>::hash_of(key), internal::CountBatch<K>::kMany);
    if (sum == nullptr) return false;
    *sum += n;
    combiner.post(scope);
    return true;
  }

  static constexpr const char* kOperation = "an operation on a CountingMap";

  Map map_;
  internal::CombinedObject<State> object_;
};

}  // namespace grappa
