#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/array_file.hpp"
#include "grappa/container/counting_map.hpp"
#include "grappa/container/global_bag.hpp"
#include "grappa/container/global_counter.hpp"
#include "grappa/container/global_hash_map.hpp"
#include "grappa/container/global_hash_set.hpp"
#include "grappa/container/global_multi_map.hpp"
#include "grappa/container/global_queue.hpp"
#include "grappa/container/global_stack.hpp"
#include "grappa/container/global_vector.hpp"
#include "grappa/container/union_find.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

/// A file that is gone at the end.
struct Path {
  std::string name = testing::TempDir() + "saved_container_" + std::to_string(getpid());
  ~Path() { std::filesystem::remove(name); }
};

/// What of a container comes back from a file, by one machine and by another.
template <class C, class Fill, class Check>
void expect_saved(const Fill& fill, const Check& check) {
  for (const auto& [saves, loads] : {std::pair(test::threads(1), test::deterministic(3, 2)),
                                     std::pair(test::deterministic(8, 1), test::threads(2))}) {
    const Path path;
    run(saves, [&] {
      const Owned<C> container = C::create();
      fill(*container);
      container->save(path.name);
    });
    run(loads, [&] {
      const Owned<C> container = C::load(path.name);
      check(*container);
    });
  }
}

/// Changes 8 bytes of a file, so many before its end.
void change_number(const std::string& path, std::int64_t before_end, std::int64_t number) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(-before_end, std::ios::end);
  file.write(reinterpret_cast<const char*>(&number), sizeof number);
}
/// The last one before the mark of the end.
void change_last_number(const std::string& path, std::int64_t number) {
  change_number(path, 16, number);
}

TEST(SavedContainers, ComeBackOnOtherMachines) {
  using Vector = GlobalVector<std::int32_t>;
  expect_saved<Vector>(
      [](const Vector& v) {
        for (int i = 0; i < 3000; ++i) v.async_push(i);
        v.push(-1);
      },
      [](const Vector& v) {
        ASSERT_EQ(v.size(), 3001);
        v.sort();
        for (int i = 0; i < 3001; i += 100) EXPECT_EQ(delegate::read(v[i]), i - 1);
      });
  using Queue = GlobalQueue<std::int64_t>;
  expect_saved<Queue>([](const Queue& q) { q.enqueue(std::vector<std::int64_t>{3, 1, 2}); },
                      [](const Queue& q) {
                        EXPECT_EQ(q.try_dequeue(), 3);
                        EXPECT_EQ(q.try_dequeue(), 1);
                        EXPECT_EQ(q.size(), 1);
                      });
  using Stack = GlobalStack<std::int64_t>;
  expect_saved<Stack>([](const Stack& s) { s.push(std::vector<std::int64_t>{3, 1, 2}); },
                      [](const Stack& s) {
                        EXPECT_EQ(s.try_pop(), 2);
                        EXPECT_EQ(s.size(), 2);
                      });
  using Bag = GlobalBag<std::int64_t>;
  expect_saved<Bag>([](const Bag& bag) { on_all_cores([bag] { bag.local_add(this_core()); }); },
                    [](const Bag& bag) { EXPECT_TRUE(bag.size() == 1 || bag.size() == 8); });
  using Set = GlobalHashSet<std::string>;
  expect_saved<Set>(
      [](const Set& set) {
        for (int i = 0; i < 100; ++i) set.insert(std::string(static_cast<std::size_t>(i), 'x'));
      },
      [](const Set& set) {
        EXPECT_EQ(set.size(), 100);
        EXPECT_TRUE(set.contains(std::string(70, 'x')));
      });
  using Words = CountingMap<std::string>;
  expect_saved<Words>(
      [](const Words& words) {
        words.add("", 5);
        words.add("a", 7);
      },
      [](const Words& words) {
        EXPECT_EQ(words.count(""), 5);
        EXPECT_EQ(words.total(), 12);
      });
  using Multi = GlobalMultiMap<std::int64_t, char>;
  expect_saved<Multi>(
      [](const Multi& map) {
        for (std::int64_t i = 0; i < 50; ++i) map.insert(i % 5, 'c');
      },
      [](const Multi& map) {
        EXPECT_EQ(map.count(3), 10);
        EXPECT_EQ(map.size(), 50);
      });
}

TEST(SavedContainers, ComeBackWithValuesThatAreSerialized) {
  using Texts = std::vector<std::string>;
  using Map = GlobalHashMap<std::string, Texts>;
  expect_saved<Map>([](const Map& map) { map.insert("a", {"b", "", "c"}); },
                    [](const Map& map) {
                      EXPECT_EQ(map.size(), 1);
                      EXPECT_EQ(map.find("a"), (Texts{"b", "", "c"}));
                    });
  using Vector = GlobalVector<std::string>;
  expect_saved<Vector>(
      [](const Vector& v) {
        for (int i = 0; i < 300; ++i) v.push(std::to_string(i));
      },
      [](const Vector& v) {
        EXPECT_EQ(v.size(), 300);
        EXPECT_EQ(delegate::read(v[299]), "299");
      });
  using Queue = GlobalQueue<Texts>;
  expect_saved<Queue>([](const Queue& q) { q.enqueue(std::vector<Texts>{{"1"}, {}, {"2", "3"}}); },
                      [](const Queue& q) {
                        EXPECT_EQ(q.dequeue(), Texts{"1"});
                        EXPECT_EQ(q.dequeue(), Texts{});
                        EXPECT_EQ(q.dequeue(), (Texts{"2", "3"}));
                      });
  using Bag = GlobalBag<std::string>;
  expect_saved<Bag>([](const Bag& bag) { bag.local_add("text"); },
                    [](const Bag& bag) { EXPECT_EQ(bag.take(), "text"); });
}

TEST(SavedContainers, ComeBackAsArraysInAnyDistribution) {
  for (const Distribution written : {Distribution::kBlock, Distribution::kPermuted}) {
    const Path path;
    const std::int64_t n = 300'000;  // more than a piece
    run(test::deterministic(3, 2), [&] {
      const Owned<GlobalArray<std::int32_t>> array =
          GlobalArray<std::int32_t>::create_for_overwrite(n, written);
      array->forall([](std::int64_t i, std::int32_t& x) { x = static_cast<std::int32_t>(3 * i); });
      save_array(*array, path.name);
    });
    run(test::threads(2), [&] {
      const Owned<GlobalArray<std::int32_t>> array =
          load_array<std::int32_t>(path.name, Distribution::kCyclic);
      ASSERT_EQ(array->size(), n);
      std::vector<std::int32_t> all(static_cast<std::size_t>(n));
      read_span(*array, 0, std::span(all));
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], 3 * i);
    });
  }
  run(test::threads(1), [] {
    const Path path;
    const Owned<GlobalArray<char>> empty = GlobalArray<char>::create(0);
    save_array(*empty, path.name);
    const Owned<GlobalArray<char>> again = load_array<char>(path.name);
    EXPECT_EQ(again->size(), 0);
  });
}

TEST(SavedContainers, ComeBackAsCountersAndSets) {
  expect_saved<GlobalCounter>(
      [](const GlobalCounter& counter) { counter.add(-77); },
      [](const GlobalCounter& counter) { EXPECT_EQ(counter.value(), -77); });
  const Path path;
  run(test::deterministic(2, 2), [&] {
    const Owned<UnionFind> sets = UnionFind::create(1000);
    for (std::int64_t i = 0; i + 7 < 1000; ++i) sets->unite(i, i + 7);
    sets->save(path.name);
  });
  run(test::threads(2), [&] {
    const Owned<UnionFind> sets = UnionFind::load(path.name);
    EXPECT_EQ(sets->set_count(), 7);
    EXPECT_EQ(sets->find(999), 999 % 7);
    sets->clear();
    EXPECT_EQ(sets->set_count(), 1000);
  });
}

TEST(SavedContainers, AreRefusedWhenTheyAreNotWhatWasSaved) {
  run(test::threads(1), [] {
    const Path path;
    EXPECT_THROW(static_cast<void>(GlobalBag<int>::load(path.name)), UsageError);  // no such file
    const Owned<GlobalVector<std::int64_t>> vector = GlobalVector<std::int64_t>::create();
    vector->resize(1000);
    vector->save(path.name);
    EXPECT_THROW(static_cast<void>(GlobalVector<std::int32_t>::load(path.name)), UsageError);
    EXPECT_THROW(static_cast<void>(GlobalBag<std::int64_t>::load(path.name)), UsageError);
    EXPECT_THROW(static_cast<void>(GlobalVector<double>::load(path.name)), UsageError);
    EXPECT_THROW(static_cast<void>(GlobalVector<std::uint64_t>::load(path.name)), UsageError);
    // To a program the integers of one size are the same.
    EXPECT_EQ(Owned(GlobalVector<long long>::load(path.name))->size(), 1000);
    std::filesystem::resize_file(path.name, std::filesystem::file_size(path.name) - 1);
    EXPECT_THROW(static_cast<void>(GlobalVector<std::int64_t>::load(path.name)), UsageError);
    const Owned<GlobalHashMap<int, int>> map = GlobalHashMap<int, int>::create();
    map->save(path.name);
    EXPECT_THROW(static_cast<void>(GlobalHashMap<int, float>::load(path.name)), UsageError);
    const Owned<UnionFind> sets = UnionFind::create(100);
    sets->save(path.name);
    EXPECT_THROW(static_cast<void>(load_array<std::int64_t>(path.name)), UsageError);
    change_last_number(path.name, 100);
    EXPECT_THROW(static_cast<void>(UnionFind::load(path.name)), UsageError);
    change_last_number(path.name, -1);
    EXPECT_THROW(static_cast<void>(UnionFind::load(path.name)), UsageError);
    const Owned<GlobalQueue<std::string>> texts = GlobalQueue<std::string>::create();
    texts->enqueue("12345678");
    texts->save(path.name);
    EXPECT_THROW(static_cast<void>(GlobalQueue<std::vector<int>>::load(path.name)), UsageError);
    change_last_number(path.name, 0);
    EXPECT_EQ(Owned(GlobalQueue<std::string>::load(path.name))->dequeue(), std::string(8, '\0'));
    change_number(path.name, 24, 9);  // the length of the text
    EXPECT_THROW(static_cast<void>(GlobalQueue<std::string>::load(path.name)), UsageError);
    std::ofstream(path.name) << "something else";
    EXPECT_THROW(static_cast<void>(GlobalVector<std::int64_t>::load(path.name)), UsageError);
  });
}

}  // namespace
}  // namespace grappa
