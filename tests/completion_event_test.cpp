// CompletionEvent: what it waits for, how it nests, what it says about errors and misuse.

#include "grappa/sync/completion_event.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

template <class F>
void run_everywhere(F body) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, body);
  }
}

/// A counter on every core, to see what has been done by the time a wait returns.
class Tally {
 public:
  Tally() : counts_(symmetric_alloc<std::int64_t>()) {}
  void add(std::int64_t n = 1) const { counts_.local() += n; }
  std::int64_t sum() const {
    const auto counts = counts_;
    return reduce_cores([counts] { return counts.local(); }, std::int64_t{0}, std::plus<>{});
  }
  void destroy() { symmetric_free(counts_); }

 private:
  SymmetricAddress<std::int64_t> counts_;
};

// ---- counting

TEST(CompletionEvent, CountsWhatTheProgramEnrolls) {
  run(test::deterministic(1, 1, 1), [] {
    CompletionEvent event;
    EXPECT_TRUE(event.finished());
    event.wait();  // nothing to wait for
    event.enroll(3);
    EXPECT_FALSE(event.finished());
    bool passed = false;
    CompletionEvent waiters;
    spawn(waiters, [&] {
      event.wait();
      passed = true;
    });
    event.complete();
    event.complete();
    yield();
    EXPECT_FALSE(passed);
    event.complete();
    waiters.wait();
    EXPECT_TRUE(passed);
    // It may be used again.
    event.enroll();
    EXPECT_FALSE(event.finished());
    event.complete(1);
    event.enroll(0);
    event.complete(0);
    event.wait();
  });
}

TEST(CompletionEvent, WaitsForTasksOnAllCores) {
  run_everywhere([] {
    Tally tally;
    CompletionEvent done;
    for (int i = 0; i < 300; ++i) {
      spawn(done, [tally] { tally.add(); });
      spawn_public(done, [tally] { tally.add(); });
      spawn_on(done, i % core_count(), [tally] { tally.add(); });
      delegate::async::call(done, i % core_count(), [tally] { tally.add(); });
    }
    done.wait();
    EXPECT_EQ(tally.sum(), 1200);
    tally.destroy();
  });
}

/// A task that hops from core to core, leaving tasks and delegates on its way.
struct Hopping {
  Tally tally;
  int hops;
  std::uint64_t random;
  void operator()() const {
    tally.add();
    if (hops == 0) return;
    const std::uint64_t next = random * 6364136223846793005u + 1442695040888963407u;
    const int core = static_cast<int>((next >> 33) % static_cast<std::uint64_t>(core_count()));
    const Hopping on{tally, hops - 1, next};
    const Tally counter = tally;
    if (next >> 62 == 0) yield();
    if (next >> 61 & 1) {
      spawn_on(core, on);
    } else {
      // A delegate that spawns: its task belongs to the event, too.
      delegate::async::call(core, [on] { spawn_public(on); });
    }
    delegate::async::call(core, [counter] { counter.add(); });
  }
};

TEST(CompletionEvent, WaitsForAllThatWasCausedTransitively) {
  run_everywhere([] {
    Tally tally;
    for (std::uint64_t round = 0; round < 5; ++round) {
      CompletionEvent done;
      for (std::uint64_t i = 0; i < 20; ++i) {
        spawn(done, Hopping{tally, 25, round * 1000 + i});
      }
      done.wait();
      EXPECT_EQ(tally.sum(), static_cast<std::int64_t>(round + 1) * 20 * (26 + 25));
    }
    tally.destroy();
  });
}

TEST(CompletionEvent, NamedEventTakesTheWorkFromTheEnclosingOne) {
  run_everywhere([] {
    static std::int64_t inner_done;
    inner_done = 0;
    CompletionEvent outer;
    CompletionEvent inner;
    Semaphore gate;
    spawn(outer, [&] {
      spawn(inner, [&] {
        gate.acquire();
        ++inner_done;
      });
    });
    outer.wait();  // does not wait for what was given to `inner`
    EXPECT_EQ(inner_done, 0);
    gate.release();
    inner.wait();
    EXPECT_EQ(inner_done, 1);
  });
}

TEST(CompletionEvent, WaitsForWorkThatJoinsLate) {
  run(test::deterministic(1, 1, 1), [] {
    CompletionEvent event;
    CompletionEvent others;
    event.enroll();
    spawn(others, [&] {
      event.complete();  // the waiter becomes ready …
      event.enroll();    // … and finds, when it runs, that there is more to wait for
      yield();
      yield();
      event.complete();
    });
    event.wait();
    EXPECT_TRUE(event.finished());
    others.wait();
  });
}

TEST(CompletionEvent, IsCompletedByDelegates) {
  run_everywhere([] {
    CompletionEvent event;
    auto where = symmetric_alloc<CompletionEvent*>();
    where.local() = &event;
    event.enroll(core_count());
    const int home = this_core();
    for (int core = 0; core < core_count(); ++core) {
      spawn_on(core,
               [where, home] { delegate::call(home, [where] { where.local()->complete(); }); });
    }
    event.wait();
    symmetric_free(where);
  });
}

// ---- nesting

std::int64_t fibonacci_with_events(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  CompletionEvent both;
  spawn(both, [&a, n] { a = fibonacci_with_events(n - 1); });
  spawn(both, [&b, n] { b = fibonacci_with_events(n - 2); });
  both.wait();
  return a + b;
}

TEST(CompletionEvent, NestsInRecursion) {
  run(test::deterministic(1, 1, 1), [] { EXPECT_EQ(fibonacci_with_events(15), 610); });
  run(test::threads(2), [] { EXPECT_EQ(fibonacci_with_events(15), 610); });
}

/// Loops within loops, to a depth that is only known at run time.
void nested_loop(const Tally& tally, int depth, std::int64_t width) {
  forall(0, width, [tally, depth, width](std::int64_t) {
    tally.add();
    if (depth > 1) nested_loop(tally, depth - 1, width);
  });
}

TEST(CompletionEvent, NestsInLoops) {
  run_everywhere([] {
    Tally tally;
    nested_loop(tally, 6, 3);
    EXPECT_EQ(tally.sum(), 3 + 9 + 27 + 81 + 243 + 729);
    nested_loop(tally, 40, 1);
    EXPECT_EQ(tally.sum(), 1092 + 40);
    nested_loop(tally, 2, 40);
    EXPECT_EQ(tally.sum(), 1132 + 40 + 1600);
    tally.destroy();
  });
}

TEST(CompletionEvent, NestsOverHomeCores) {
  run_everywhere([] {
    const auto table = GlobalArray<std::int64_t>::create(50);
    const auto sums = GlobalArray<std::int64_t>::create(50, Distribution::kCyclic);
    table.forall([table, sums](std::int64_t i, std::int64_t&) {
      sums.forall([i, table](std::int64_t k, std::int64_t& sum) {
        sum += i;
        delegate::async::increment(table[k]);
      });
    });
    table.forall([](std::int64_t& x) { EXPECT_EQ(x, 50); });
    sums.forall([](std::int64_t& x) { EXPECT_EQ(x, 49 * 50 / 2); });
    for (auto handle : {table, sums}) handle.destroy();
  });
}

TEST(CompletionEvent, ThousandsLiveAtOnce) {
  run_everywhere([] {
    constexpr int kEvents = 5000;
    Tally tally;
    std::vector<std::unique_ptr<CompletionEvent>> events;
    for (int i = 0; i < kEvents; ++i) {
      events.push_back(std::make_unique<CompletionEvent>());
      for (int k = 0; k < 3; ++k) {
        delegate::async::call(*events.back(), (i + k) % core_count(), [tally] { tally.add(); });
      }
    }
    // Waited for and destroyed in another order than they were made.
    for (int i = 0; i < kEvents; ++i) {
      auto& event = events[static_cast<std::size_t>(i) * 7919 % kEvents];
      event->wait();
      EXPECT_TRUE(event->finished());
      event.reset();
    }
    EXPECT_EQ(tally.sum(), 3 * kEvents);
    tally.destroy();
  });
}

TEST(CompletionEvent, MayBeMadeOverAndOver) {
  run(test::deterministic(1, 2, 1), [] {
    Tally tally;
    for (int i = 0; i < 20000; ++i) {
      CompletionEvent event;
      delegate::async::call(event, 1, [tally] { tally.add(); });
      event.wait();
    }
    EXPECT_EQ(tally.sum(), 20000);
    tally.destroy();
  });
}

// ---- errors

[[noreturn]] void fail(const char* text) { throw std::out_of_range(text); }

TEST(CompletionEvent, GivesTheFirstErrorAndTheNumberOfOthers) {
  run_everywhere([] {
    CompletionEvent done;
    spawn(done, [] { fail("first"); });
    try {
      done.wait();
      FAIL() << "nothing was thrown";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.type_name(), "std::out_of_range");
      EXPECT_EQ(error.message(), "first");
      EXPECT_EQ(error.others(), 0u);
    }
    // Spent: the event may be used again.
    done.wait();
    for (int i = 0; i < 12; ++i) {
      spawn_on(done, i % core_count(), [] { fail("task"); });
      delegate::async::call(done, i % core_count(), [] { fail("delegate"); });
    }
    try {
      done.wait();
      FAIL() << "nothing was thrown";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.type_name(), "std::out_of_range");
      EXPECT_TRUE(error.message() == "task" || error.message() == "delegate") << error.message();
      EXPECT_EQ(error.others(), 23u);
    }
  });
}

TEST(CompletionEvent, KeepsWaitingAfterAnError) {
  run_everywhere([] {
    Tally tally;
    try {
      forall(0, 500, [tally](std::int64_t i) {
        if (i % 100 == 7) fail("some iterations");
        tally.add();
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.message(), "some iterations");
    }
    // An exception ends the grain it happens in; at this grain all other iterations still run.
    const std::int64_t before = tally.sum();
    try {
      forall(0, 500, LoopOptions{.grain = 1}, [tally](std::int64_t i) {
        if (i % 100 == 7) fail("some iterations");
        tally.add();
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.others(), 4u);
    }
    EXPECT_EQ(tally.sum() - before, 495);
    tally.destroy();
  });
}

TEST(CompletionEvent, ErrorsPassThroughNestedLoops) {
  run_everywhere([] {
    try {
      forall(0, 4, LoopOptions{.grain = 1}, [](std::int64_t) {
        forall(0, 5, LoopOptions{.grain = 1}, [](std::int64_t) {
          forall(0, 3, LoopOptions{.grain = 1}, [](std::int64_t) { fail("deep inside"); });
        });
      });
      FAIL() << "nothing was thrown";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.type_name(), "std::out_of_range");
      EXPECT_EQ(error.message(), "deep inside");
      EXPECT_EQ(error.others(), 59u);
    }
  });
}

TEST(CompletionEvent, AnErrorMayBeCaughtAtAnyLevel) {
  run_everywhere([] {
    Tally caught;
    forall(0, 10, [caught](std::int64_t i) {
      try {
        forall(0, 10, [i](std::int64_t k) {
          if (i == k) fail("the diagonal");
        });
      } catch (const RemoteError&) {
        caught.add();
      }
    });
    EXPECT_EQ(caught.sum(), 10);
    caught.destroy();
  });
}

TEST(CompletionEvent, UnwaitedErrorsComeOutOfTheRun) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    EXPECT_THROW(run(config, [] { spawn_on(core_count() - 1, [] { fail("orphan"); }); }),
                 RemoteError);
  }
}

// ---- misuse

TEST(CompletionEvent, RefusesMisuse) {
  EXPECT_THROW(CompletionEvent(), UsageError);  // outside a run
  run(test::deterministic(1, 2, 1), [] {
    CompletionEvent event;
    EXPECT_THROW(event.complete(), UsageError);
    EXPECT_THROW(event.enroll(-1), UsageError);
    event.enroll(2);
    EXPECT_THROW(event.complete(-1), UsageError);
    EXPECT_THROW(event.complete(3), UsageError);
    event.complete(2);
    EXPECT_TRUE(event.finished());
  });
}

TEST(CompletionEvent, RefusesASecondWaiter) {
  run(test::deterministic(1, 1, 1), [] {
    CompletionEvent event;
    event.enroll();
    CompletionEvent waiters;
    for (int i = 0; i < 2; ++i) spawn(waiters, [&] { event.wait(); });
    for (int i = 0; i < 20; ++i) yield();
    event.complete();
    try {
      waiters.wait();
      FAIL() << "two tasks waited";
    } catch (const RemoteError& error) {
      EXPECT_EQ(error.type_name(), "grappa::UsageError");
      EXPECT_EQ(error.message(), "CompletionEvent: two tasks wait for one event");
      EXPECT_EQ(error.others(), 0u);
    }
  });
}

TEST(CompletionEvent, RefusesOtherCores) {
  run(test::deterministic(1, 2, 1), [] {
    static CompletionEvent* shared = nullptr;
    CompletionEvent event;
    shared = &event;
    on_all_cores([] {
      if (this_core() == 0) return;
      EXPECT_THROW(shared->enroll(), UsageError);
      EXPECT_THROW(shared->complete(0), UsageError);
      EXPECT_THROW(shared->wait(), UsageError);
      EXPECT_THROW(spawn(*shared, [] {}), UsageError);
      EXPECT_THROW(delegate::async::call(*shared, 0, [] {}), UsageError);
    });
  });
}

TEST(CompletionEventDeathTest, IsNotDestroyedUnfinished) {
  EXPECT_DEATH(run(test::deterministic(1, 1, 1),
                   [] {
                     CompletionEvent event;
                     event.enroll();
                   }),
               "CompletionEvent was destroyed while work of it was unfinished");
  EXPECT_DEATH(run(test::deterministic(1, 2, 1),
                   [] {
                     CompletionEvent event;
                     spawn_on(event, 1, [] {});
                   }),
               "CompletionEvent was destroyed while work of it was unfinished");
}

TEST(CompletionEventDeathTest, ADelegateMustNotWait) {
  EXPECT_DEATH(run(test::deterministic(1, 2, 1),
                   [] {
                     delegate::call(1, [] {
                       CompletionEvent event;
                       event.enroll();
                       event.wait();
                     });
                   }),
               "delegate would suspend \\(a completion event\\)");
}

TEST(CompletionEventDeathTest, WaitingForeverIsADeadlockWithAName) {
  EXPECT_DEATH(run(test::deterministic(2, 1, 1),
                   [] {
                     CompletionEvent event;
                     event.enroll();
                     event.wait();
                   }),
               "waits for a completion event");
}

}  // namespace
}  // namespace grappa
