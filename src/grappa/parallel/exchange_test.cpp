#include "grappa/graph/distributed/supersteps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>

#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

struct Item {
  std::int64_t step;
  int from;
  int to;
  std::int64_t number;
};

/// How many items `from` sends to `to` in a step; sometimes none, sometimes more than a chunk
/// holds.
std::int64_t item_count(std::int64_t step, int from, int to) {
  if (from == to) return 0;
  return (step + from * 7 + to * 13) % 5 * (step % 3 == 2 ? 4001 : 3);
}

/// A locale sends, and takes what the others send, for so many steps. Locales are not all as fast.
void go_through(const Supersteps& steps, std::int64_t count) {
  for (std::int64_t step = 0; step < count; ++step) {
    if ((step + this_locale()) % 4 == 0) sleep_for(20'000);
    forall_here(0, locale_count(), {.grain = 1}, [steps, step](std::int64_t other) {
      const int to = static_cast<int>(other);
      for (std::int64_t i = 0; i < item_count(step, this_locale(), to); ++i)
        steps.send(to, Item{step, this_locale(), to, i});
    });
    std::int64_t taken = 0;
    const std::int64_t sum = steps.exchange<Item>(
        step * 100 + this_locale(),
        [&](std::span<const Item> items) {
          const int from = items.front().from;
          EXPECT_EQ(std::ssize(items), item_count(step, from, this_locale()));
          for (std::int64_t i = 0; i < std::ssize(items); ++i) {
            const Item& item = items[static_cast<std::size_t>(i)];
            EXPECT_EQ(item.step, step);
            EXPECT_EQ(item.from, from);
            EXPECT_EQ(item.to, this_locale());
            EXPECT_EQ(item.number, i);
          }
          taken += std::ssize(items);
        },
        std::plus<>{});
    std::int64_t sent = 0;
    for (int from = 0; from < locale_count(); ++from) sent += item_count(step, from, this_locale());
    EXPECT_EQ(taken, sent);
    EXPECT_EQ(sum, locale_count() * step * 100 + locale_count() * (locale_count() - 1) / 2);
  }
}

TEST(Supersteps, WhatIsSentInAStepArrivesAtItsEnd) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [] {
      Supersteps steps = Supersteps::create();
      // Twice: the second loop goes on with the step after those of the first.
      for (const std::int64_t count : {7, 10})
        on_each_locale([steps, count] { go_through(steps, count); });
      steps.destroy();
    });
  }
}

constexpr std::int64_t kItems = 5000;

TEST(Supersteps, AllCoresOfALocaleMaySend) {
  for (const Config& config : {grappa::test::cluster(2, 2), grappa::test::cluster(3, 3)}) {
    run(config, [] {
      Supersteps steps = Supersteps::create();
      on_each_locale([steps] {
        const int to = (this_locale() + 1) % locale_count();
        forall_here(0, kItems, {.grain = 16},
                    [steps, to](std::int64_t i) { steps.send(to, Item{0, this_locale(), to, i}); });
        std::vector<bool> came(kItems);
        steps.exchange<Item>(
            true,
            [&came](std::span<const Item> items) {
              EXPECT_EQ(std::ssize(items), kItems);
              for (const Item& item : items) came[static_cast<std::size_t>(item.number)] = true;
            },
            [](bool a, bool) { return a; });
        EXPECT_EQ(std::ranges::count(came, true), kItems);
      });
      steps.destroy();
    });
  }
}

TEST(Supersteps, AnErrorEndsTheRunAndIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(grappa::test::cluster(2, 1),
                  [] {
                    const Supersteps steps = Supersteps::create();
                    on_each_locale([steps] {
                      Supersteps::run([steps] {
                        if (this_locale() == 1) throw std::runtime_error("out of luck");
                        steps.exchange<Item>(
                            true, [](std::span<const Item>) {}, [](bool a, bool) { return a; });
                      });
                    });
                  }),
              testing::ExitedWithCode(1), "out of luck");
}

TEST(Supersteps, ValuesAreCombinedInTheOrderOfTheLocales) {
  run(grappa::test::cluster(3, 1), [] {
    Supersteps steps = Supersteps::create();
    on_each_locale([steps] {
      const int digits = steps.exchange<Item>(
          this_locale() + 1, [](std::span<const Item>) { ADD_FAILURE() << "none was sent"; },
          [](int a, int b) { return a * 10 + b; });
      EXPECT_EQ(digits, 123);
    });
    steps.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
