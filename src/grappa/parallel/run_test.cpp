// run: again and again, beside other threads, with errors, and without using the processor when
// there is nothing to do.

#include "grappa/parallel/runtime.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class Run : public test::OnMachines {};
GRAPPA_ON_MACHINES(Run);

TEST_P(Run, RunsItsFunctionOnCoreZero) {
  int ran = 0;
  EXPECT_FALSE(internal::inside_runtime());
  run(config(), [&ran] {
    EXPECT_TRUE(internal::inside_runtime());
    EXPECT_EQ(this_core(), 0);
    EXPECT_EQ(this_locale(), 0);
    ++ran;
  });
  EXPECT_EQ(ran, 1);
  EXPECT_FALSE(internal::inside_runtime());
}

TEST_P(Run, DoesNotLetTheJobEndInsideOfIt) {
  run(config(), [] { EXPECT_THROW(end_job(0), UsageError); });
}

TEST_P(Run, KnowsItsCoresAndLocales) {
  const Config& c = config();
  run(c, [&c] {
    EXPECT_EQ(locale_count(), c.locales);
    EXPECT_EQ(cores_per_locale(), c.cores);
    EXPECT_EQ(core_count(), c.locales * c.cores);
    for (int core = 0; core < core_count(); ++core) {
      EXPECT_EQ(delegate::call(core, [] { return this_locale(); }), locale_of(core));
      EXPECT_EQ(locale_of(first_core_of(locale_of(core))), locale_of(core));
    }
    for (const int wrong : {-1, core_count(), 1 << 30}) {
      EXPECT_THROW(locale_of(wrong), UsageError);
      EXPECT_THROW(first_core_of(wrong), UsageError);
    }
  });
}

TEST_P(Run, MayBeCalledAgainAndAgain) {
  for (int round = 0; round < 10; ++round) {
    std::int64_t total = 0;
    run(config(), [&total] {
      const auto sum = GlobalAddress<std::int64_t>::of_local(&total);
      forall(0, 100, [sum](std::int64_t i) { delegate::async::increment(sum, i); });
    });
    EXPECT_EQ(total, 4950);
  }
}

TEST_P(Run, ReturnsWhenAllThatItCausedHasFinished) {
  std::atomic<int> ran{0};
  run(config(), [&ran] {
    static std::atomic<int>* counter;  // tasks of all locales run in this process
    counter = &ran;
    for (int core = 0; core < core_count(); ++core) {
      spawn_on(core, [] {
        sleep_for(100'000);
        spawn([] {
          yield();
          delegate::async::call((this_core() + 1) % core_count(), [] { counter->fetch_add(1); });
        });
      });
    }
  });
  EXPECT_EQ(ran.load(), config().cores * config().locales);
}

struct OwnError {
  int value;
};

TEST_P(Run, WhatTheFunctionThrowsComesOutUnchanged) {
  EXPECT_THROW(run(config(), [] { throw std::out_of_range("text"); }), std::out_of_range);
  try {
    run(config(), [] { throw OwnError{42}; });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const OwnError& e) {
    EXPECT_EQ(e.value, 42);
  }
  // Also when there is work left, which still finishes.
  std::atomic<int> ran{0};
  static std::atomic<int>* counter;
  counter = &ran;
  EXPECT_THROW(run(config(),
                   [] {
                     spawn_on(core_count() - 1, [] {
                       sleep_for(100'000);
                       counter->fetch_add(1);
                     });
                     throw std::out_of_range("text");
                   }),
               std::out_of_range);
  EXPECT_EQ(ran.load(), 1);
}

TEST_P(Run, WhatATaskThrowsComesOutAsRemoteError) {
  try {
    run(config(), [] {
      for (int core = 0; core < core_count(); ++core) {
        spawn_on(core, [] { throw std::runtime_error("in a task"); });
      }
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RemoteError& e) {
    EXPECT_EQ(e.type_name(), "std::runtime_error");
    EXPECT_EQ(e.message(), "in a task");
    EXPECT_EQ(e.others(), static_cast<std::uint64_t>(config().cores * config().locales - 1));
  }
}

/// Uses about so many bytes of stack.
__attribute__((noinline)) int dive(std::int64_t bytes) {
  volatile char frame[4000];
  frame[0] = 1;
  frame[3999] = 1;
  return bytes < 4096 ? frame[0] : dive(bytes - 4096) + frame[3999];
}

TEST_P(Run, TheFunctionHasEightMebibytesOfStack) {
  constexpr std::int64_t kBytes = 7 << 20;
  int frames = 0;
  run(config(), [&frames] { frames = dive(kBytes); });
  EXPECT_EQ(frames, kBytes / 4096 + 1);
}

TEST_P(Run, InsideARunIsRefused) {
  run(config(), [this] {
    EXPECT_THROW(run(config(), [] {}), UsageError);
    spawn([] { EXPECT_THROW(run([] {}), UsageError); });
    sleep_for(1000);  // goes on as before
  });
}

TEST_P(Run, ManyTinyRunsLeaveNoThreadsBehind) {
  for (int i = 0; i < 20; ++i) run(config(), [] {});
}

TEST(RunConfiguration, ImpossibleOnesAreRefused) {
  Config config;
  config.cores = 1 << 20;
  EXPECT_THROW(run(config, [] {}), UsageError);
  config = test::deterministic(1);
  config.locales = 70'000;
  EXPECT_THROW(run(config, [] {}), UsageError);
  config = Config{};
  config.chunk_bytes = 10;
  EXPECT_THROW(run(config, [] {}), UsageError);
}

TEST(RunConfiguration, OddSizesWork) {
  for (const std::size_t chunk : {1024u, 1025u, 1100u, 4099u}) {
    Config config = test::cluster(2, 2);
    config.chunk_bytes = chunk;
    config.flush_ns = 0;
    config.spin_ns = 0;
    config.prefetch_distance = 0;
    config.batch_prefetch = 0;
    std::int64_t total = 0;
    run(config, [&total] {
      const auto sum = GlobalAddress<std::int64_t>::of_local(&total);
      forall(0, 3000, [sum](std::int64_t i) {
        spawn_on(static_cast<int>(i % core_count()),
                 [sum, i] { delegate::async::increment(sum, i); });
      });
    });
    EXPECT_EQ(total, 2999 * 3000 / 2) << chunk;
  }
}

TEST(RunConfiguration, EveryKindOfStackWorks) {
  for (const StackMode mode : {StackMode::kGuarded, StackMode::kCanary, StackMode::kHuge}) {
    Config config = test::threads(2);
    config.stacks = mode;
    run(config, [] {
      forall(0, 200, [](std::int64_t) {
        volatile char used[20'000];
        for (std::size_t i = 0; i < sizeof used; i += 64) used[i] = 1;
        yield();
      });
    });
  }
}

// ---- beside other threads

TEST(RunBesideThreads, AThreadOfTheProgramMayCallIt) {
  std::int64_t total = 0;
  std::thread thread([&total] {
    run(test::threads(2), [&total] {
      total = reduce_cores([] { return std::int64_t{1}; }, std::int64_t{0}, std::plus<>{});
    });
  });
  thread.join();
  EXPECT_EQ(total, 2);
}

TEST(RunBesideThreads, TwoThreadsMayRunAtTheSameTime) {
  std::atomic<std::int64_t> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&total, t] {
      const Config config = t == 0 ? test::threads(2) : test::deterministic(3);
      for (int round = 0; round < 20; ++round) {
        std::int64_t mine = 0;
        run(config, [&mine] {
          const auto sum = GlobalAddress<std::int64_t>::of_local(&mine);
          forall(0, 200, [sum](std::int64_t i) { delegate::async::increment(sum, i); });
        });
        total += mine;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total.load(), 2 * 20 * 199 * 200 / 2);
}

TEST(RunBesideThreads, TheCallersAffinityIsAsBeforeAfterwards) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  Config config = test::threads(1);
  config.pin = true;
  int inside = 0;
  run(config, [&inside] {
    cpu_set_t now;
    sched_getaffinity(0, sizeof now, &now);
    inside = CPU_COUNT(&now);
  });
  EXPECT_EQ(inside, 1);
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(RunBesideThreads, AThreadThatMayUseLessThanTheProcessIsSaidToBeTheReason) {
  const std::vector<int> usable = internal::usable_processors();
  if (usable.size() < 2) GTEST_SKIP() << "one processor";
  std::string refusal;
  std::thread([&] {
    internal::pin_this_thread(usable.front());
    try {
      run(test::threads(2), [] {});
    } catch (const UsageError& e) {
      refusal = e.what();
    }
  }).join();
  EXPECT_NE(refusal.find("offers 1 to the thread that starts the run (its affinity mask"),
            std::string::npos)
      << refusal;
}

// ---- idle

std::uint64_t cpu_time_ns() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(t.tv_usec) * 1000;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

TEST(RunIdle, AParkedRuntimeUsesNoProcessor) {
#if defined(GRAPPA_TSAN) || defined(GRAPPA_ASAN)
  static constexpr std::uint64_t kAllowed = 50'000'000;  // the sanitizer has a thread of its own
#else
  static constexpr std::uint64_t kAllowed = 5'000'000;
#endif
  for (const Config& config : {test::threads(1), test::threads(2), test::cluster(2)}) {
    run(config, [] {
      sleep_for(10'000'000);  // everybody has gone to sleep
      const std::uint64_t before = cpu_time_ns();
      const std::uint64_t start = internal::now_ns();
      sleep_for(1'000'000'000);
      EXPECT_GE(internal::now_ns() - start, 1'000'000'000u);
      EXPECT_LT(cpu_time_ns() - before, kAllowed);
    });
  }
}

TEST(RunIdle, ASleepingRuntimeWakesForWhatIsSent) {
  run(test::threads(2), [] {
    for (int i = 0; i < 20; ++i) {
      sleep_for(2'000'000);  // the other core has parked
      EXPECT_EQ(delegate::call(core_count() - 1, [] { return this_core(); }), core_count() - 1);
    }
  });
}

TEST(RunSimulated, VirtualTimePassesWithoutWaiting) {
  const std::uint64_t start = internal::now_ns();
  run(test::deterministic(2), [] {
    const std::uint64_t before = run_time_ns();
    sleep_for(3'600'000'000'000);  // an hour
    EXPECT_GE(run_time_ns() - before, 3'600'000'000'000u);
    EXPECT_LE(run_time_ns() - before, 3'600'000'100'000u);
  });
  EXPECT_LT(internal::now_ns() - start, 30'000'000'000u);
}

TEST(RunSimulated, YieldingUntilSomethingArrivesEnds) {
  run(test::deterministic(2), [] {
    std::int64_t flag = 0;
    const auto address = GlobalAddress<std::int64_t>::of_local(&flag);
    spawn_on(1, [address] { delegate::async::write(address, 1); });
    while (flag == 0) yield();
  });
}

TEST(RunSimulated, LatencyIsAsConfigured) {
  Config config = test::deterministic(2);
  config.simulation.reorder = 0;
  config.simulation.latency_ns = 50'000;
  run(config, [] {
    const std::uint64_t start = run_time_ns();
    delegate::call(1, [] {});
    const std::uint64_t round_trip = run_time_ns() - start;
    EXPECT_GE(round_trip, 100'000u);
    EXPECT_LE(round_trip, 110'000u);
  });
}

}  // namespace
}  // namespace grappa
