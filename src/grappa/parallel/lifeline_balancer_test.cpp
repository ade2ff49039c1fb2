// Stealing between locales: work spreads, is counted exactly, and nothing is sent for nothing.

#include "grappa/parallel/lifeline_balancer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

std::uint64_t metric(const std::string& name) {
  for (const auto& value : metrics_snapshot()) {
    if (value.name == name) return value.total;
  }
  throw std::logic_error("no metric " + name);
}

/// Computes for that long, on the clock of the run, and lets others have their turn. In a
/// deterministic simulation nothing but the driver moves the clock, so that code takes no time;
/// here it shall.
void compute(std::uint64_t ns) {
  const std::uint64_t end = internal::here().now() + ns;
  if (const internal::VirtualClock* clock = internal::here().locale.virtual_clock) {
    const_cast<internal::VirtualClock*>(clock)->advance_to(end);
  } else {
    while (internal::now_ns() < end) internal::cpu_relax();
  }
  yield();
}

struct CoreTally {
  SymmetricAddress<std::int64_t> ran = symmetric_alloc<std::int64_t>();
  void operator()() const { ++ran.local(); }
  std::vector<std::int64_t> by_core() const {
    const auto counter = ran;
    return gather_cores([counter] { return counter.local(); });
  }
};

void expect_fair(const CoreTally& tally, std::int64_t total) {
  const std::vector<std::int64_t> ran = tally.by_core();
  std::int64_t sum = 0;
  for (const std::int64_t n : ran) sum += n;
  EXPECT_EQ(sum, total);
  const std::int64_t fair = total / std::ssize(ran);
  for (std::size_t core = 0; core < ran.size(); ++core)
    EXPECT_GE(ran[core], fair / 3) << "core " << core << " of " << ran.size();
}

struct Shape {
  int locales;
  int cores_each;
  RoutePolicy route = RoutePolicy::kFlat;
};

class Balance : public testing::TestWithParam<Shape> {
 protected:
  Config config() const {
    Config config = test::deterministic(GetParam().locales, GetParam().cores_each, 7);
    config.route = GetParam().route;
    config.shuffle = false;
    // Whoever forwards is busy, and sends what is small only when it is old.
    if (config.route == RoutePolicy::kTwoHop) config.flush_ns = 20'000;
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(On, Balance,
                         testing::Values(Shape{2, 1}, Shape{4, 1}, Shape{4, 2}, Shape{7, 1},
                                         Shape{9, 1, RoutePolicy::kTwoHop}),
                         [](const auto& test) {
                           return std::to_string(test.param.locales) + "LocalesOf" +
                                  std::to_string(test.param.cores_each) +
                                  (test.param.route == RoutePolicy::kTwoHop ? "InTwoHops" : "");
                         });

TEST_P(Balance, OneProducer) {
  run(config(), [] {
    const CoreTally tally;
    CompletionEvent done;
    const int tasks = 2'000 * core_count();
    for (int i = 0; i < tasks; ++i) {
      spawn_public(done, [tally] {
        compute(2'000);
        tally();
      });
    }
    done.wait();
    expect_fair(tally, tasks);
    EXPECT_GT(metric("steal.tasks"), 0u);
    symmetric_free(tally.ran);
  });
}

TEST_P(Balance, AProducerThatGoesOnProducing) {
  run(config(), [] {
    const CoreTally tally;
    CompletionEvent done;
    const int rounds = 300;
    for (int i = 0; i < rounds; ++i) {
      for (int k = 0; k < 4 * core_count(); ++k) {
        spawn_public(done, [tally] {
          compute(2'000);
          tally();
        });
      }
      yield();
    }
    done.wait();
    expect_fair(tally, std::int64_t{rounds} * 4 * core_count());
    symmetric_free(tally.ran);
  });
}

struct Recursion {
  CoreTally tally;
  int depth;
  void operator()() const {
    tally();
    compute(2'000);
    // One child is deep, the other shallow, so that nothing is balanced beforehand.
    if (depth > 0) spawn_public(Recursion{tally, depth - 1});
    if (depth > 1) spawn_public(Recursion{tally, depth - 2});
  }
};

std::int64_t nodes(int depth) {
  return 1 + (depth > 0 ? nodes(depth - 1) : 0) + (depth > 1 ? nodes(depth - 2) : 0);
}

TEST_P(Balance, DeepRecursion) {
  run(config(), [] {
    const CoreTally tally;
    CompletionEvent done;
    spawn_public(done, Recursion{tally, 19});
    done.wait();
    expect_fair(tally, nodes(19));
    symmetric_free(tally.ran);
  });
}

TEST_P(Balance, LoopsWhoseWorkLiesInOnePart) {
  Config few = config();
  few.max_forall_workers = 4;  // what has begun is not stolen any more
  run(few, [] {
    const CoreTally tally;
    const std::int64_t n = 60'000 * core_count();
    const std::int64_t heavy = n / core_count();
    forall(0, n, {.grain = 8}, [=](std::int64_t i) {
      if (i >= heavy) return;
      compute(2'000);
      tally();
    });
    expect_fair(tally, heavy);
    EXPECT_GT(metric("steal.units"), 0u);
    symmetric_free(tally.ran);
  });
}

TEST_P(Balance, LargeClosuresTravelToo) {
  run(config(), [] {
    const CoreTally tally;
    struct Large {
      std::int64_t numbers[100];
      CoreTally tally;
      void operator()() const {
        compute(2'000);
        for (std::int64_t i = 0; i < 100; ++i) {
          if (numbers[i] != i * numbers[1]) throw std::logic_error("a closure has changed");
        }
        tally();
      }
    } large{{}, tally};
    CompletionEvent done;
    const int tasks = 2'000 * core_count();
    for (int i = 0; i < tasks; ++i) {
      for (std::int64_t k = 0; k < 100; ++k) large.numbers[k] = k * i;
      spawn_public(done, large);
    }
    done.wait();
    expect_fair(tally, tasks);
    symmetric_free(tally.ran);
  });
}

TEST_P(Balance, ExceptionsOfStolenTasksReachTheWaiter) {
  run(config(), [] {
    CompletionEvent done;
    const int tasks = 400 * core_count();
    const int home = this_locale();
    for (int i = 0; i < tasks; ++i) {
      spawn_public(done, [home] {
        compute(2'000);
        if (this_locale() != home) throw std::runtime_error("from afar");
      });
    }
    try {
      done.wait();
      ADD_FAILURE() << "nothing was stolen, or nothing was thrown";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.message(), "from afar");
    }
  });
}

TEST_P(Balance, NothingIsAskedWhereNothingCanBeStolen) {
  run(config(), [] {
    const auto words = global_alloc<std::int64_t>(10'000);
    for (int round = 0; round < 5; ++round) {
      forall(words, 10'000, [=](std::int64_t i, std::int64_t& word) {
        word = i;
        delegate::async::increment(words + (i * 7919) % 10'000);
      });
      on_all_cores([] { spawn([] { compute(2'000); }); });
      forall_here(0, 1'000, {.grain = 1}, [](std::int64_t) { compute(2'000); });
      sleep_for(10'000'000);
    }
    global_free(words);
    EXPECT_EQ(metric("steal.requests"), 0u);
    EXPECT_EQ(metric("steal.wakes"), 0u);
  });
}

TEST_P(Balance, CoresGoQuietWhenTheWorkHasEnded) {
  run(config(), [] {
    const CoreTally tally;
    CompletionEvent done;
    for (int i = 0; i < 200 * core_count(); ++i) {
      spawn_public(done, [] { compute(2'000); });
    }
    done.wait();
    sleep_for(500'000'000);
    const std::uint64_t requests = metric("steal.requests");
    EXPECT_GT(requests, 0u);
    sleep_for(10'000'000'000);
    EXPECT_EQ(metric("steal.requests"), requests);
    // They wake up again.
    for (int i = 0; i < 2'000 * core_count(); ++i) {
      spawn_public(done, [tally] {
        compute(2'000);
        tally();
      });
    }
    done.wait();
    expect_fair(tally, 2'000 * core_count());
    symmetric_free(tally.ran);
  });
}

TEST_P(Balance, LoopsOfALocaleStayThere) {
  run(config(), [] {
    const int home = this_locale();
    forall_here(0, 2'000, {.grain = 1}, [home](std::int64_t) {
      compute(2'000);
      if (this_locale() != home) throw std::logic_error("left its locale");
    });
    EXPECT_EQ(metric("steal.units"), 0u);
  });
}

TEST(BalanceDeathTest, DeadlocksAreStillFound) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(test::deterministic(4, 1),
                  [] {
                    CompletionEvent done;
                    for (int i = 0; i < 1'000; ++i) spawn_public(done, [] { compute(2'000); });
                    done.wait();
                    internal::this_scheduler().suspend("what never comes");
                  }),
              testing::ExitedWithCode(1), "deadlock: .*what never comes");
  EXPECT_EXIT(run(test::cluster(2, 1),
                  [] {
                    CompletionEvent done;
                    for (int i = 0; i < 1'000; ++i) spawn_public(done, [] { compute(2'000); });
                    done.wait();
                    internal::this_scheduler().suspend("what never comes");
                  }),
              testing::ExitedWithCode(1), "deadlock: .*what never comes");
}

TEST(BalanceTimed, ThreadsAndTimeBalanceToo) {
  for (const int cores : {1, 2}) {
    run(test::cluster(2, cores), [] {
      const CoreTally tally;
      CompletionEvent done;
      const int tasks = 2'000;
      for (int i = 0; i < tasks; ++i) {
        spawn_public(done, [tally] {
          compute(20'000);
          tally();
        });
      }
      done.wait();
      std::int64_t sum = 0;
      std::int64_t afar = 0;
      const std::vector<std::int64_t> ran = tally.by_core();
      for (std::size_t core = 0; core < ran.size(); ++core) {
        sum += ran[core];
        if (core >= static_cast<std::size_t>(cores_per_locale())) afar += ran[core];
      }
      EXPECT_EQ(sum, tasks);
      EXPECT_GT(afar, 0);
      EXPECT_EQ(metric("steal.tasks") > 0, afar > 0);
      symmetric_free(tally.ran);
    });
  }
}

TEST(LifelinesTest, EveryCoreIsTakenOnceAndComesBackWhenItWaits) {
  Config config;
  for (const int locales : {2, 3, 5, 8}) {
    const int cores = 2;
    internal::Locale locale(1, locales, cores, config);
    internal::Lifelines lifelines(locale);
    std::vector<int> taken;
    for (int core = lifelines.take(); core >= 0; core = lifelines.take()) taken.push_back(core);
    EXPECT_EQ(std::ssize(taken), lifelines.count() * cores);
    EXPECT_FALSE(lifelines.anybody_waits());
    // Whoever is taken here has a lifeline that ends here.
    for (const int core : taken) {
      internal::Locale other(core / cores, locales, cores, config);
      const internal::Lifelines its(other);
      int ends_here = 0;
      for (int k = 0; k < its.count(); ++k) ends_here += its.target(k) == locale.id;
      EXPECT_EQ(ends_here, 1) << core;
    }
    lifelines.wait(0, taken.front());
    lifelines.wait(0, taken.front());
    EXPECT_TRUE(lifelines.anybody_waits());
    EXPECT_EQ(lifelines.take(), taken.front());
    EXPECT_FALSE(lifelines.anybody_waits());
    EXPECT_EQ(lifelines.take(), -1);
  }
}

}  // namespace
}  // namespace grappa
