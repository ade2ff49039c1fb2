// Coroutines as tasks of one core: order, waiting, awaiting one another, errors, and what mixes.

#include "grappa/tasking/coroutine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/tasking/test_one_core.hpp"

namespace grappa {
namespace {

class CoroutineTest : public internal::DrivenByHand {
 protected:
  void spawn(Coroutine<> coroutine) { internal::spawn_here(&event_.share, std::move(coroutine)); }
  template <class F>
  void spawn_task(const F& f) {
    internal::DrivenByHand::spawn(f);
  }
};

// Coroutines are functions: what they use are arguments.
using Log = std::vector<int>*;

Coroutine<> note(Log log, int value) {
  log->push_back(value);
  co_return;
}

TEST_F(CoroutineTest, DoesNothingBeforeItRuns) {
  {
    const Coroutine<> dropped = note(&log_, 1);
  }
  drain();
  EXPECT_TRUE(log_.empty());
  EXPECT_EQ(scheduler().frames().used(), 0u) << "and leaves nothing behind";
}

TEST_F(CoroutineTest, RunsAsATaskAndGivesItsFrameBack) {
  for (int i = 0; i < 5; ++i) spawn(note(&log_, i));
  EXPECT_EQ(event_.share.pending, 5);
  EXPECT_TRUE(scheduler().has_local_work());
  drain();
  EXPECT_EQ(log_, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(event_.share.pending, 0);
  EXPECT_EQ(scheduler().frames().used(), 0u);
}

Coroutine<> count_to(Log log, int id, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    log->push_back(id);
    co_await co::yield();
  }
}

TEST_F(CoroutineTest, ThoseThatYieldTakeTurns) {
  for (int id = 0; id < 3; ++id) spawn(count_to(&log_, id, 4));
  drain();
  EXPECT_EQ(log_, (std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST_F(CoroutineTest, AndTasksTakeTurnsWithThem) {
  spawn(count_to(&log_, 1, 500));
  spawn_task([this] {
    for (int turn = 0; turn < 500; ++turn) {
      log_.push_back(2);
      scheduler().yield();
    }
  });
  drain();
  ASSERT_EQ(log_.size(), 1000u);
  // Neither has to wait for the other's end.
  EXPECT_EQ(std::count(log_.begin(), log_.begin() + 700, 1) > 100, true);
  EXPECT_EQ(std::count(log_.begin(), log_.begin() + 700, 2) > 100, true);
}

Coroutine<> sleep_and_note(Log log, std::uint64_t ns, int value) {
  co_await co::sleep_for(ns);
  log->push_back(value);
}

TEST_F(CoroutineTest, SleepsByTheClockOfTheRun) {
  spawn(sleep_and_note(&log_, 300, 3));
  spawn(sleep_and_note(&log_, 100, 1));
  spawn(sleep_and_note(&log_, 200, 2));
  drain();
  EXPECT_TRUE(log_.empty());
  for (std::uint64_t now = 100; now <= 300; now += 100) {
    clock_.advance_to(now);
    drain();
    EXPECT_EQ(log_.size(), now / 100);
  }
  EXPECT_EQ(log_, (std::vector<int>{1, 2, 3}));
}

// ---- awaiting one another

Coroutine<std::int64_t> fibonacci(int n, bool yields) {
  if (yields) co_await co::yield();
  if (n < 2) co_return n;
  const std::int64_t a = co_await fibonacci(n - 1, yields);
  const std::int64_t b = co_await fibonacci(n - 2, yields);
  co_return a + b;
}

Coroutine<> store(std::int64_t* to, Coroutine<std::int64_t> from) {
  *to = co_await std::move(from);
}

TEST_F(CoroutineTest, AwaitOneAnother) {
  for (const bool yields : {false, true}) {
    std::int64_t result = 0;
    spawn(store(&result, fibonacci(15, yields)));
    drain();
    EXPECT_EQ(result, 610) << yields;
    EXPECT_EQ(scheduler().frames().used(), 0u);
  }
}

// The awaited ones end at once: that must not take stack for each.
Coroutine<> await_many(std::int64_t* sum, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) *sum += co_await fibonacci(1, i % 2 == 0);
}

TEST_F(CoroutineTest, AwaitAnyNumberOfOthersOneAfterTheOther) {
  std::int64_t sum = 0;
  spawn(await_many(&sum, 200'000));
  drain();
  EXPECT_EQ(sum, 200'000);
}

Coroutine<std::unique_ptr<std::string>> make_text() {
  co_await co::yield();
  co_return std::make_unique<std::string>("moved");
}

Coroutine<> take_text(std::string* to) { *to = *co_await make_text(); }

TEST_F(CoroutineTest, ResultsAreMoved) {
  std::string text;
  spawn(take_text(&text));
  drain();
  EXPECT_EQ(text, "moved");
}

// ---- errors

Coroutine<int> fail(bool yields) {
  if (yields) co_await co::yield();
  throw std::runtime_error("no answer");
}

Coroutine<> catch_it(Log log, bool yields) {
  try {
    co_await fail(yields);
    log->push_back(0);
  } catch (const std::runtime_error&) {
    log->push_back(1);
  }
  co_await co::yield();
  log->push_back(2);
}

Coroutine<> let_it_out(bool yields) { co_await fail(yields); }

TEST_F(CoroutineTest, ExceptionsReachWhoAwaits) {
  for (const bool yields : {false, true}) {
    log_.clear();
    spawn(catch_it(&log_, yields));
    drain();
    EXPECT_EQ(log_, (std::vector<int>{1, 2}));
  }
  EXPECT_EQ(event_.errors.count, 0);
}

TEST_F(CoroutineTest, ExceptionsThatNobodyCatchesReachTheEvent) {
  for (const bool yields : {false, true}) {
    spawn(let_it_out(yields));
    drain();
  }
  EXPECT_EQ(event_.errors.count, 2);
  EXPECT_EQ(event_.errors.message, "no answer");
  EXPECT_EQ(event_.share.pending, 0);
  EXPECT_EQ(scheduler().frames().used(), 0u);
}

// ---- what it takes from its surroundings

Coroutine<> spawn_another(internal::Scheduler* scheduler, Log log) {
  co_await co::yield();
  internal::spawn_here(scheduler->current().scope, note(log, 7));
}

TEST_F(CoroutineTest, WhatItStartsJoinsItsEvent) {
  internal::TestEvent other(locale_.core(0));
  internal::spawn_here(&other.share, note(&log_, 1));
  spawn(spawn_another(&scheduler(), &log_));
  internal::spawn_here(&other.share, count_to(&log_, 2, 3));
  scheduler().step();
  drain();
  EXPECT_EQ(event_.share.pending, 0);
  EXPECT_EQ(other.share.pending, 0);
  EXPECT_EQ(std::count(log_.begin(), log_.end(), 7), 1);
}

// It may suspend the worker that it runs on, and others go on meanwhile.
Coroutine<> block_the_old_way(internal::Scheduler* scheduler, internal::Worker** waiting, Log log) {
  log->push_back(1);
  *waiting = &scheduler->current();
  scheduler->suspend("a test");
  log->push_back(4);
  co_await co::yield();
  log->push_back(5);
}

TEST_F(CoroutineTest, MayBlockAsATaskDoes) {
  internal::Worker* waiting = nullptr;
  spawn(block_the_old_way(&scheduler(), &waiting, &log_));
  spawn(count_to(&log_, 2, 2));
  drain();
  EXPECT_EQ(log_, (std::vector<int>{1, 2, 2}));
  ASSERT_NE(waiting, nullptr);
  log_.push_back(3);
  scheduler().wake(waiting);
  drain();
  EXPECT_EQ(log_, (std::vector<int>{1, 2, 2, 3, 4, 5}));
  EXPECT_EQ(event_.share.pending, 0);
}

TEST_F(CoroutineTest, OneThatWaitsIsNamed) {
  spawn(sleep_and_note(&log_, 100, 1));
  drain();
  const std::string waits = scheduler().describe_suspended(8);
  EXPECT_NE(waits.find("sleep_and_note"), std::string::npos) << waits;
  EXPECT_NE(waits.find("sleep"), std::string::npos);
  EXPECT_EQ(scheduler().suspended_tasks(), 1u);
  clock_.advance_to(100);
  drain();
  EXPECT_EQ(scheduler().suspended_tasks(), 0u);
}

TEST(CoroutineOutside, IsRefusedOutsideARun) {
  std::vector<int> log;
  EXPECT_THROW((void)note(&log, 1), UsageError);
}

TEST(CoroutinePool, IsBoundedAndSaysSo) {
  Config config = internal::tasking_test_config();
  config.coroutine_bytes = 64 * 1024;
  internal::TestLocale locale(1, config);
  locale.enter(0);
  std::vector<int> log;
  std::vector<Coroutine<>> kept;
  EXPECT_THROW(for (;;) kept.push_back(note(&log, 1)), Error);
  EXPECT_GT(kept.size(), 100u);
}

}  // namespace
}  // namespace grappa
