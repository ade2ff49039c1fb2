#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/counting_map.hpp"
#include "grappa/container/global_hash_map.hpp"
#include "grappa/container/global_hash_set.hpp"
#include "grappa/container/global_multi_map.hpp"
#include "grappa/container/test_combining.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_credit.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using Map = GlobalHashMap<std::int64_t, std::int64_t>;
using Set = GlobalHashSet<std::int64_t>;
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(GlobalHashMap, VisitsWhatIsThereOrPutsItThere) {
  test::on_machines([] {
    const Owned<Map> map = Map::create();
    for (std::int64_t key = 0; key < 30; ++key) {
      EXPECT_FALSE(map->visit(key, [](std::int64_t& value) { value = 1; }));
      EXPECT_EQ(map->visit_or_insert(key, 5, [](std::int64_t& value) { return value += 2; }), 7);
      EXPECT_EQ(map->visit_or_insert(key, 5, [](std::int64_t& value) { return value += 2; }), 9);
      EXPECT_TRUE(map->visit(key, [](std::int64_t& value) { value *= 10; }));
      EXPECT_EQ(map->find(key), 90);
    }
    CompletionEvent done;
    for (std::int64_t key = 0; key < 40; ++key) {
      map->async_visit(done, key, [](std::int64_t& value) { ++value; });
      map->visit_or_insert(100 + key, 0, [](std::int64_t&) {});
    }
    done.wait();
    forall(0, 30, [map = *map](std::int64_t key) {
      EXPECT_EQ(map.find(key), 91);
      if (key % 2 == 0) map.async_erase(key);
    });
    EXPECT_EQ(map->size(), 15 + 40);
  });
}

TEST(GlobalHashMap, FindsManyKeysAtOnceAndRepeatedOnesOnce) {
  test::on_machines([] {
    const Owned<Map> map = Map::create();
    forall(0, 500, [map = *map](std::int64_t i) { map.async_insert(3 * i, i); });
    std::vector<std::int64_t> keys;
    for (std::int64_t i = 0; i < 2000; ++i) keys.push_back(i * i % 1600);
    std::vector<std::optional<std::int64_t>> found(keys.size());
    map->find(keys, found);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const bool there = keys[k] % 3 == 0 && keys[k] < 1500;
      ASSERT_EQ(found[k], there ? std::optional(keys[k] / 3) : std::nullopt) << keys[k];
    }
    found.pop_back();
    EXPECT_THROW(map->find(keys, found), UsageError);
  });
}

// Numbers and texts, which travel in other ways.
template <class K, class MakeKey>
void use_many_keys_at_once(const MakeKey& make_key) {
  test::on_machines_either_way([&] {
    std::vector<K> keys;
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < 900; ++i) {
      keys.push_back(make_key(i % 300));  // each three times
      values.push_back(1000 * (i / 300) + i % 300);
    }
    const std::vector<K> every_other = [&] {
      std::vector<K> some;
      for (std::int64_t i = 0; i < 300; i += 2) some.push_back(make_key(i));
      return some;
    }();
    const std::vector<std::int64_t> too_few(keys.size() - 1);
    std::vector<std::int64_t> counted(keys.size());

    const auto map = Owned(GlobalHashMap<K, std::int64_t>::create());
    map->insert(keys, values);
    EXPECT_EQ(map->size(), 300);
    map->erase(every_other);
    std::vector<std::optional<std::int64_t>> found(keys.size());
    map->find(keys, found);
    const auto set = Owned(GlobalHashSet<K>::create());
    set->insert(keys);
    EXPECT_EQ(set->size(), 300);
    set->erase(every_other);
    const std::vector<bool> there = set->contains(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(there[i], i % 2 == 1);
      ASSERT_EQ(found[i].has_value(), i % 2 == 1);
      EXPECT_EQ(found[i].value_or(static_cast<std::int64_t>(i % 300)) % 1000,
                static_cast<std::int64_t>(i % 300));
    }
    EXPECT_THROW(map->insert(keys, too_few), UsageError);

    const auto groups = Owned(GlobalMultiMap<K, std::int64_t>::create());
    groups->insert(keys, values);
    groups->erase(every_other);
    groups->count(keys, counted);
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(counted[i], i % 2 == 1 ? 3 : 0);
    std::vector<std::int64_t> group = groups->find(keys[17]);
    std::ranges::sort(group);
    EXPECT_EQ(group, (std::vector<std::int64_t>{17, 1017, 2017}));
    EXPECT_THROW(groups->insert(keys, too_few), UsageError);

    const auto counts = Owned(CountingMap<K>::create());
    counts->add(keys);
    counts->add(every_other);
    counts->count(keys, counted);
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(counted[i], i % 2 == 1 ? 3 : 4);
    counts->erase(every_other);
    EXPECT_EQ(counts->total(), 450);
    counted.pop_back();
    EXPECT_THROW(counts->count(keys, counted), UsageError);
    EXPECT_THROW(groups->count(keys, counted), UsageError);
  });
}

TEST(KeyedContainers, TakeManyKeysAtOnce) {
  use_many_keys_at_once<std::int64_t>([](std::int64_t i) { return 7 * i; });
  use_many_keys_at_once<std::string>([](std::int64_t i) { return "key " + std::to_string(i); });
}

TEST(GlobalHashMap, ErasesWhileItGoesThroughTheMap) {
  test::on_machines([] {
    for (const std::int64_t n : {0, 5, 1000}) {
      const Owned<Map> map = Map::create();
      forall(0, n, [map = *map](std::int64_t i) { map.async_insert(i, i * i); });
      EXPECT_EQ(map->erase_if([](std::int64_t key, std::int64_t&) { return key % 3 != 0; }),
                n - (n + 2) / 3);
      EXPECT_EQ(map->size(), (n + 2) / 3);
      forall(0, n, [map = *map](std::int64_t i) {
        EXPECT_EQ(map.find(i), i % 3 == 0 ? std::optional(i * i) : std::nullopt);
      });
    }
  });
}

TEST(GlobalHashMap, GathersItsKeysAndItsBestEntries) {
  test::on_machines([] {
    const Owned<Map> map = Map::create();
    forall(0, 200, [map = *map](std::int64_t i) { map.async_insert(i, i * 7 % 50); });
    std::vector<std::int64_t> keys = map->gather_keys();
    std::sort(keys.begin(), keys.end());
    ASSERT_EQ(keys.size(), 200u);
    EXPECT_EQ(keys.back(), 199);
    // 49 is the value of 7 and of every fiftieth key behind it.
    EXPECT_EQ(map->top_k(5), (Pairs{{7, 49}, {57, 49}, {107, 49}, {157, 49}, {14, 48}}));
    EXPECT_EQ(map->top_k(2, std::less<>{}), (Pairs{{0, 0}, {50, 0}}));
    EXPECT_EQ(map->top_k(1000).size(), 200u);
    EXPECT_TRUE(map->top_k(0).empty());
    const Owned<GlobalHashMap<std::string, int>> words = GlobalHashMap<std::string, int>::create();
    words->insert("a rather long string, longer than any short one", 1);
    words->insert("", 2);
    EXPECT_EQ(words->top_k(2).back().first, "a rather long string, longer than any short one");
    EXPECT_EQ(words->gather_keys().size(), 2u);
  });
}

TEST(GlobalHashSet, OperationsDoWhatTheySay) {
  test::on_machines([] {
    const Owned<Set> set = Set::create();
    for (std::int64_t key = 0; key < 20; ++key) {
      EXPECT_TRUE(set->insert(key));
      EXPECT_FALSE(set->insert(key));
      EXPECT_TRUE(set->contains(key));
    }
    EXPECT_TRUE(set->erase(3));
    EXPECT_FALSE(set->contains(3));
    EXPECT_EQ(set->erase_if([](std::int64_t key) { return key >= 10; }), 10);
    std::vector<std::int64_t> keys = set->gather_keys();
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(keys, (std::vector<std::int64_t>{0, 1, 2, 4, 5, 6, 7, 8, 9}));
    std::int64_t sum = 0;
    set->forall([to = GlobalAddress<std::int64_t>::of_local(&sum)](std::int64_t key) {
      delegate::async::increment(to, key);
    });
    EXPECT_EQ(sum, 42);
    set->clear();
    EXPECT_EQ(set->size(), 0);
  });
}

TEST(GlobalHashSet, UnitesIntersectsAndSubtracts) {
  test::on_machines([] {
    const Owned<Set> twos = Set::create();
    const Owned<Set> threes = Set::create();
    forall(0, 600, [twos = *twos, threes = *threes](std::int64_t i) {
      if (i % 2 == 0) twos.async_insert(i);
      if (i % 3 == 0) threes.async_insert(i);
    });
    const Owned<Set> some = Set::create();
    some->unite(*twos);
    some->unite(*threes);
    some->unite(*some);
    EXPECT_EQ(some->size(), 400);
    some->intersect(*threes);
    some->intersect(*some);
    EXPECT_EQ(some->size(), 200);
    some->subtract(*twos);
    EXPECT_EQ(some->size(), 100);
    EXPECT_TRUE(some->contains(597));
    EXPECT_FALSE(some->contains(594));
    some->subtract(*some);
    EXPECT_EQ(some->size(), 0);
  });
}

TEST(GlobalMultiMap, KeepsTheValuesOfEachKey) {
  test::on_machines([] {
    const Owned<GlobalMultiMap<std::string, std::int64_t>> map =
        GlobalMultiMap<std::string, std::int64_t>::create();
    EXPECT_EQ(map->insert("one", 1), 1);
    EXPECT_EQ(map->insert("one", 1), 2);
    forall(0, 300, [map = *map](std::int64_t i) { map.async_insert(std::to_string(i % 7), i); });
    EXPECT_EQ(map->count("one"), 2);
    EXPECT_EQ(map->count("6"), 42);
    EXPECT_EQ(map->count("none"), 0);
    EXPECT_EQ(map->find("one"), (std::vector<std::int64_t>{1, 1}));
    EXPECT_TRUE(map->find("none").empty());
    EXPECT_EQ(map->key_count(), 8);
    EXPECT_EQ(map->size(), 302);
    EXPECT_TRUE(map->visit_group("6", [](std::vector<std::int64_t>& values) {
      std::erase_if(values, [](std::int64_t value) { return value > 100; });
    }));
    EXPECT_EQ(map->count("6"), 14);
    EXPECT_FALSE(map->visit_group("none", [](std::vector<std::int64_t>&) {}));
    EXPECT_TRUE(map->visit_group("5", [](std::vector<std::int64_t>& values) { values.clear(); }));
    EXPECT_EQ(map->key_count(), 7);
    EXPECT_EQ(map->erase("0"), 43);
    EXPECT_EQ(map->erase("0"), 0);
    std::int64_t values = 0;
    map->forall([to = GlobalAddress<std::int64_t>::of_local(&values)](
                    const std::string&, std::vector<std::int64_t>& group) {
      delegate::async::increment(to, std::ssize(group));
    });
    EXPECT_EQ(values, map->size());
  });
}

// The values of a key may move when one is added, under the body that looks at them.
TEST(GlobalMultiMap, RefusesChangesWhileForallGoesThroughIt) {
  test::on_machines([] {
    using Multi = GlobalMultiMap<std::int64_t, std::int64_t>;
    const Owned<Multi> owned = Multi::create();
    const Multi map = *owned;
    for (std::int64_t i = 0; i < 20; ++i) map.insert(i % 4, i);
    using Values = std::vector<std::int64_t>;
    EXPECT_THROW(map.forall([map](std::int64_t key, Values&) { map.insert(key, 1); }), RemoteError);
    EXPECT_THROW(map.forall([map](std::int64_t key, Values&) { map.erase(key); }), RemoteError);
    EXPECT_THROW(map.forall([map](std::int64_t key, Values&) {
      map.visit_group(key, [](Values& values) { values.clear(); });
    }),
                 RemoteError);
    map.forall([map](std::int64_t key, Values& values) {
      EXPECT_EQ(map.find(key), values);
      values.push_back(map.count(key));
    });
    EXPECT_EQ(map.size(), 24);
  });
}

// A predicate that has to wait for its credit would let others change the table meanwhile.
TEST(GlobalHashMap, LetsNobodyInWhileItErases) {
  run(test::little_credit(), [] {
    const Owned<Map> map = Map::create();
    for (std::int64_t key = 0; key < 100; ++key) map->insert(key, key);
    const std::int64_t erased =
        map->erase_if([map = *map, first = true](std::int64_t key, std::int64_t&) mutable {
          if (std::exchange(first, false)) {
            spawn([map] {
              for (std::int64_t other = 1000; other < 2000; ++other) map.insert(other, other);
            });
            test::use_up_credit(1 - this_core());
            test::use_up_credit(1 - this_core());
          }
          return key % 2 == 0;
        });
    EXPECT_EQ(erased, 50);
    EXPECT_EQ(map->size(), 1050);
  });
}

TEST(CountingMap, CountsWhatAllTasksAdd) {
  test::on_machines_either_way([] {
    const Owned<CountingMap<std::string>> counts = CountingMap<std::string>::create();
    const std::int64_t n = 3000;
    forall(0, n, [counts = *counts](std::int64_t i) {
      counts.async_add(std::to_string(i % 60 * (i % 60) / 59), i % 2 + 1);
    });
    std::map<std::string, std::int64_t> expected;
    for (std::int64_t i = 0; i < n; ++i)
      expected[std::to_string(i % 60 * (i % 60) / 59)] += i % 2 + 1;
    EXPECT_EQ(counts->size(), std::ssize(expected));
    EXPECT_EQ(counts->total(), n * 3 / 2);
    for (const auto& [key, count] : expected) ASSERT_EQ(counts->count(key), count) << key;
    const auto top = counts->top_k(1);
    EXPECT_EQ(top.front().first, "0");
    EXPECT_EQ(top.front().second, expected["0"]);
    EXPECT_EQ(counts->add("0", 5), expected["0"] + 5);
    EXPECT_EQ(counts->count("never"), 0);
  });
}

// More keys than a batch has room for, and each of them a few times.
TEST(CountingMap, TakesMoreKeysThanABatchHasRoomFor) {
  run(test::threads(2), [] {
    const Owned<CountingMap<std::int64_t>> counts = CountingMap<std::int64_t>::create();
    const std::int64_t keys = 100'000;
    forall(0, 3 * keys, [=, counts = *counts](std::int64_t i) { counts.async_add(i % keys); });
    EXPECT_EQ(counts->size(), keys);
    EXPECT_EQ(counts->total(), 3 * keys);
    std::int64_t wrong = 0;
    counts->forall(
        [to = GlobalAddress<std::int64_t>::of_local(&wrong)](std::int64_t, std::int64_t& count) {
          if (count != 3) delegate::async::increment(to);
        });
    EXPECT_EQ(wrong, 0);
  });
}

}  // namespace
}  // namespace grappa
