#include "grappa/container/global_bag.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/container/test_combining.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_credit.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using Bag = GlobalBag<std::int64_t>;

TEST(GlobalBag, GivesEachValueOnceWhereverItIsWanted) {
  test::on_machines_either_way([] {
    const Owned<Bag> bag = Bag::create();
    const std::int64_t n = 500;
    // All on the last core, so that the others have to ask.
    delegate::call(core_count() - 1, [bag = *bag, n] {
      for (std::int64_t i = 0; i < n; ++i) bag.local_add(i);
    });
    EXPECT_EQ(bag->size(), n);
    const Owned<GlobalArray<std::int64_t>> taken = GlobalArray<std::int64_t>::create(n);
    CompletionEvent done;
    test::for_each_core([&](int core) {
      for (int task = 0; task < 5; ++task) {
        spawn_on(done, core, [bag = *bag, taken = *taken] {
          while (const auto value = bag.take()) delegate::increment(taken[*value]);
        });
      }
    });
    done.wait();
    // What was on its way from one core to another when somebody asked is still there.
    while (const auto value = bag->take()) delegate::increment((*taken)[*value]);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) wrong += delegate::read((*taken)[i]) == 1 ? 0 : 1;
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(bag->size(), 0);
  });
}

TEST(GlobalBag, Balances) {
  test::on_machines([] {
    const Owned<Bag> bag = Bag::create();
    on_all_cores([bag = *bag] {
      for (std::int64_t i = 0; i < this_core() * 37 % 101; ++i) bag.local_add(i);
    });
    const std::int64_t all = bag->size();
    bag->balance();
    EXPECT_EQ(bag->size(), all);
    for (const std::int64_t size : gather_cores([bag = *bag] { return bag.local_size(); })) {
      EXPECT_GE(size, all / core_count());
      EXPECT_LE(size, all / core_count() + 1);
    }
  });
}

TEST(GlobalBag, ShufflesWithoutLosingAnything) {
  test::on_machines([] {
    const Owned<Bag> bag = Bag::create();
    for (std::int64_t i = 0; i < 2000; ++i) bag->local_add(i);
    bag->shuffle(3);
    ASSERT_EQ(bag->size(), 2000);
    if (core_count() > 1) {
      EXPECT_LT(bag->local_size(), 2000 - 500);
    }
    const Owned<GlobalArray<std::int64_t>> there = GlobalArray<std::int64_t>::create(2000);
    bag->forall([there = *there](std::int64_t& value) {
      delegate::async::increment(there[value]);
      value = 0;
    });
    for (std::int64_t i = 0; i < 2000; i += 7) ASSERT_EQ(delegate::read((*there)[i]), 1);
    bag->clear();
    EXPECT_EQ(bag->take(), std::nullopt);
  });
}

TEST(BagBalance, PlansNoMoreThanIsOver) {
  const std::vector<std::int64_t> sizes = {0, 10, 3, 0, 7};
  std::vector<std::int64_t> after = sizes;
  for (const internal::Transfer& transfer : internal::plan_balance(sizes)) {
    EXPECT_GT(transfer.count, 0);
    after[static_cast<std::size_t>(transfer.from)] -= transfer.count;
    after[static_cast<std::size_t>(transfer.to)] += transfer.count;
  }
  EXPECT_EQ(after, (std::vector<std::int64_t>{4, 4, 4, 4, 4}));
}

// A body that has to wait for its credit would let others add values, which may move the others.
TEST(GlobalBag, LetsNobodyInWhileForallIsAtACore) {
  run(test::little_credit(), [] {
    const Owned<Bag> bag = Bag::create();
    on_all_cores([bag = *bag] { bag.local_add(std::vector<std::int64_t>(100, 1)); });
    bag->forall([bag = *bag, first = true](std::int64_t& value) mutable {
      if (std::exchange(first, false)) {
        spawn([bag] { bag.local_add(std::vector<std::int64_t>(1000, 2)); });
        test::use_up_credit(1 - this_core());
        test::use_up_credit(1 - this_core());
      }
      value = 2;
    });
    EXPECT_EQ(bag->size(), 2200);
    while (const auto value = bag->take()) ASSERT_EQ(*value, 2);
  });
}

}  // namespace
}  // namespace grappa
