// FullEmpty words, used by tasks of their own core and from other cores.

#include "grappa/sync/full_empty.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_configs.hpp"

namespace grappa {
namespace {

using Word = FullEmpty<std::int64_t>;

/// A run on one core whose order of tasks is first in, first out.
Config in_order() {
  Config config = test::deterministic(1, 1, 1);
  config.shuffle = false;
  return config;
}

template <class F>
void run_everywhere(F body) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, body);
  }
}

void yield_often() {
  for (int i = 0; i < 20; ++i) yield();
}

// ---- at its own core

TEST(FullEmpty, TakesAWordBesideItsValue) { EXPECT_EQ(sizeof(Word), 16u); }

TEST(FullEmpty, IsEmptyAtFirstUnlessMadeWithAValue) {
  run(in_order(), [] {
    const Word empty;
    EXPECT_FALSE(empty.full());
    Word full(7);
    EXPECT_TRUE(full.full());
    EXPECT_EQ(full.read_fe(), 7);
    EXPECT_FALSE(full.full());
  });
}

TEST(FullEmpty, OperationsLeaveTheStateTheyName) {
  run(in_order(), [] {
    Word word;
    word.write_ef(1);
    EXPECT_TRUE(word.full());
    EXPECT_EQ(word.read_ff(), 1);
    EXPECT_TRUE(word.full());
    word.write_ff(2);
    EXPECT_TRUE(word.full());
    EXPECT_EQ(word.read_fe(), 2);
    EXPECT_FALSE(word.full());
    word.write_xf(3);
    EXPECT_TRUE(word.full());
    word.write_xf(4);
    EXPECT_EQ(word.read_ff(), 4);
    word.reset();
    EXPECT_FALSE(word.full());
    word.reset();
    EXPECT_FALSE(word.full());
  });
}

TEST(FullEmpty, TryFormsNeverWait) {
  run(in_order(), [] {
    Word word;
    EXPECT_EQ(word.try_read_fe(), std::nullopt);
    EXPECT_EQ(word.try_read_ff(), std::nullopt);
    EXPECT_FALSE(word.try_write_ff(1));
    EXPECT_FALSE(word.full());
    EXPECT_TRUE(word.try_write_ef(2));
    EXPECT_FALSE(word.try_write_ef(3));
    EXPECT_EQ(word.try_read_ff(), 2);
    EXPECT_TRUE(word.try_write_ff(4));
    EXPECT_EQ(word.try_read_fe(), 4);
    EXPECT_FALSE(word.full());
  });
}

TEST(FullEmpty, ReadersWaitForAValue) {
  run(in_order(), [] {
    Word word;
    std::vector<std::string> log;
    CompletionEvent done;
    const auto note = [&](const char* who, std::int64_t value) {
      log.push_back(who + std::to_string(value));
    };
    spawn(done, [&] { note("ff", word.read_ff()); });
    spawn(done, [&] { note("fe", word.read_fe()); });
    spawn(done, [&] { note("late ff", word.read_ff()); });
    spawn(done, [&] { note("late fe", word.read_fe()); });
    yield_often();
    EXPECT_TRUE(log.empty());
    // In order of arrival: the first two share a value, the others are behind the one that took it.
    word.write_ef(1);
    EXPECT_FALSE(word.full());
    yield_often();
    EXPECT_EQ(log, (std::vector<std::string>{"ff1", "fe1"}));
    word.write_xf(2);
    done.wait();
    EXPECT_EQ(log, (std::vector<std::string>{"ff1", "fe1", "late ff2", "late fe2"}));
    EXPECT_FALSE(word.full());
  });
}

TEST(FullEmpty, WritersWaitForAnEmptyWord) {
  run(in_order(), [] {
    Word word(0);
    CompletionEvent done;
    for (std::int64_t i = 1; i <= 5; ++i) spawn(done, [&word, i] { word.write_ef(i); });
    yield_often();
    EXPECT_EQ(word.read_ff(), 0);
    for (std::int64_t i = 0; i <= 5; ++i) {
      // The next writer has written before anybody else could: nobody slips in.
      EXPECT_EQ(word.try_read_fe(), i);
      EXPECT_EQ(word.full(), i < 5);
      EXPECT_EQ(word.try_write_ef(99), i == 5);
    }
    done.wait();
    EXPECT_EQ(word.read_fe(), 99);
  });
}

TEST(FullEmpty, WriteXfLeavesWaitingWritersAlone) {
  run(in_order(), [] {
    Word word(1);
    CompletionEvent done;
    spawn(done, [&] { word.write_ef(2); });
    yield_often();
    word.write_xf(3);
    yield_often();
    EXPECT_EQ(word.read_fe(), 3);
    EXPECT_EQ(word.read_fe(), 2);
    done.wait();
  });
}

TEST(FullEmpty, ResetLetsAWriterIn) {
  run(in_order(), [] {
    Word word(1);
    CompletionEvent done;
    spawn(done, [&] { word.write_ef(2); });
    yield_often();
    word.reset();
    EXPECT_TRUE(word.full());
    EXPECT_EQ(word.read_fe(), 2);
    done.wait();
  });
}

TEST(FullEmpty, WriteFfWaitsForAValueAndReplacesIt) {
  run(in_order(), [] {
    Word word;
    std::int64_t seen = 0;
    CompletionEvent done;
    spawn(done, [&] { word.write_ff(2); });
    spawn(done, [&] { seen = word.read_fe(); });
    yield_often();
    word.write_ef(1);
    done.wait();
    EXPECT_EQ(seen, 2);
  });
}

TEST(FullEmpty, HoldsWhatCanOnlyBeMoved) {
  run(in_order(), [] {
    FullEmpty<std::unique_ptr<int>> word;
    std::unique_ptr<int> taken;
    CompletionEvent done;
    spawn(done, [&] { taken = word.read_fe(); });
    yield_often();
    word.write_ef(std::make_unique<int>(5));
    done.wait();
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(*taken, 5);
    FullEmpty<std::string> text(std::string(100, 'x'));
    EXPECT_EQ(text.read_ff(), std::string(100, 'x'));
    EXPECT_EQ(text.read_fe(), std::string(100, 'x'));
  });
}

/// Several producers and consumers on one word: every value arrives once.
TEST(FullEmpty, LosesAndDoublesNothing) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    run(test::deterministic(1, 1, seed), [] {
      constexpr int kValues = 600;
      Word word;
      std::vector<int> received(kValues);
      CompletionEvent done;
      for (int p = 0; p < 6; ++p) {
        spawn(done, [&, p] {
          for (int i = p; i < kValues; i += 6) {
            word.write_ef(i);
            if (i % 5 == 0) yield();
          }
        });
      }
      for (int c = 0; c < 4; ++c) {
        spawn(done, [&] {
          for (int i = 0; i < kValues / 4; ++i)
            ++received[static_cast<std::size_t>(word.read_fe())];
        });
      }
      done.wait();
      EXPECT_EQ(received, std::vector<int>(kValues, 1));
      EXPECT_FALSE(word.full());
    });
  }
}

TEST(FullEmpty, RefusesOtherCores) {
  run(test::deterministic(1, 2, 1), [] {
    static Word* shared = nullptr;
    Word word;
    shared = &word;
    delegate::call(1, [] {
      EXPECT_THROW((void)shared->try_read_fe(), UsageError);
      EXPECT_THROW((void)shared->try_write_ef(1), UsageError);
      EXPECT_THROW(shared->write_xf(1), UsageError);
      EXPECT_THROW(shared->reset(), UsageError);
    });
    spawn_on(1, [] { EXPECT_THROW((void)shared->read_fe(), UsageError); });
    // The same by an address that names the wrong core.
    const auto wrong = GlobalAddress<Word>::at(1, &word);
    EXPECT_THROW((void)delegate::read_ff(wrong), RemoteError);
    EXPECT_THROW(delegate::write_xf(wrong, 1), RemoteError);
  });
}

TEST(FullEmptyDeathTest, ADelegateMustNotWait) {
  EXPECT_DEATH(run(test::deterministic(1, 2, 1),
                   [] {
                     const auto words = symmetric_alloc<Word>();
                     delegate::call(1, [words] { return words->read_fe(); });
                   }),
               "delegate would suspend \\(a full word\\)");
}

TEST(FullEmptyDeathTest, WaitingForeverIsADeadlockWithAName) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     Word word;
                     word.read_fe();
                   }),
               "waits for a full word");
  EXPECT_DEATH(run(in_order(),
                   [] {
                     Word word(1);
                     word.write_ef(2);
                   }),
               "waits for an empty word");
  EXPECT_DEATH(run(test::cluster(2, 1),
                   [] {
                     const auto words = symmetric_alloc<Word>();
                     delegate::read_fe(words.on(1));
                   }),
               "waits for a full word");
}

TEST(FullEmptyDeathTest, IsNotDestroyedUnderATask) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     auto word = std::make_unique<Word>();
                     CompletionEvent done;
                     spawn(done, [&] { word->read_fe(); });
                     yield_often();
                     word.reset();
                   }),
               "destroyed while somebody waits");
}

// ---- from other cores

TEST(RemoteFullEmpty, OperationsWorkFromEverywhere) {
  run_everywhere([] {
    const auto words = global_alloc<Word>(100);
    // The words lie side by side in blocks on all cores; everybody uses all of them.
    for (int i = 0; i < 100; ++i) {
      delegate::write_ef(words + i, i);
      EXPECT_EQ(delegate::read_ff(words + i), i);
      delegate::write_ff(words + i, i + 1);
      EXPECT_EQ(delegate::read_fe(words + i), i + 1);
      delegate::write_xf(words + i, i + 2);
      delegate::reset(words + i);
      delegate::async::write_xf(words + i, i + 3);
      EXPECT_EQ(delegate::read_fe(words + i), i + 3);
    }
    forall(words, 100, [](Word& word) { EXPECT_FALSE(word.full()); });
    global_free(words);
  });
}

/// Each word is the sum of the two before it, computed by tasks that are started last word first.
TEST(RemoteFullEmpty, CarryADataflowComputation) {
  run_everywhere([] {
    constexpr std::int64_t kWords = 80;
    const auto words = global_alloc<Word>(kWords);
    CompletionEvent done;
    for (std::int64_t i = kWords - 1; i >= 2; --i) {
      spawn_on(done, static_cast<int>(i) % core_count(), [words, i] {
        const std::int64_t sum =
            delegate::read_ff(words + (i - 1)) + delegate::read_ff(words + (i - 2));
        delegate::write_ef(words + i, sum);
      });
    }
    delegate::write_ef(words, 0);
    delegate::write_ef(words + 1, 1);
    done.wait();
    EXPECT_EQ(delegate::read_ff(words + (kWords - 1)), 14472334024676221);
    global_free(words);
  });
}

/// A word as a lock around its own value.
TEST(RemoteFullEmpty, IsALockAroundItsValue) {
  run_everywhere([] {
    const auto words = global_alloc<Word>(3);
    for (int w = 0; w < 3; ++w) delegate::write_ef(words + w, 0);
    constexpr std::int64_t kEach = test::tasks(300);
    forall(0, 3 * kEach, [=](std::int64_t i) {
      const auto word = words + i % 3;
      const std::int64_t value = delegate::read_fe(word);
      yield();
      delegate::write_ef(word, value + 1);
    });
    for (int w = 0; w < 3; ++w) EXPECT_EQ(delegate::read_fe(words + w), kEach);
    global_free(words);
  });
}

/// As many readers as values, from all cores, before any value comes.
TEST(RemoteFullEmpty, QueuesReadersBeforeWriters) {
  run_everywhere([] {
    constexpr std::int64_t kEach = test::tasks(200);
    const auto word = global_alloc<Word>(1);
    auto sums = symmetric_alloc<std::int64_t>();
    on_all_cores([=] {
      CompletionEvent readers;
      for (std::int64_t i = 0; i < kEach; ++i) {
        spawn(readers, [=] { *sums.pointer() += delegate::read_fe(word); });
      }
      for (std::int64_t i = 0; i < kEach; ++i) {
        spawn(readers, [=] { delegate::write_ef(word, i); });
      }
      readers.wait();
    });
    const std::int64_t sum =
        reduce_cores([=] { return sums.local(); }, std::int64_t{0}, std::plus<>{});
    EXPECT_EQ(sum, core_count() * kEach * (kEach - 1) / 2);
    EXPECT_FALSE(delegate::call(word, [](Word& w) { return w.full(); }));
    symmetric_free(sums);
    global_free(word);
  });
}

/// Requests of one task to one word take effect in the order in which they were made.
TEST(RemoteFullEmpty, KeepsTheOrderOfArrival) {
  Config config = test::deterministic(2, 1, 1);
  config.simulation.reorder = 0;
  config.shuffle = false;
  run(config, [] {
    const auto words = symmetric_alloc<Word>();
    const auto word = words.on(1);
    std::vector<std::int64_t> order;
    CompletionEvent done;
    for (int t = 0; t < 20; ++t) {
      spawn(done, [&order, word, t] {
        delegate::read_fe(word);
        order.push_back(t);
      });
    }
    sleep_for(10'000'000);
    for (int t = 0; t < 20; ++t) delegate::write_ef(word, t);
    done.wait();
    for (int t = 0; t < 20; ++t) EXPECT_EQ(order[static_cast<std::size_t>(t)], t);
    symmetric_free(words);
  });
}

/// Structs travel as well as integers.
TEST(RemoteFullEmpty, HoldsStructs) {
  struct Point {
    double x = 0;
    double y = 0;
    std::int32_t colour = 0;
  };
  run_everywhere([] {
    const auto words = global_alloc<FullEmpty<Point>>(10);
    forall(0, 10, [=](std::int64_t i) {
      delegate::write_ef(words + i, {1.5, static_cast<double>(i), static_cast<std::int32_t>(i)});
    });
    for (int i = 0; i < 10; ++i) {
      const Point p = delegate::read_fe(words + i);
      EXPECT_EQ(p.x, 1.5);
      EXPECT_EQ(p.y, i);
      EXPECT_EQ(p.colour, i);
    }
    global_free(words);
  });
}

}  // namespace
}  // namespace grappa
