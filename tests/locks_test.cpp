// Mutex, ConditionVariable, Semaphore and Barrier, in tasks.

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

/// Seeds of the deterministic runs on one core, in which the scheduler shuffles.
constexpr std::uint64_t kSeeds[] = {1, 2, 3, 4, 5};

/// A run on one core whose order of tasks is first in, first out.
Config in_order() {
  Config config = test::deterministic(1, 1, 1);
  config.shuffle = false;
  return config;
}

template <class F>
void run_shuffled(F body) {
  for (const std::uint64_t seed : kSeeds) {
    SCOPED_TRACE(seed);
    run(test::deterministic(1, 1, seed), body);
  }
}

/// Lets every other task of this core run until it waits or yields, some times over.
void yield_often() {
  for (int i = 0; i < 20; ++i) yield();
}

// ---- Mutex

TEST(Mutex, AdmitsOneTaskAtATime) {
  run_shuffled([] {
    Mutex mutex;
    int inside = 0;
    std::int64_t sum = 0;
    CompletionEvent done;
    for (int t = 0; t < 50; ++t) {
      spawn(done, [&] {
        for (int i = 0; i < 10; ++i) {
          const std::lock_guard guard(mutex);
          EXPECT_EQ(++inside, 1);
          const std::int64_t seen = sum;
          yield();
          sum = seen + 1;
          --inside;
        }
      });
    }
    done.wait();
    EXPECT_EQ(sum, 500);
    EXPECT_FALSE(mutex.locked());
  });
}

TEST(Mutex, ServesFirstComeFirst) {
  run(in_order(), [] {
    Mutex mutex;
    std::vector<int> order;
    CompletionEvent done;
    mutex.lock();
    for (int t = 0; t < 10; ++t) {
      spawn(done, [&, t] {
        const std::lock_guard guard(mutex);
        order.push_back(t);
        yield();
      });
    }
    yield_often();
    // Handed over, not thrown open: whoever comes now is behind all that wait.
    mutex.unlock();
    EXPECT_TRUE(mutex.locked());
    EXPECT_FALSE(mutex.try_lock());
    mutex.lock();
    order.push_back(10);
    mutex.unlock();
    done.wait();
    std::vector<int> expected(11);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
  });
}

TEST(Mutex, TryLockTakesOnlyAFreeOne) {
  run(in_order(), [] {
    Mutex mutex;
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock();
    {
      const std::unique_lock lock(mutex, std::try_to_lock);
      EXPECT_TRUE(lock.owns_lock());
    }
    Mutex other;
    const std::scoped_lock both(mutex, other);
    EXPECT_TRUE(mutex.locked());
    EXPECT_TRUE(other.locked());
  });
}

TEST(Mutex, IsGivenBackByAnException) {
  run(in_order(), [] {
    Mutex mutex;
    const auto fail_inside = [&] {
      const std::lock_guard guard(mutex);
      throw std::runtime_error("inside");
    };
    EXPECT_THROW(fail_inside(), std::runtime_error);
    EXPECT_FALSE(mutex.locked());
  });
}

TEST(Mutex, RefusesMisuse) {
  run(in_order(), [] {
    Mutex mutex;
    EXPECT_THROW(mutex.unlock(), UsageError);
    mutex.lock();
    EXPECT_THROW(mutex.lock(), UsageError);
    CompletionEvent done;
    spawn(done, [&] { EXPECT_THROW(mutex.unlock(), UsageError); });
    done.wait();
    mutex.unlock();
  });
}

TEST(Mutex, RefusesOtherCores) {
  run(test::deterministic(1, 2, 1), [] {
    static Mutex* mutex = nullptr;
    Mutex mine;
    mutex = &mine;
    delegate::call(1, [] {
      EXPECT_THROW(mutex->lock(), UsageError);
      EXPECT_THROW((void)mutex->try_lock(), UsageError);
      EXPECT_THROW(mutex->unlock(), UsageError);
    });
  });
}

TEST(Mutex, ServesADelegateThatTries) {
  run(test::deterministic(1, 2, 1), [] {
    auto mutex = symmetric_alloc<Mutex>();
    const auto try_there = [mutex] {
      return delegate::call(1, [mutex] {
        if (!mutex->try_lock()) return false;
        mutex->unlock();
        return true;
      });
    };
    EXPECT_TRUE(try_there());
    CompletionEvent done;
    spawn_on(done, 1, [mutex] {
      const std::lock_guard guard(mutex.local());
      sleep_for(1'000'000);
    });
    sleep_for(500'000);
    EXPECT_FALSE(try_there());
    done.wait();
    EXPECT_TRUE(try_there());
    symmetric_free(mutex);
  });
}

TEST(Mutex, ProtectsPerCoreStateInALoop) {
  struct Account {
    Mutex mutex;
    std::int64_t balance = 0;
  };
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      auto account = symmetric_alloc<Account>();
      const auto cell = GlobalArray<std::int64_t>::create(1);
      constexpr std::int64_t kTimes = test::tasks(2000);
      forall(0, kTimes, [=](std::int64_t) {
        const std::lock_guard guard(account->mutex);
        const std::int64_t seen = account->balance;
        delegate::fetch_add(cell[0], 1);  // switches tasks in the middle of the step
        account->balance = seen + 1;
      });
      EXPECT_EQ(reduce_cores([=] { return account->balance; }, std::int64_t{0}, std::plus<>{}),
                kTimes);
      EXPECT_EQ(delegate::read(cell[0]), kTimes);
      auto gone = cell;
      gone.destroy();
      symmetric_free(account);
    });
  }
}

TEST(MutexDeathTest, WaitingForeverIsADeadlockWithAName) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     Mutex mutex;
                     mutex.lock();
                     CompletionEvent done;
                     spawn(done, [&] { mutex.lock(); });
                     done.wait();
                   }),
               "deadlock.*(.|\n)*waits for a mutex");
}

TEST(MutexDeathTest, ADelegateMustNotWait) {
  EXPECT_DEATH(run(test::deterministic(1, 2, 1),
                   [] {
                     const auto mutex = symmetric_alloc<Mutex>();
                     CompletionEvent done;
                     spawn_on(done, 1, [mutex] {
                       mutex->lock();
                       sleep_for(1'000'000'000);
                     });
                     sleep_for(1'000'000);
                     delegate::call(1, [mutex] { mutex->lock(); });
                   }),
               "delegate would suspend \\(a mutex\\)");
}

TEST(MutexDeathTest, IsNotDestroyedUnderATask) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     CompletionEvent done;
                     auto mutex = std::make_unique<Mutex>();
                     mutex->lock();
                     spawn(done, [&] { mutex->lock(); });
                     yield_often();
                     mutex.reset();
                   }),
               "destroyed while somebody waits");
}

// ---- ConditionVariable

TEST(ConditionVariable, CarriesLettersFromProducersToConsumers) {
  run_shuffled([] {
    constexpr int kLetters = 200;
    Mutex mutex;
    ConditionVariable not_empty;
    ConditionVariable not_full;
    std::deque<int> box;
    std::vector<int> received(kLetters);
    CompletionEvent done;
    for (int p = 0; p < 4; ++p) {
      spawn(done, [&, p] {
        for (int i = p; i < kLetters; i += 4) {
          std::unique_lock lock(mutex);
          not_full.wait(lock, [&] { return box.size() < 3; });
          box.push_back(i);
          not_empty.notify_one();
        }
      });
    }
    for (int c = 0; c < 5; ++c) {
      spawn(done, [&] {
        for (int i = 0; i < kLetters / 5; ++i) {
          std::unique_lock lock(mutex);
          not_empty.wait(lock, [&] { return !box.empty(); });
          ++received[static_cast<std::size_t>(box.front())];
          box.pop_front();
          not_full.notify_one();
        }
      });
    }
    done.wait();
    EXPECT_EQ(received, std::vector<int>(kLetters, 1));
  });
}

TEST(ConditionVariable, NotifiesOneOrAllInOrder) {
  run(in_order(), [] {
    Mutex mutex;
    ConditionVariable changed;
    std::vector<int> order;
    CompletionEvent done;
    changed.notify_one();  // nobody waits: lost
    changed.notify_all();
    for (int t = 0; t < 6; ++t) {
      spawn(done, [&, t] {
        mutex.lock();
        changed.wait(mutex);
        order.push_back(t);
        mutex.unlock();
      });
    }
    yield_often();
    EXPECT_TRUE(order.empty());
    EXPECT_FALSE(mutex.locked());
    changed.notify_one();
    yield_often();
    EXPECT_EQ(order, (std::vector{0}));
    changed.notify_one();
    changed.notify_one();
    yield_often();
    EXPECT_EQ(order, (std::vector{0, 1, 2}));
    changed.notify_all();
    done.wait();
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5}));
  });
}

TEST(ConditionVariable, HoldsTheLockAgainAfterwards) {
  run(in_order(), [] {
    Mutex mutex;
    ConditionVariable changed;
    CompletionEvent done;
    bool ready = false;
    spawn(done, [&] {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return ready; });
      EXPECT_TRUE(lock.owns_lock());
      EXPECT_TRUE(mutex.locked());
    });
    yield_often();
    {
      const std::lock_guard guard(mutex);
      changed.notify_one();  // too early: the waiter looks, and waits again
    }
    yield_often();
    {
      const std::lock_guard guard(mutex);
      ready = true;
      changed.notify_one();
    }
    done.wait();
  });
}

TEST(ConditionVariable, IsNotifiedByADelegate) {
  struct Box {
    Mutex mutex;
    ConditionVariable changed;
    std::int64_t letters = 0;
  };
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      auto box = symmetric_alloc<Box>();
      on_all_cores([box] {
        // Each core sends 100 letters to the next one, and waits for its own.
        const int next = (this_core() + 1) % core_count();
        for (int i = 0; i < 100; ++i) {
          delegate::async::call(next, [box] {
            ++box->letters;
            box->changed.notify_one();
          });
        }
        std::unique_lock lock(box->mutex);
        box->changed.wait(lock, [&] { return box->letters == 100; });
      });
      symmetric_free(box);
    });
  }
}

TEST(ConditionVariable, RefusesMisuse) {
  run(test::deterministic(1, 2, 1), [] {
    Mutex mutex;
    ConditionVariable changed;
    EXPECT_THROW(changed.wait(mutex), UsageError);  // does not hold it
    std::unique_lock unlocked(mutex, std::defer_lock);
    EXPECT_THROW(changed.wait(unlocked), UsageError);
    changed.notify_all();  // and does not wait either
    static ConditionVariable* shared = nullptr;
    shared = &changed;
    delegate::call(1, [] {
      EXPECT_THROW(shared->notify_one(), UsageError);
      EXPECT_THROW(shared->notify_all(), UsageError);
    });
  });
}

TEST(ConditionVariableDeathTest, WaitingForeverIsADeadlockWithAName) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     Mutex mutex;
                     ConditionVariable changed;
                     std::unique_lock lock(mutex);
                     changed.wait(lock);
                   }),
               "waits for a condition variable");
}

// ---- Semaphore

TEST(Semaphore, AdmitsAsManyAsThereArePermits) {
  run_shuffled([] {
    Semaphore room(3);
    int inside = 0;
    int most = 0;
    CompletionEvent done;
    for (int t = 0; t < 40; ++t) {
      spawn(done, [&] {
        room.acquire();
        most = std::max(most, ++inside);
        sleep_for(1000);
        --inside;
        room.release();
      });
    }
    done.wait();
    EXPECT_EQ(most, 3);
    EXPECT_EQ(room.available(), 3);
  });
}

TEST(Semaphore, ServesFirstComeFirst) {
  run(in_order(), [] {
    Semaphore permits;
    std::vector<int> order;
    CompletionEvent done;
    for (int t = 0; t < 5; ++t) {
      spawn(done, [&, t] {
        permits.acquire();
        order.push_back(t);
      });
    }
    yield_often();
    EXPECT_TRUE(order.empty());
    permits.release();
    EXPECT_FALSE(permits.try_acquire());  // the one that waits has it
    yield_often();
    EXPECT_EQ(order, (std::vector{0}));
    permits.release(6);
    EXPECT_EQ(permits.available(), 2);
    done.wait();
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
    EXPECT_TRUE(permits.try_acquire());
    EXPECT_TRUE(permits.try_acquire());
    EXPECT_FALSE(permits.try_acquire());
    permits.release(0);
    EXPECT_EQ(permits.available(), 0);
  });
}

TEST(Semaphore, IsReleasedFromOtherCores) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      auto permits = symmetric_alloc<Semaphore>();
      on_all_cores([permits] {
        for (int core = 0; core < core_count(); ++core) {
          delegate::async::call(permits.on(core), [](Semaphore& s) { s.release(2); });
        }
        for (int i = 0; i < 2 * core_count(); ++i) permits->acquire();
        EXPECT_FALSE(permits->try_acquire());
      });
      symmetric_free(permits);
    });
  }
}

TEST(Semaphore, RefusesMisuse) {
  run(test::deterministic(1, 2, 1), [] {
    EXPECT_THROW(Semaphore(-1), UsageError);
    Semaphore permits(1);
    EXPECT_THROW(permits.release(-1), UsageError);
    EXPECT_THROW(permits.release(INT64_MAX), UsageError);
    EXPECT_EQ(permits.available(), 1);
    static Semaphore* shared = nullptr;
    shared = &permits;
    delegate::call(1, [] {
      EXPECT_THROW(shared->acquire(), UsageError);
      EXPECT_THROW((void)shared->try_acquire(), UsageError);
      EXPECT_THROW(shared->release(), UsageError);
    });
  });
}

TEST(SemaphoreDeathTest, WaitingForeverIsADeadlockWithAName) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     Semaphore permits;
                     permits.acquire();
                   }),
               "waits for a semaphore");
}

// ---- Barrier

TEST(Barrier, HoldsEveryRoundTogether) {
  run_shuffled([] {
    constexpr int kTasks = 7;
    constexpr int kRounds = 30;
    Barrier round(kTasks);
    std::vector<int> arrived(kRounds);
    int last_ones = 0;
    CompletionEvent done;
    for (int t = 0; t < kTasks; ++t) {
      spawn(done, [&, t] {
        for (int r = 0; r < kRounds; ++r) {
          for (int i = 0; i < t % 3; ++i) yield();
          ++arrived[static_cast<std::size_t>(r)];
          last_ones += round.arrive_and_wait();
          EXPECT_EQ(arrived[static_cast<std::size_t>(r)], kTasks);
        }
      });
    }
    done.wait();
    EXPECT_EQ(last_ones, kRounds);
  });
}

TEST(Barrier, OfOneNeverWaits) {
  run(in_order(), [] {
    Barrier round(1);
    EXPECT_TRUE(round.arrive_and_wait());
    EXPECT_TRUE(round.arrive_and_wait());
  });
}

TEST(Barrier, RefusesMisuse) {
  run(test::deterministic(1, 2, 1), [] {
    EXPECT_THROW(Barrier(0), UsageError);
    EXPECT_THROW(Barrier(-3), UsageError);
    Barrier round(2);
    static Barrier* shared = nullptr;
    shared = &round;
    delegate::call(1, [] { EXPECT_THROW(shared->arrive_and_wait(), UsageError); });
  });
}

TEST(BarrierDeathTest, WaitingForeverIsADeadlockWithAName) {
  EXPECT_DEATH(run(in_order(),
                   [] {
                     Barrier round(2);
                     round.arrive_and_wait();
                   }),
               "waits for a barrier");
}

// ---- all together

/// Tasks that take random primitives in random order; at the end nothing is missing.
TEST(Locks, SurviveARandomMixture) {
  run_shuffled([] {
    constexpr int kTasks = 60;
    Mutex mutex;
    Semaphore permits(4);
    Barrier everybody(kTasks);
    ConditionVariable changed;
    std::int64_t sum = 0;
    CompletionEvent done;
    for (unsigned t = 0; t < kTasks; ++t) {
      spawn(done, [&, t] {
        std::minstd_rand random(t + 1);
        for (int i = 0; i < 50; ++i) {
          permits.acquire();
          {
            std::unique_lock lock(mutex);
            const std::int64_t seen = sum;
            if (random() % 2 == 0) yield();
            sum = seen + 1;
            changed.notify_one();
          }
          if (random() % 3 == 0) yield();
          permits.release();
        }
        everybody.arrive_and_wait();
        EXPECT_EQ(sum, kTasks * 50);
      });
    }
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return sum == kTasks * 50; });
    }
    done.wait();
    EXPECT_EQ(permits.available(), 4);
  });
}

}  // namespace
}  // namespace grappa
