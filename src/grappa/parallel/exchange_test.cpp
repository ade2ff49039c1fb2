#include "grappa/parallel/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

/// What `from` sends to `to`: of a length that differs for each pair, some longer than a chunk.
std::vector<std::uint64_t> letter(int from, int to) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>((from * 7 + to * 13) % 5) * 9001);
  std::iota(values.begin(), values.end(), static_cast<std::uint64_t>(from * 1000 + to));
  return values;
}

void go_through_a_round(const Exchange& exchange) {
  on_all_locales([exchange] {
    for (int to = 0; to < locale_count(); ++to) exchange.send(to, letter(this_locale(), to));
  });
  on_all_locales([exchange] {
    for (int from = 0; from < locale_count(); ++from) {
      EXPECT_EQ(exchange.take<std::uint64_t>(from), letter(from, this_locale()));
      EXPECT_TRUE(exchange.take<std::byte>(from).empty());
    }
  });
}

TEST(Exchange, EverybodyToEverybody) {
  test::on_machines([] {
    const Owned<Exchange> exchange = Exchange::create();
    for (int round = 0; round < 2; ++round) go_through_a_round(*exchange);
  });
}

TEST(Exchange, OddNumbersOfBytesAndBroadcast) {
  test::on_machines([] {
    const Owned<Exchange> exchange = Exchange::create();
    exchange->broadcast(std::vector<std::byte>(100'003, std::byte{7}));
    on_all_locales([exchange = *exchange] {
      EXPECT_EQ(exchange.take<std::byte>(0), std::vector<std::byte>(100'003, std::byte{7}));
    });
  });
}

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
void go_through(const Exchange& exchange, std::int64_t count) {
  for (std::int64_t step = 0; step < count; ++step) {
    if ((step + this_locale()) % 4 == 0) sleep_for(20'000);
    forall_here(0, locale_count(), {.grain = 1}, [exchange, step](std::int64_t other) {
      const int to = static_cast<int>(other);
      for (std::int64_t i = 0; i < item_count(step, this_locale(), to); ++i)
        exchange.add(to, Item{step, this_locale(), to, i});
    });
    std::int64_t taken = 0;
    const std::int64_t sum = exchange.end_superstep<Item>(
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

TEST(Exchange, WhatIsAddedInASuperstepArrivesAtItsEnd) {
  test::on_machines([] {
    const Owned<Exchange> exchange = Exchange::create();
    // Twice: the second loop goes on with the step after those of the first.
    for (const std::int64_t count : {7, 10})
      on_all_locales([exchange = *exchange, count] { go_through(exchange, count); });
  });
}

TEST(Exchange, RoundsAndSuperstepsInTurn) {
  test::on_machines([] {
    const Owned<Exchange> exchange = Exchange::create();
    for (int turn = 0; turn < 3; ++turn) {
      go_through_a_round(*exchange);
      on_all_locales([exchange = *exchange] { go_through(exchange, 3); });
    }
  });
}

constexpr std::int64_t kItems = 5000;

TEST(Exchange, AllCoresOfALocaleMayAdd) {
  for (const Config& config : {test::cluster(2, 2), test::cluster(3, 3)}) {
    run(config, [] {
      const Owned<Exchange> owner = Exchange::create();
      on_all_locales([exchange = *owner] {
        const int to = (this_locale() + 1) % locale_count();
        forall_here(0, kItems, {.grain = 16}, [exchange, to](std::int64_t i) {
          exchange.add(to, Item{0, this_locale(), to, i});
        });
        std::vector<bool> came(kItems);
        exchange.end_superstep<Item>(
            true,
            [&came](std::span<const Item> items) {
              EXPECT_EQ(std::ssize(items), kItems);
              for (const Item& item : items) came[static_cast<std::size_t>(item.number)] = true;
            },
            [](bool a, bool) { return a; });
        EXPECT_EQ(std::ranges::count(came, true), kItems);
      });
    });
  }
}

TEST(Exchange, AnErrorInASuperstepEndsTheRunAndIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(test::cluster(2, 1),
                  [] {
                    const Exchange exchange = Exchange::create();
                    on_all_locales([exchange] {
                      Exchange::supersteps([exchange] {
                        if (this_locale() == 1) throw std::runtime_error("out of luck");
                        exchange.end_superstep<Item>(
                            true, [](std::span<const Item>) {}, [](bool a, bool) { return a; });
                      });
                    });
                  }),
              testing::ExitedWithCode(1), "out of luck");
}

TEST(Exchange, ValuesAreCombinedInTheOrderOfTheLocales) {
  run(test::cluster(3, 1), [] {
    const Owned<Exchange> owner = Exchange::create();
    on_all_locales([exchange = *owner] {
      const int digits = exchange.end_superstep<Item>(
          this_locale() + 1, [](std::span<const Item>) { ADD_FAILURE() << "none was sent"; },
          [](int a, int b) { return a * 10 + b; });
      EXPECT_EQ(digits, 123);
    });
  });
}

}  // namespace
}  // namespace grappa
