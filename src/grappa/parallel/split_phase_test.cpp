// What is started now and awaited later, by tasks and coroutines, on every machine.

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "grappa/delegate/bulk.hpp"
#include "grappa/delegate/remote_full_empty.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/sync/awaitable.hpp"
#include "grappa/sync/mutex.hpp"

namespace grappa {
namespace {

using Word = FullEmpty<std::int64_t>;

class SplitPhase : public test::OnMachines {};
GRAPPA_ON_MACHINES(SplitPhase);

// ---- loops with an event

TEST_P(SplitPhase, LoopsOfAnEventRunWhileTheCallerGoesOn) {
  run(config(), [] {
    const auto sums = symmetric_alloc<std::int64_t>(2);
    const auto table = global_alloc<std::int64_t>(1000);
    const auto gate = symmetric_alloc<Word>();
    CompletionEvent event;
    // Neither could end before the caller went on.
    forall_async(event, 10, 110, [=](std::int64_t i) {
      delegate::read_ff(gate.on(0));
      delegate::async::increment(sums.on(0), i);
    });
    forall_async(event, table, 1000, {.grain = 7}, [=](std::int64_t i, std::int64_t& x) {
      delegate::read_ff(gate.on(0));
      x = i;
      delegate::async::increment(sums.on(0) + 1);
    });
    forall_async(event, 0, [](std::int64_t) { throw std::logic_error("no iteration"); });
    EXPECT_FALSE(event.finished());
    EXPECT_EQ(delegate::read(sums.on(0)), 0);
    delegate::write_xf(gate.on(0), 1);
    event.wait();
    EXPECT_EQ(delegate::read(sums.on(0)), (10 + 109) * 100 / 2);
    EXPECT_EQ(delegate::read(sums.on(0) + 1), 1000);
    for (std::int64_t i = 0; i < 1000; i += 99) EXPECT_EQ(delegate::read(table + i), i);
    EXPECT_THROW(forall_async(event, -1, [](std::int64_t) {}), UsageError);
    forall_async(event, 5, [](std::int64_t) { throw std::range_error("in the loop"); });
    EXPECT_THROW(event.wait(), RemoteError);
    symmetric_free(gate);
    global_free(table);
    symmetric_free(sums);
  });
}

// ---- full/empty words

TEST_P(SplitPhase, FullEmptyOperationsAreIssuedInTheirOrder) {
  run(config(), [] {
    const auto words = symmetric_alloc<Word>();
    test::for_each_core([&](int core) {
      const auto word = words.on(core);
      Handle<std::int64_t> taken = delegate::issue_read_fe(word);
      Handle<std::int64_t> seen = delegate::issue_read_ff(word);
      Handle<std::int64_t> replaced = delegate::issue_write_ff(word, 9);
      yield();
      EXPECT_FALSE(taken.ready());
      EXPECT_EQ(delegate::issue_write_ef(word, 7).complete(), 7);
      EXPECT_EQ(taken.complete(), 7);
      // Those that wait for the next value.
      EXPECT_FALSE(seen.ready());
      delegate::write_ef(word, 8);
      EXPECT_EQ(seen.complete(), 8);
      EXPECT_EQ(replaced.complete(), 9);
      EXPECT_EQ(delegate::read_fe(word), 9);
    });
    symmetric_free(words);
  });
}

Coroutine<> pass_on(GlobalAddress<Word> from, GlobalAddress<Word> to, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) {
    const std::int64_t value = co_await co::read_fe(from);
    if (co_await co::write_ef(to, value + 1) != value + 1)
      throw std::logic_error("another value was written");
  }
}

TEST_P(SplitPhase, CoroutinesAwaitWordsOfAllCores) {
  run(config(), [] {
    const auto words = symmetric_alloc<Word>(3);
    const int last = core_count() - 1;
    constexpr std::int64_t kTimes = 50;
    CompletionEvent done;
    // A ring through both ends of the machine.
    spawn(done, pass_on(words.on(0), words.on(last) + 1, kTimes));
    spawn_on(done, last, [=] { return pass_on(words.on(last) + 1, words.on(last) + 2, kTimes); });
    spawn(done, pass_on(words.on(last) + 2, words.on(0), kTimes));
    delegate::write_ef(words.on(0), 0);
    done.wait();
    EXPECT_EQ(delegate::read_ff(words.on(0)), 3 * kTimes);
    const auto replace = [](GlobalAddress<Word> word) -> Coroutine<> {
      const std::int64_t before = co_await co::read_ff(word);
      co_await co::write_ff(word, before + 1);
    };
    spawn(done, replace(words.on(0)));
    done.wait();
    EXPECT_EQ(delegate::read_fe(words.on(0)), 3 * kTimes + 1);
    symmetric_free(words);
  });
}

// ---- locks

Coroutine<> step(Mutex& mutex, std::int64_t& value, bool& inside) {
  for (int i = 0; i < 10; ++i) {
    const auto guard = co_await co::lock(mutex);
    if (std::exchange(inside, true)) throw std::logic_error("two hold the mutex");
    const std::int64_t before = value;
    co_await co::yield();
    value = before + 1;
    inside = false;
  }
}

TEST_P(SplitPhase, CoroutinesAndTasksExcludeOneAnother) {
  run(config(), [] {
    Mutex mutex;
    std::int64_t value = 0;
    bool inside = false;
    CompletionEvent done;
    for (int i = 0; i < 20; ++i) {
      spawn(done, step(mutex, value, inside));
      spawn(done, [&] {
        const std::lock_guard guard(mutex);
        if (std::exchange(inside, true)) throw std::logic_error("two hold the mutex");
        const std::int64_t before = value;
        yield();
        value = before + 1;
        inside = false;
      });
    }
    done.wait();
    EXPECT_EQ(value, 20 * 11);
    EXPECT_FALSE(mutex.locked());
    const auto twice = [](Mutex& again) -> Coroutine<> {
      const auto guard = co_await co::lock(again);
      const auto other = co_await co::lock(again);
    };
    spawn(done, twice(mutex));
    EXPECT_THROW(done.wait(), RemoteError);
    EXPECT_FALSE(mutex.locked());
  });
}

// ---- many words

Coroutine<> check_words(SymmetricAddress<std::int64_t> words, int n) {
  std::vector<GlobalAddress<std::int64_t>> where;
  std::vector<std::int64_t> values;
  for (int i = 0; i < n; ++i) {
    test::for_each_core([&](int core) {
      where.push_back(words.on(core) + i);
      values.push_back(core * 1000 + i);
    });
  }
  co_await co::scatter<std::int64_t>(where, values);
  std::vector<std::int64_t> read(where.size());
  co_await co::gather<std::int64_t>(where, read);
  if (read != values) throw std::logic_error("other values were read");
}

TEST_P(SplitPhase, CoroutinesAwaitBulkOperations) {
  run(config(), [] {
    const auto words = symmetric_alloc<std::int64_t>(300);
    on_all_cores([words] {
      spawn(check_words(words, 300));
      spawn(check_words(words, 1));
      spawn(check_words(words, 0));
    });
    const auto unequal = [](GlobalAddress<std::int64_t> word) -> Coroutine<> {
      const std::vector<GlobalAddress<std::int64_t>> where = {word};
      std::vector<std::int64_t> none;
      co_await co::gather<std::int64_t>(where, none);
    };
    CompletionEvent done;
    spawn(done, unequal(words.on(0)));
    EXPECT_THROW(done.wait(), RemoteError);
    symmetric_free(words);
  });
}

}  // namespace
}  // namespace grappa
