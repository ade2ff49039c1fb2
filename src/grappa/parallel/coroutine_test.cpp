// Coroutines with delegates, events and full/empty words, on every machine.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/delegate/awaitable.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/sync/awaitable.hpp"

namespace grappa {
namespace {

class CoroutineDelegates : public test::OnMachines {};
GRAPPA_ON_MACHINES(CoroutineDelegates);

using Words = GlobalAddress<std::int64_t>;

// Word 0 of each core holds 100 + its number.
Coroutine<> all_operations(SymmetricAddress<std::int64_t> words, std::int64_t* done) {
  for (int core = 0; core < core_count(); ++core) {
    const Words word = words.on(core);
    EXPECT_EQ(co_await co::read(word), 100 + core);
    co_await co::write(word + 1, 5);
    EXPECT_EQ(co_await co::fetch_add(word + 1, 3), 5);
    EXPECT_FALSE(co_await co::compare_exchange(word + 1, 7, 1));
    EXPECT_TRUE(co_await co::compare_exchange(word + 1, 8, 20));
    co_await co::increment(word + 1);
    EXPECT_EQ(co_await co::call(word + 1, [](std::int64_t& x) { return x *= 2; }), 42);
    EXPECT_EQ(co_await co::call(core, [] { return this_core(); }), core);
    co_await co::call(word + 1, [](std::int64_t& x) { x = 0; });
    EXPECT_EQ(co_await co::call(core, [] { return std::string(100, 'x'); }), std::string(100, 'x'));
  }
  ++*done;
}

TEST_P(CoroutineDelegates, HaveTheResultsOfBlockingOnes) {
  run(config(), [] {
    const auto words = symmetric_alloc<std::int64_t>(2);
    on_all_cores([=] { *words.pointer() = 100 + this_core(); });
    std::int64_t done = 0;
    CompletionEvent event;
    spawn(event, all_operations(words, &done));
    event.wait();
    EXPECT_EQ(done, 1);
    symmetric_free(words);
  });
}

Coroutine<> add_everywhere(SymmetricAddress<std::int64_t> words, std::int64_t rounds) {
  for (std::int64_t i = 0; i < rounds; ++i)
    co_await co::fetch_add(words.on(static_cast<int>(i % core_count())), 1);
}

TEST_P(CoroutineDelegates, OfManyAtOnceAddUp) {
  run(config(), [] {
    const auto words = symmetric_alloc<std::int64_t>();
    on_all_cores([=] {
      for (int i = 0; i < 50; ++i) spawn(add_everywhere(words, 3 * core_count()));
    });
    for (int core = 0; core < core_count(); ++core)
      EXPECT_EQ(delegate::read(words.on(core)), 150 * core_count());
    symmetric_free(words);
  });
}

Coroutine<> both_at_once(SymmetricAddress<std::int64_t> words, std::int64_t* sum) {
  auto first = delegate::issue_read(words.on(core_count() - 1));
  auto second = delegate::issue_read(words.on(0));
  *sum = co_await first + co_await second;
  *sum += co_await delegate::issue_read(words.on(0));
}

TEST_P(CoroutineDelegates, SplitPhaseOperationsAreAwaited) {
  run(config(), [] {
    const auto words = symmetric_alloc<std::int64_t>();
    on_all_cores([=] { *words.pointer() = 10 + this_core(); });
    std::int64_t sum = 0;
    CompletionEvent event;
    spawn(event, both_at_once(words, &sum));
    event.wait();
    EXPECT_EQ(sum, 30 + core_count() - 1);
    symmetric_free(words);
  });
}

Coroutine<> read_of_one_that_throws(int core, std::vector<std::string>* said) {
  for (int round = 0; round < 2; ++round) {
    try {
      co_await co::call(core, []() -> std::int64_t { throw std::runtime_error("not today"); });
    } catch (const RemoteError& error) {
      said->push_back(error.message());
    }
  }
  co_await co::call(core, [] { throw std::runtime_error("out"); });
}

TEST_P(CoroutineDelegates, ErrorsComeBack) {
  run(config(), [] {
    for (const int core : {0, core_count() - 1}) {
      std::vector<std::string> said;
      CompletionEvent event;
      spawn(event, read_of_one_that_throws(core, &said));
      EXPECT_THROW(event.wait(), RemoteError);
      EXPECT_EQ(said, (std::vector<std::string>{"not today", "not today"}));
    }
    EXPECT_THROW((void)co::call(core_count(), [] { return 1; }), UsageError);
  });
}

// ---- what waits for tasks of the core

Coroutine<> produce(FullEmpty<std::int64_t>* word, std::int64_t count) {
  for (std::int64_t i = 1; i <= count; ++i) co_await co::write_ef(*word, i);
}

Coroutine<> consume(FullEmpty<std::int64_t>* word, std::int64_t count, std::int64_t* sum) {
  for (std::int64_t i = 0; i < count; ++i) *sum += co_await co::read_fe(*word);
}

TEST_P(CoroutineDelegates, FullEmptyWordsAreSharedWithTasks) {
  run(config(), [] {
    FullEmpty<std::int64_t> word;
    std::int64_t sum = 0;
    std::int64_t* const total = &sum;
    FullEmpty<std::int64_t>* const shared = &word;
    CompletionEvent event;
    spawn(event, produce(shared, 100));
    spawn(event, consume(shared, 60, total));
    spawn(event, [=] {
      for (int i = 0; i < 40; ++i) *total += shared->read_fe();
    });
    event.wait();
    EXPECT_EQ(sum, 5050);
    EXPECT_FALSE(word.full());
  });
}

Coroutine<> spawn_and_wait(std::int64_t* ran) {
  CompletionEvent mine;
  for (int core = 0; core < core_count(); ++core) spawn_on(mine, core, [] { sleep_for(1000); });
  spawn(mine, [ran] {
    sleep_for(500);
    ++*ran;
  });
  co_await co::wait(mine);
  EXPECT_TRUE(mine.finished());
  ++*ran;
  spawn(mine, [] { throw std::runtime_error("late"); });
  try {
    co_await co::wait(mine);
  } catch (const RemoteError&) {
    ++*ran;
  }
}

TEST_P(CoroutineDelegates, CompletionEventsAreAwaited) {
  run(config(), [] {
    std::int64_t ran = 0;
    CompletionEvent event;
    spawn(event, spawn_and_wait(&ran));
    event.wait();
    EXPECT_EQ(ran, 3);
  });
}

// A blocking delegate and a loop inside a coroutine are right, too.
Coroutine<> mix(SymmetricAddress<std::int64_t> words, std::int64_t* sum) {
  for (int core = 0; core < core_count(); ++core) {
    *sum += delegate::read(words.on(core));
    yield();
    *sum += co_await co::read(words.on(core));
  }
  forall(0, 10, [=](std::int64_t) { delegate::async::increment(words.on(0)); });
}

TEST_P(CoroutineDelegates, MixWithBlockingOnes) {
  run(config(), [] {
    const auto words = symmetric_alloc<std::int64_t>();
    on_all_cores([=] { *words.pointer() = 1; });
    std::int64_t sums[20] = {};
    CompletionEvent event;
    for (std::int64_t& sum : sums) spawn(event, mix(words, &sum));
    event.wait();
    EXPECT_EQ(delegate::read(words.on(0)), 201);
    for (const std::int64_t sum : sums) EXPECT_GE(sum, 2 * core_count());
    symmetric_free(words);
  });
}

// ---- contracts

Coroutine<std::int64_t> late(std::int64_t value) {
  co_await co::yield();
  co_return value;
}

Coroutine<> add_one(std::int64_t* sum) {
  co_await co::yield();
  ++*sum;
}

Coroutine<> use_twice(std::int64_t* refused) {
  const auto is_refused = [refused](const UsageError&) { ++*refused; };
  auto twice = late(7);
  EXPECT_EQ(co_await std::move(twice), 7);
  try {
    co_await std::move(twice);
  } catch (const UsageError& error) {
    is_refused(error);
  }
  auto first = late(8);
  auto moved = std::move(first);
  try {
    co_await std::move(first);
  } catch (const UsageError& error) {
    is_refused(error);
  }
  EXPECT_EQ(co_await std::move(moved), 8);
  auto handle = delegate::issue(core_count() - 1, [] { return 9; });
  EXPECT_EQ(co_await handle, 9);
  try {
    co_await handle;
  } catch (const UsageError& error) {
    is_refused(error);
  }
}

TEST_P(CoroutineDelegates, AreAwaitedAndSpawnedOnce) {
  run(config(), [] {
    std::int64_t refused = 0;
    std::int64_t sum = 0;
    CompletionEvent event;
    spawn(event, use_twice(&refused));
    auto task = add_one(&sum);
    spawn(event, std::move(task));
    EXPECT_THROW(spawn(event, std::move(task)), UsageError);
    event.wait();
    EXPECT_EQ(refused, 3);
    EXPECT_EQ(sum, 1);
  });
}

Coroutine<> sleep_in_vain(std::uint64_t ns, bool* refused) {
  try {
    co_await co::sleep_for(ns);
  } catch (const UsageError&) {
    *refused = true;
  }
}

TEST_P(CoroutineDelegates, ANegativeTimeToSleepIsRefused) {
  run(config(), [] {
    for (const std::int64_t ns : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
      const auto negative = static_cast<std::uint64_t>(ns);
      EXPECT_THROW(sleep_for(negative), UsageError);
      bool refused = false;
      CompletionEvent event;
      spawn(event, sleep_in_vain(negative, &refused));
      event.wait();
      EXPECT_TRUE(refused);
    }
  });
}

TEST(CoroutineSleep, TheLongestDoesNotEndAtOnce) {
  run(test::deterministic(2), [] {
    constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t start = run_time_ns();
    bool refused = false;
    CompletionEvent event;
    spawn(event, sleep_in_vain(kLongest, &refused));
    sleep_for(kLongest);
    event.wait();
    EXPECT_GE(run_time_ns() - start, kLongest);
    EXPECT_FALSE(refused);
  });
}

// ---- stacks of two sizes

TEST_P(CoroutineDelegates, TasksThatAskForItHaveALargeStack) {
  Config large = config();
  large.stack_bytes = 64 * 1024;
  large.large_stack_bytes = 2 * 1024 * 1024;
  run(large, [] {
    const auto ran = symmetric_alloc<std::int64_t>();
    const auto deep = [ran] {
      // More than a normal stack has.
      volatile char room[512 * 1024];
      for (std::size_t i = 0; i < sizeof room; i += 1024) room[i] = 1;
      yield();
      room[0] = room[512];
      delegate::increment(ran.on(0));
    };
    CompletionEvent event;
    for (int i = 0; i < 20; ++i) {
      spawn(event, kLargeStack, deep);
      spawn_public(event, kLargeStack, deep);
      spawn(event, [ran] { delegate::increment(ran.on(0)); });
      spawn_public(event, [ran] { delegate::increment(ran.on(0)); });
    }
    event.wait();
    EXPECT_EQ(delegate::read(ran.on(0)), 80);
    symmetric_free(ran);
  });
}

}  // namespace
}  // namespace grappa
