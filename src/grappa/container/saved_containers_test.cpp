#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/counting_map.hpp"
#include "grappa/container/global_bag.hpp"
#include "grappa/container/global_hash_set.hpp"
#include "grappa/container/global_multi_map.hpp"
#include "grappa/container/global_queue.hpp"
#include "grappa/container/global_stack.hpp"
#include "grappa/container/global_vector.hpp"
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

TEST(SavedContainers, AreRefusedWhenTheyAreNotWhatWasSaved) {
  run(test::threads(1), [] {
    const Path path;
    EXPECT_THROW(static_cast<void>(GlobalBag<int>::load(path.name)), UsageError);  // no such file
    const Owned<GlobalVector<std::int64_t>> vector = GlobalVector<std::int64_t>::create();
    vector->resize(1000);
    vector->save(path.name);
    EXPECT_THROW(static_cast<void>(GlobalVector<std::int32_t>::load(path.name)), UsageError);
    EXPECT_THROW(static_cast<void>(GlobalBag<std::int64_t>::load(path.name)), UsageError);
    std::filesystem::resize_file(path.name, std::filesystem::file_size(path.name) - 1);
    EXPECT_THROW(static_cast<void>(GlobalVector<std::int64_t>::load(path.name)), UsageError);
    std::ofstream(path.name) << "something else";
    EXPECT_THROW(static_cast<void>(GlobalVector<std::int64_t>::load(path.name)), UsageError);
  });
}

}  // namespace
}  // namespace grappa
