// Ranges: every unit of a loop is claimed exactly once, by its core or by a thief, and the loop
// ends when all are done.

#include "grappa/tasking/range.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "grappa/tasking/test_locale.hpp"

namespace grappa::internal {
namespace {

struct Payload {
  std::int64_t tag;
};
const RangeType kSmall{nullptr, &typeid(Payload), sizeof(Payload), alignof(Payload)};

struct alignas(128) LargePayload {
  std::int64_t tag;
  char rest[1000];
};
const RangeType kLarge{nullptr, &typeid(LargePayload), sizeof(LargePayload), alignof(LargePayload)};

// A loop on core 0, whose descriptor counts once in an event.
RangeDescriptor& publish(TestLocale& locale, TestEvent& event, std::int64_t begin, std::int64_t end,
                         std::int64_t grain, Reach reach, const Payload& payload) {
  locale.ledger(0).add(event.share);
  return locale.ranges(0).publish({begin, end, grain, reach, &kSmall, &payload}, event.share);
}

TEST(RangeBoard, CutsALoopIntoUnitsOfTheGrain) {
  for (const std::int64_t begin : {0, -7, 1000}) {
    for (const std::int64_t n : {1, 2, 9, 10, 11, 99, 100, 101}) {
      for (const std::int64_t grain : {1, 2, 10, 1000}) {
        TestLocale locale(1);
        TestEvent event(locale.core(0));
        RangeDescriptor& range =
            publish(locale, event, begin, begin + n, grain, Reach::kLocale, {5});
        EXPECT_EQ(static_cast<Payload*>(range.closure)->tag, 5);
        std::int64_t next = begin;
        RangeUnit unit;
        while (locale.ranges(0).claim(range, unit)) {
          ASSERT_EQ(unit.first, next);
          ASSERT_EQ(unit.last, std::min(unit.first + grain, begin + n));
          next = unit.last;
          const bool more = locale.ranges(0).finish_units(range, 1);
          ASSERT_EQ(more, next != begin + n);
          if (!more) break;
        }
        EXPECT_EQ(next, begin + n);
        EXPECT_EQ(event.share.pending, 0);
      }
    }
  }
}

TEST(RangeBoard, WorksAtTheEndsOfTheIndexRange) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  struct Case {
    std::int64_t begin, end, grain;
  };
  for (const auto& [begin, end, grain] :
       {Case{kMax - 10, kMax, 3}, Case{kMin, kMin + 10, 3}, Case{0, kMax, kMax / 4},
        Case{kMin, -1, kMax / 2}, Case{-5, kMax - 5, kMax}, Case{0, kMax, kMax}}) {
    SCOPED_TRACE(testing::Message() << begin << " to " << end << " by " << grain);
    TestLocale locale(2);
    TestEvent event(locale.core(0));
    RangeDescriptor& range = publish(locale, event, begin, end, grain, Reach::kLocale, {1});
    std::int64_t next = begin;
    RangeUnit unit;
    bool more = true;
    while (more && locale.ranges(0).claim(range, unit)) {
      ASSERT_EQ(unit.first, next);
      ASSERT_GT(unit.last, unit.first);
      next = unit.last;
      more = locale.ranges(0).finish_units(range, 1);
    }
    EXPECT_EQ(next, end);
    EXPECT_EQ(event.share.pending, 0);
  }
}

TEST(RangeBoard, AThiefTakesTheUpperHalf) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  publish(locale, event, 0, 95, 10, Reach::kLocale, {77});
  locale.enter(1);
  ASSERT_TRUE(locale.ranges(1).steal_from(locale.core(0)));
  RangeDescriptor* stolen = locale.ranges(1).find();
  ASSERT_NE(stolen, nullptr);
  EXPECT_EQ(stolen->begin, 50);
  EXPECT_EQ(stolen->end, 95);
  EXPECT_EQ(stolen->total, 5);
  EXPECT_EQ(static_cast<Payload*>(stolen->closure)->tag, 77);
  RangeUnit unit;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(locale.ranges(1).claim(*stolen, unit));
    locale.ranges(1).finish_units(*stolen, 1);
  }
  EXPECT_EQ(unit.last, 95);

  locale.enter(0);
  RangeDescriptor* range = locale.ranges(0).find();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(locale.ranges(0).claim(*range, unit));
    EXPECT_TRUE(locale.ranges(0).finish_units(*range, 1)) << "the thief's units are not told yet";
  }
  EXPECT_FALSE(locale.ranges(0).claim(*range, unit));
  EXPECT_EQ(locale.ranges(0).find(), nullptr);
  EXPECT_EQ(event.share.pending, 1);
  for (const TestAck& ack : locale.sent_by(1)) locale.deliver(ack);
  EXPECT_EQ(event.share.pending, 0);
}

TEST(RangeBoard, TheLastUnitMayBeTaken) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  publish(locale, event, 0, 1, 1, Reach::kLocale, {1});
  locale.enter(1);
  ASSERT_TRUE(locale.ranges(1).steal_from(locale.core(0)));
  EXPECT_FALSE(locale.ranges(1).steal_from(locale.core(0)));
  EXPECT_EQ(locale.ranges(0).find(), nullptr);
  RangeUnit unit;
  RangeDescriptor* stolen = locale.ranges(1).find();
  ASSERT_TRUE(locale.ranges(1).claim(*stolen, unit));
  EXPECT_FALSE(locale.ranges(1).finish_units(*stolen, 1));
  for (const TestAck& ack : locale.sent_by(1)) locale.deliver(ack);
  EXPECT_EQ(event.share.pending, 0);
}

TEST(RangeBoard, ALoneUnitIsNotTakenFromItsThief) {
  TestLocale locale(3);
  TestEvent event(locale.core(0));
  publish(locale, event, 0, 3, 1, Reach::kLocale, {1});
  locale.enter(1);
  ASSERT_TRUE(locale.ranges(1).steal_from(locale.core(0)));  // two of them
  locale.enter(2);
  ASSERT_TRUE(locale.ranges(2).steal_from(locale.core(1)));
  EXPECT_EQ(locale.ranges(2).find()->total, 1);
  locale.enter(1);
  EXPECT_FALSE(locale.ranges(1).steal_from(locale.core(2)));
  for (int core = 2; core >= 0; --core) {
    locale.enter(core);
    RangeUnit unit;
    RangeDescriptor* range = locale.ranges(core).find();
    ASSERT_NE(range, nullptr) << core;
    ASSERT_TRUE(locale.ranges(core).claim(*range, unit));
    EXPECT_FALSE(locale.ranges(core).finish_units(*range, 1));
    for (const TestAck& ack : locale.sent_by(core)) locale.deliver(ack);
  }
  EXPECT_EQ(event.share.pending, 0);
}

TEST(RangeBoard, ABoundLoopIsNotStolen) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  RangeDescriptor& range = publish(locale, event, 0, 10, 1, Reach::kCore, {1});
  locale.enter(1);
  EXPECT_FALSE(locale.ranges(1).steal_from(locale.core(0)));
  locale.enter(0);
  RangeUnit unit;
  while (locale.ranges(0).claim(range, unit) && locale.ranges(0).finish_units(range, 1)) {
  }
  EXPECT_EQ(event.share.pending, 0);
}

TEST(RangeBoard, TheNewestLoopComesFirst) {
  TestLocale locale(1);
  TestEvent event(locale.core(0));
  RangeDescriptor& outer = publish(locale, event, 0, 2, 1, Reach::kLocale, {1});
  RangeDescriptor& inner = publish(locale, event, 0, 1, 1, Reach::kLocale, {2});
  EXPECT_EQ(locale.ranges(0).find(), &inner);
  RangeUnit unit;
  ASSERT_TRUE(locale.ranges(0).claim(inner, unit));
  EXPECT_EQ(locale.ranges(0).find(), &outer) << "an exhausted loop is passed over";
  EXPECT_FALSE(locale.ranges(0).finish_units(inner, 1));
  while (locale.ranges(0).claim(outer, unit) && locale.ranges(0).finish_units(outer, 1)) {
  }
  EXPECT_EQ(event.share.pending, 0);
}

TEST(RangeBoard, KeepsLargeAndOverAlignedClosures) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  LargePayload payload{9, {}};
  payload.rest[999] = 'x';
  locale.ledger(0).add(event.share);
  RangeDescriptor& range =
      locale.ranges(0).publish({0, 4, 1, Reach::kLocale, &kLarge, &payload}, event.share);
  locale.enter(1);
  ASSERT_TRUE(locale.ranges(1).steal_from(locale.core(0)));
  RangeDescriptor* stolen = locale.ranges(1).find();
  for (const RangeDescriptor* r : {&range, stolen}) {
    const auto* copy = static_cast<const LargePayload*>(r->closure);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy) % alignof(LargePayload), 0u);
    EXPECT_EQ(copy->tag, 9);
    EXPECT_EQ(copy->rest[999], 'x');
  }
  RangeUnit unit;
  while (locale.ranges(1).claim(*stolen, unit) && locale.ranges(1).finish_units(*stolen, 1)) {
  }
  locale.enter(0);
  while (locale.ranges(0).claim(range, unit)) locale.ranges(0).finish_units(range, 1);
  for (const TestAck& ack : locale.sent_by(1)) locale.deliver(ack);
  EXPECT_EQ(event.share.pending, 0);
}

TEST(RangeBoard, MoreLoopsThanThievesCanSeeStillRun) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  for (std::int64_t i = 0; i < 100; ++i) publish(locale, event, 0, 3, 1, Reach::kLocale, {i});
  EXPECT_EQ(event.share.pending, 100);
  int units = 0;
  RangeUnit unit;
  while (RangeDescriptor* range = locale.ranges(0).find()) {
    while (locale.ranges(0).claim(*range, unit)) {
      ++units;
      if (!locale.ranges(0).finish_units(*range, 1)) break;
    }
  }
  EXPECT_EQ(units, 300);
  EXPECT_EQ(event.share.pending, 0);
}

// Real threads. Core 0 runs a series of loops, with a second one published while the first runs;
// the others steal from every core and run what they get. Descriptors are recycled all the time, so
// thieves often hold ones that have ended.
class StealingStress {
 public:
  StealingStress(int cores, int loops, std::int64_t iterations, std::int64_t grain)
      : locale_(cores),
        loops_(loops),
        iterations_(iterations),
        grain_(grain),
        runs_(new std::atomic<int>[static_cast<std::size_t>(loops * iterations)]()) {}

  void run() {
    std::vector<std::thread> thieves;
    for (int core = 1; core < static_cast<int>(locale_.locale().cores.size()); ++core) {
      thieves.emplace_back([this, core] { thief(core); });
    }
    owner();
    for (std::thread& thread : thieves) thread.join();
    for (std::int64_t i = 0; i < loops_ * iterations_; ++i) {
      ASSERT_EQ(runs_[static_cast<std::size_t>(i)].load(), 1) << "iteration " << i;
    }
  }

 private:
  void owner() {
    locale_.enter(0);
    TestEvent event(locale_.core(0));
    for (int loop = 0; loop < loops_; loop += 2) {
      publish(locale_, event, 0, iterations_, grain_, Reach::kLocale, {loop});
      work(0);
      if (loop + 1 < loops_)
        publish(locale_, event, 0, iterations_, grain_, Reach::kLocale, {loop + 1});
      while (event.share.pending != 0) {
        work(0);
        pass_on();
      }
    }
    done_.store(true);
  }

  void thief(int me) {
    locale_.enter(me);
    while (!done_.load()) {
      const int cores = static_cast<int>(locale_.locale().cores.size());
      for (int victim = 0; victim < cores; ++victim) {
        if (victim != me) locale_.ranges(me).steal_from(locale_.core(victim));
      }
      work(me);
      pass_on();
      std::this_thread::yield();
    }
  }

  // One unit of whatever core `me` has.
  void work(int me) {
    RangeBoard& board = locale_.ranges(me);
    RangeDescriptor* range = board.find();
    if (range == nullptr) return;
    const std::int64_t loop = static_cast<Payload*>(range->closure)->tag;
    RangeUnit unit;
    if (!board.claim(*range, unit)) return;
    for (std::int64_t i = unit.first; i < unit.last; ++i) {
      runs_[static_cast<std::size_t>(loop * iterations_ + i)].fetch_add(1);
    }
    board.finish_units(*range, 1);
  }

  // Delivers what the thread's core has been sent, and sends on what it has to say.
  void pass_on() {
    const int me = here().id;
    for (const TestAck& ack : locale_.sent_by(me)) {
      const std::lock_guard lock(mutex_);
      mail_[static_cast<std::size_t>(ack.to)].push_back(ack);
    }
    std::deque<TestAck> mine;
    {
      const std::lock_guard lock(mutex_);
      mine.swap(mail_[static_cast<std::size_t>(me)]);
    }
    for (const TestAck& ack : mine) locale_.deliver(ack);
  }

  TestLocale locale_;
  int loops_;
  std::int64_t iterations_;
  std::int64_t grain_;
  std::unique_ptr<std::atomic<int>[]> runs_;
  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::vector<std::deque<TestAck>> mail_{16};
};

TEST(RangeBoard, EveryUnitRunsExactlyOnceWithOneThief) {
  StealingStress(2, 300, 64, 1).run();
  StealingStress(2, 50, 1000, 7).run();
}

TEST(RangeBoard, EveryUnitRunsExactlyOnceWithManyThieves) {
  StealingStress(4, 200, 64, 1).run();
  StealingStress(4, 200, 3, 1).run();
}

}  // namespace
}  // namespace grappa::internal
