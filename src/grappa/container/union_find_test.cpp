#include "grappa/container/union_find.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

struct Pair {
  std::int64_t a;
  std::int64_t b;
};

std::vector<Pair> random_pairs(std::int64_t n, std::int64_t count, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<Pair> pairs;
  for (std::int64_t k = 0; k < count; ++k)
    pairs.push_back(
        {static_cast<std::int64_t>(random()) % n, static_cast<std::int64_t>(random()) % n});
  return pairs;
}

/// The least number of each one's set, found in the simplest way.
std::vector<std::int64_t> least_of_sets(std::int64_t n, const std::vector<Pair>& pairs) {
  std::vector<std::int64_t> least(static_cast<std::size_t>(n));
  std::iota(least.begin(), least.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Pair& pair : pairs) {
      std::int64_t& a = least[static_cast<std::size_t>(pair.a)];
      std::int64_t& b = least[static_cast<std::size_t>(pair.b)];
      if (a == b) continue;
      a = b = std::min(a, b);
      changed = true;
    }
  }
  return least;
}

TEST(UnionFind, UnitesWhatItIsToldInAnyOrder) {
  test::on_machines([] {
    const std::int64_t n = 400;
    for (const std::int64_t count : {0, 100, 300, 2000}) {
      const std::vector<Pair> pairs = random_pairs(n, count, 7);
      const Owned<UnionFind> sets = UnionFind::create(n);
      const Owned<GlobalArray<Pair>> shared =
          GlobalArray<Pair>::create(std::max(count, std::int64_t{1}));
      for (std::int64_t k = 0; k < count; ++k)
        delegate::write((*shared)[k], pairs[static_cast<std::size_t>(k)]);
      shared->forall([sets = *sets, count](std::int64_t k, Pair& pair) {
        if (k >= count) return;
        if (k % 10 == 0) {
          sets.unite(pair.a, pair.b);
        } else {
          sets.async_unite(pair.a, pair.b);
        }
      });
      const std::vector<std::int64_t> expected = least_of_sets(n, pairs);
      std::map<std::int64_t, std::int64_t> expected_sizes;
      for (const std::int64_t least : expected) ++expected_sizes[least];
      EXPECT_EQ(sets->set_count(), std::ssize(expected_sizes));
      for (std::int64_t i = 0; i < n; i += 13)
        ASSERT_EQ(sets->find(i), expected[static_cast<std::size_t>(i)]) << i;
      const Owned<CountingMap<std::int64_t>> sizes = sets->component_sizes();
      EXPECT_EQ(sizes->size(), std::ssize(expected_sizes));
      for (const auto& [least, size] : expected_sizes) ASSERT_EQ(sizes->count(least), size);
      for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(delegate::read(sets->parents()[i]), expected[static_cast<std::size_t>(i)]);
    }
  });
}

// A chain, whose ways are as long as they get.
TEST(UnionFind, UnitesManyPairsAtOnce) {
  test::on_machines([] {
    const Owned<UnionFind> sets = UnionFind::create(1000);
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (std::int64_t i = 999; i >= 10; --i) pairs.emplace_back(i, i - 10);
    sets->unite(pairs);
    EXPECT_EQ(sets->set_count(), 10);
    EXPECT_TRUE(sets->is_united(3, 993));
    pairs.emplace_back(0, 1000);
    EXPECT_THROW(sets->unite(pairs), UsageError);
  });
}

TEST(UnionFind, CompressesLongWays) {
  test::on_machines([] {
    const std::int64_t n = 1000;
    const Owned<UnionFind> sets = UnionFind::create(n);
    for (std::int64_t i = n - 1; i > 0; --i) sets->unite(i, i - 1);
    EXPECT_EQ(sets->set_count(), 1);
    sets->compress();
    EXPECT_EQ(delegate::read(sets->parents()[n - 1]), 0);
  });
}

// What is united between a look at the grandparents and the step to them is not lost.
TEST(UnionFind, KeepsWhatIsUnitedWhileItCompresses) {
  test::on_machines([] {
    const std::int64_t n = 1000;
    const Owned<UnionFind> sets = UnionFind::create(n);
    CompletionEvent uniting;
    test::for_each_core([&](int core) {
      spawn_on(uniting, core, [sets = *sets, n] {
        for (std::int64_t i = n - 1 - this_core(); i > 0; i -= core_count()) sets.unite(i, i / 2);
      });
    });
    while (!uniting.finished()) sets->compress();
    uniting.wait();
    EXPECT_EQ(sets->set_count(), 1);
    sets->compress();
    for (std::int64_t i = 0; i < n; i += 37) ASSERT_EQ(delegate::read(sets->parents()[i]), 0);
  });
}

TEST(UnionFind, RefusesWhatIsNotThere) {
  test::on_machines([] {
    UnionFind sets = UnionFind::create(10);
    EXPECT_THROW(sets.unite(0, 10), UsageError);
    EXPECT_THROW(sets.async_unite(-1, 0), UsageError);
    EXPECT_THROW(sets.find(10), UsageError);
    sets.destroy();
    EXPECT_THROW(sets.unite(0, 1), UsageError);
  });
}

}  // namespace
}  // namespace grappa
