// The scheduler of one core, driven by hand: what runs, in which order, and how tasks wait.

#include "grappa/tasking/scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/tasking/parker.hpp"
#include "grappa/tasking/test_one_core.hpp"

namespace grappa::internal {
namespace {

class SchedulerTest : public DrivenByHand {
 protected:
  using DrivenByHand::DrivenByHand;
};

TEST_F(SchedulerTest, NothingToDoIsNoProgress) { EXPECT_FALSE(scheduler().step()); }

TEST_F(SchedulerTest, PrivateTasksRunInOrder) {
  for (int i = 0; i < 200; ++i) spawn([this, i] { log_.push_back(i); });
  EXPECT_TRUE(scheduler().has_local_work());
  drain();
  ASSERT_EQ(log_.size(), 200u);
  EXPECT_TRUE(std::is_sorted(log_.begin(), log_.end()));
  EXPECT_EQ(event_.share.pending, 0);
  EXPECT_FALSE(scheduler().has_local_work());
}

TEST_F(SchedulerTest, OfPublicTasksTheNewestRunsFirst) {
  for (int i = 0; i < 10; ++i) spawn_public([this, i] { log_.push_back(i); });
  drain();
  EXPECT_EQ(log_, (std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(SchedulerTest, ATaskThatDoesNotBlockBorrowsTheRunningStack) {
  std::vector<const void*> stacks;
  for (int i = 0; i < 50; ++i) {
    spawn([this, &stacks] { stacks.push_back(scheduler().current().stack.low); });
  }
  drain();
  ASSERT_EQ(stacks.size(), 50u);
  EXPECT_TRUE(std::all_of(stacks.begin(), stacks.end(), [&](auto s) { return s == stacks[0]; }));
}

TEST_F(SchedulerTest, YieldingTasksTakeTurns) {
  int started = 0;
  for (int t = 0; t < 3; ++t) {
    spawn([this, t, &started] {
      ++started;
      while (started < 3) scheduler().yield();
      for (int round = 0; round < 100; ++round) {
        log_.push_back(t);
        scheduler().yield();
      }
    });
  }
  drain();
  ASSERT_EQ(log_.size(), 300u);
  // Nobody gets far ahead: after each prefix the counts differ by a little.
  int counts[3] = {};
  for (const int t : log_) {
    ++counts[t];
    const auto [least, most] = std::minmax({counts[0], counts[1], counts[2]});
    ASSERT_LE(most - least, 2);
  }
}

TEST_F(SchedulerTest, YieldWithNobodyElseComesBack) {
  spawn([this] {
    for (int i = 0; i < 1000; ++i) scheduler().yield();
    log_.push_back(1);
  });
  drain();
  EXPECT_EQ(log_, std::vector<int>{1});
}

TEST_F(SchedulerTest, YieldersDoNotStarveANewTask) {
  bool stop = false;
  for (int t = 0; t < 3; ++t) {
    spawn([this, &stop] {
      while (!stop) scheduler().yield();
    });
  }
  spawn([this, &stop] {
    spawn([&stop] { stop = true; });
    while (!stop) scheduler().yield();
  });
  for (int i = 0; i < 1000 && scheduler().step(); ++i) {
  }
  EXPECT_TRUE(stop);
  EXPECT_EQ(event_.share.pending, 0);
}

TEST_F(SchedulerTest, ASuspendedTaskWaitsUntilItIsWoken) {
  Worker* waiting = nullptr;
  spawn([this, &waiting] {
    waiting = &scheduler().current();
    scheduler().suspend("a test");
    log_.push_back(2);
  });
  drain();
  ASSERT_NE(waiting, nullptr);
  EXPECT_EQ(scheduler().suspended_tasks(), 1u);
  EXPECT_NE(scheduler().describe_suspended(8).find("a test"), std::string::npos);
  EXPECT_FALSE(scheduler().step());
  spawn([this, &waiting] {
    log_.push_back(1);
    scheduler().wake(waiting);
  });
  drain();
  EXPECT_EQ(log_, (std::vector<int>{1, 2}));
  EXPECT_EQ(scheduler().suspended_tasks(), 0u);
  EXPECT_EQ(event_.share.pending, 0);
}

TEST_F(SchedulerTest, ThousandsOfSuspendedTasksAreWokenInTheOrderAsked) {
  constexpr int kTasks = 2000;
  std::vector<Worker*> waiting;
  for (int i = 0; i < kTasks; ++i) {
    spawn([this, i, &waiting] {
      waiting.push_back(&scheduler().current());
      scheduler().suspend("a test");
      log_.push_back(i);
    });
  }
  drain();
  ASSERT_EQ(waiting.size(), static_cast<std::size_t>(kTasks));
  const std::string kinds = scheduler().describe_suspended(3);
  EXPECT_NE(kinds.find("core 0: 2000 tasks of "), std::string::npos) << kinds;
  EXPECT_NE(kinds.find("wait for a test, the oldest for about 0.0 s\n"), std::string::npos)
      << kinds;
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), '\n'), 1) << kinds;
  for (Worker* worker : waiting) scheduler().wake(worker);
  drain();
  ASSERT_EQ(log_.size(), static_cast<std::size_t>(kTasks));
  EXPECT_TRUE(std::is_sorted(log_.begin(), log_.end()));
}

TEST_F(SchedulerTest, StacksAreUsedAgain) {
  for (int round = 0; round < 100; ++round) {
    std::vector<Worker*> waiting;
    for (int i = 0; i < 20; ++i) {
      spawn([this, &waiting] {
        waiting.push_back(&scheduler().current());
        scheduler().suspend("a test");
      });
    }
    drain();
    for (Worker* worker : waiting) scheduler().wake(worker);
    drain();
  }
  const MetricsSnapshot metrics = locale_.locale().metrics.snapshot();
  const auto workers = std::find_if(metrics.begin(), metrics.end(),
                                    [](const auto& m) { return m.name == "tasking.workers"; });
  ASSERT_NE(workers, metrics.end());
  EXPECT_LE(workers->total, 21u);
}

TEST_F(SchedulerTest, SleepersWakeWhenTheirTimeHasComeAndNotBefore) {
  spawn([this] {
    scheduler().sleep_for(300);
    log_.push_back(3);
  });
  spawn([this] {
    scheduler().sleep_for(100);
    log_.push_back(1);
  });
  drain();
  EXPECT_TRUE(log_.empty());
  EXPECT_EQ(scheduler().next_deadline(), 100u);
  clock_.advance_to(99);
  drain();
  EXPECT_TRUE(log_.empty());
  clock_.advance_to(100);
  drain();
  EXPECT_EQ(log_, std::vector<int>{1});
  EXPECT_EQ(scheduler().next_deadline(), 300u);
  clock_.advance_to(1000);
  drain();
  EXPECT_EQ(log_, (std::vector<int>{1, 3}));
  EXPECT_EQ(scheduler().next_deadline(), kNoDeadline);
}

TEST_F(SchedulerTest, AnExceptionOfATaskIsKeptWithItsEvent) {
  spawn([] { throw std::runtime_error("first"); });
  spawn([this] { log_.push_back(1); });
  spawn([] { throw 42; });
  drain();
  EXPECT_EQ(log_, std::vector<int>{1});
  EXPECT_EQ(event_.errors.message, "first");
  EXPECT_EQ(event_.errors.count, 2);
  EXPECT_EQ(event_.share.pending, 0);
}

TEST_F(SchedulerTest, ATaskInACatchBlockKeepsItsExceptionWhileOthersRun) {
  for (int t = 0; t < 4; ++t) {
    spawn([this, t] {
      const std::string text = "exception " + std::to_string(t);
      try {
        throw std::runtime_error(text);
      } catch (const std::runtime_error&) {
        for (int i = 0; i < 10; ++i) {
          scheduler().yield();
          try {
            throw;
          } catch (const std::runtime_error& mine) {
            if (mine.what() != text) log_.push_back(t);
          }
        }
      }
      if (std::current_exception() != nullptr || std::uncaught_exceptions() != 0) {
        log_.push_back(100 + t);
      }
    });
  }
  drain();
  EXPECT_EQ(log_, std::vector<int>{});
  EXPECT_EQ(event_.errors.count, 0);
}

TEST_F(SchedulerTest, SystemTasksRunAboutOnceInTheirPeriod) {
  static int runs;
  runs = 0;
  scheduler().add_system_task(100, [](Core&) { ++runs; });
  drain();
  EXPECT_EQ(runs, 0);
  for (std::uint64_t now = 100; now <= 1000; now += 100) {
    clock_.advance_to(now);
    drain();
  }
  EXPECT_EQ(runs, 10);
}

TEST_F(SchedulerTest, ASystemTaskWithoutAPeriodDoesNotHangTheCore) {
  static int runs;
  runs = 0;
  scheduler().add_system_task(0, [](Core&) { ++runs; });
  clock_.advance_to(1);
  scheduler().step();
  EXPECT_EQ(runs, 1);
}

using SchedulerDeathTest = SchedulerTest;

TEST_F(SchedulerDeathTest, SuspendingInADelegateIsReportedWithTheTask) {
  spawn([this] {
    const Scheduler::NoSuspend delegate(scheduler());
    scheduler().suspend("a reason");
  });
  EXPECT_DEATH(drain(), "a delegate would suspend \\(a reason\\).*SuspendingInADelegate");
}

TEST_F(SchedulerDeathTest, YieldingInADelegateIsReportedWithTheTask) {
  spawn([this] {
    const Scheduler::NoSuspend delegate(scheduler());
    scheduler().yield();
  });
  EXPECT_DEATH(drain(), "yield inside a delegate.*YieldingInADelegate");
}

class ShuffledScheduler : public SchedulerTest {
 protected:
  static Config shuffled(std::uint64_t seed) {
    Config config;
    config.shuffle = true;
    config.simulation.seed = seed;
    return config;
  }

  static std::vector<int> order(std::uint64_t seed) {
    VirtualClock clock;  // real time would decide when the main context has its turn
    TestLocale locale(1, shuffled(seed));
    locale.locale().virtual_clock = &clock;
    locale.enter(0);
    TestEvent event(locale.core(0));
    std::vector<int> log;
    int started = 0;
    for (int t = 0; t < 20; ++t) {
      locale.ledger(0).add(event.share);
      locale.scheduler(0).push_private(make_task(
          [&locale, &log, &started, t] {
            ++started;
            while (started < 20) locale.scheduler(0).yield();
            for (int i = 0; i < 20; ++i) {
              log.push_back(t);
              locale.scheduler(0).yield();
            }
          },
          &event.share));
    }
    while (locale.scheduler(0).step()) {
    }
    EXPECT_EQ(event.share.pending, 0);
    return log;
  }
};

TEST_F(ShuffledScheduler, RunsEverythingInAnOrderThatTheSeedDecides) {
  const std::vector<int> one = order(1);
  EXPECT_EQ(one.size(), 400u);
  EXPECT_EQ(order(1), one);
  EXPECT_NE(order(2), one);
}

// ---- deadlines, by real time

// Of the processor: on a busy machine others may have it for longer than these tests take.
std::uint64_t processor_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

class BusyScheduler : public SchedulerTest {
 protected:
  BusyScheduler() { locale_.locale().virtual_clock = nullptr; }
};

std::int64_t system_task_runs = 0;

// Tasks that never switch: how often the main context is visited follows from how long they take.
TEST_F(BusyScheduler, LongTasksDoNotKeepSystemTasksFromTheirDeadlines) {
  constexpr std::uint64_t kTaskNs = 100'000;
  constexpr int kTasks = 300;
  system_task_runs = 0;
  scheduler().add_system_task(1'000'000, [](Core&) { ++system_task_runs; });
  for (int i = 0; i < kTasks; ++i) {
    spawn([] {
      const std::uint64_t end = processor_time_ns() + kTaskNs;
      while (processor_time_ns() < end) cpu_relax();
    });
  }
  drain();
  // Thirty periods or more. After a few passes the main context is visited between any two tasks.
  EXPECT_GE(system_task_runs, 8);
}

// Workers that only switch: the main context is not visited for nothing, and yet in time.
TEST_F(BusyScheduler, SwitchingWorkersDoNotKeepThemEither) {
  system_task_runs = 0;
  scheduler().add_system_task(1'000'000, [](Core&) { ++system_task_runs; });
  for (int i = 0; i < 3; ++i) {
    spawn([this] {
      while (system_task_runs < 10) scheduler().yield();
    });
  }
  drain();
  EXPECT_GE(system_task_runs, 10);
}

class TwoSchedulers : public SchedulerTest {
 protected:
  TwoSchedulers() : SchedulerTest(2) {}
};

TEST_F(TwoSchedulers, AThiefTakesTheOlderHalfOfThePublicTasksAndNoPrivateOne) {
  spawn([this] { log_.push_back(100); });
  for (int i = 0; i < 3; ++i) spawn_public([this, i] { log_.push_back(i); });
  locale_.enter(1);
  ASSERT_TRUE(locale_.scheduler(1).steal());
  while (locale_.scheduler(1).step()) {
  }
  EXPECT_EQ(log_, (std::vector<int>{0, 1}));
  locale_.enter(0);
  for (const TestAck& ack : locale_.sent_by(1)) locale_.deliver(ack);
  drain();
  EXPECT_EQ(log_, (std::vector<int>{0, 1, 100, 2}));
  EXPECT_EQ(event_.share.pending, 0);
}

// Else idle cores could hand it round for ever.
TEST_F(TwoSchedulers, AStolenTaskCannotBeStolenBackBeforeItRuns) {
  spawn_public([this] { log_.push_back(1); });
  locale_.enter(1);
  ASSERT_TRUE(locale_.scheduler(1).steal());
  locale_.enter(0);
  EXPECT_FALSE(locale_.scheduler(0).steal());
  locale_.enter(1);
  while (locale_.scheduler(1).step()) {
  }
  EXPECT_EQ(log_, std::vector<int>{1});
  locale_.enter(0);
  for (const TestAck& ack : locale_.sent_by(1)) locale_.deliver(ack);
  EXPECT_EQ(event_.share.pending, 0);
}

// Of many public tasks the owner keeps a few to itself until it takes the next one.
TEST_F(TwoSchedulers, AParkedThiefHearsOfTasksThatWereKeptFromIt) {
  constexpr std::size_t kTasks = 100;
  for (std::size_t i = 0; i < kTasks; ++i) spawn_public([this] { log_.push_back(0); });
  locale_.enter(1);
  while (locale_.scheduler(1).steal()) {
  }
  ASSERT_GT(scheduler().public_tasks(), 1);
  Parker parker;
  locale_.core(1).parker = &parker;
  parker.announce();
  locale_.locale().parked_threads = 1;
  locale_.enter(0);
  ASSERT_TRUE(scheduler().step());
  EXPECT_FALSE(parker.parked());
  locale_.locale().parked_threads = 0;
  locale_.core(1).parker = nullptr;
  locale_.enter(1);
  while (locale_.scheduler(1).step()) {
  }
  locale_.enter(0);
  for (const TestAck& ack : locale_.sent_by(1)) locale_.deliver(ack);
  drain();
  EXPECT_EQ(log_.size(), kTasks);
  EXPECT_EQ(event_.share.pending, 0);
}

TEST_F(TwoSchedulers, ThereIsNothingToStealFromAnIdleCore) {
  locale_.enter(1);
  EXPECT_FALSE(locale_.scheduler(1).steal());
}

}  // namespace
}  // namespace grappa::internal
