// The ledgers of several cores, with the test as the network between them.

#include "grappa/tasking/completion.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/tasking/test_locale.hpp"

namespace grappa::internal {
namespace {

using Acks = std::deque<TestAck>;

TestAck ack(int from, int to, EventId event, std::int64_t count) {
  return {from, to, event, nullptr, count};
}

TEST(Ledger, NamesEventsByOwnerSlotAndGeneration) {
  TestLocale locale(2);
  CompletionShare share;
  locale.ledger(1).open(share);
  const EventId first = share.id;
  EXPECT_NE(first, 0u);
  EXPECT_EQ(event_owner(first), 1);
  EXPECT_EQ(locale.ledger(1).live_events(), 1u);
  EXPECT_EQ(&locale.ledger(1).find(first), &share);
  locale.ledger(1).close(share);
  EXPECT_EQ(locale.ledger(1).live_events(), 0u);
  // The slot is used again, under another name.
  locale.ledger(1).open(share);
  EXPECT_NE(share.id, first);
  EXPECT_EQ(&locale.ledger(1).find(share.id), &share);
  locale.ledger(1).close(share);
}

TEST(LedgerDeathTest, WorkForAnEventThatHasEndedEndsTheProcess) {
  TestLocale locale(1);
  CompletionShare share;
  locale.ledger(0).open(share);
  const EventId gone = share.id;
  locale.ledger(0).close(share);
  EXPECT_DEATH(locale.ledger(0).find(gone), "completion event that no longer exists");
  locale.ledger(0).open(share);  // the same slot, the next generation
  EXPECT_DEATH(locale.ledger(0).find(gone), "completion event that no longer exists");
  locale.ledger(0).close(share);
}

TEST(Ledger, GenerationsOfASlotGoRoundWithoutEverGivingZero) {
  TestLocale locale(1);
  CompletionShare share;
  EventId last = 0;
  for (int i = 0; i < (1 << 24) + 10; ++i) {
    locale.ledger(0).open(share);
    const EventId id = share.id;
    locale.ledger(0).close(share);
    if ((id & 0xffffff) == 0 || id == last) FAIL() << i;
    last = id;
  }
}

TEST(Ledger, CountsWorkOfItsOwnCore) {
  TestLocale locale(1);
  TestEvent event(locale.core(0));
  Ledger& ledger = locale.ledger(0);
  ledger.add(event.share);
  ledger.add(event.share, 2);
  ledger.finish(event.share, 2);
  EXPECT_EQ(event.share.pending, 1);
  ledger.finish(event.share);
  EXPECT_EQ(event.share.pending, 0);
}

TEST(Ledger, ABatchThatCausesNothingIsAcknowledgedAtOnceAndAsAWhole) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  locale.ledger(0).add(event.share, 100);  // a batch of 100 messages leaves
  CompletionShare& there = locale.ledger(1).begin_batch(id);
  locale.ledger(1).end_batch(there, 0, 100);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 100)}));
}

TEST(Ledger, TheMessageThatEngagesAShareIsAcknowledgedWhenTheShareHasDrained) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  Ledger& ledger = locale.ledger(1);
  CompletionShare& there = ledger.begin_batch(id);
  ledger.add(there, 2);  // the messages start two tasks
  ledger.end_batch(there, 0, 10);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 9)}));
  ledger.finish(there);
  EXPECT_TRUE(locale.sent_by(1).empty());
  ledger.finish(there);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 1)}));
}

TEST(Ledger, AnEngagedShareAcknowledgesFurtherBatchesAtOnce) {
  TestLocale locale(3);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  Ledger& ledger = locale.ledger(1);
  CompletionShare& there = ledger.begin_batch(id);
  ledger.add(there);
  ledger.end_batch(there, 0, 1);
  EXPECT_TRUE(locale.sent_by(1).empty());
  EXPECT_EQ(&ledger.begin_batch(id), &there);
  ledger.end_batch(there, 2, 5);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 2, id, 5)}));
  ledger.finish(there);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 1)}));
}

TEST(Ledger, AcknowledgementsOfWhatAShareSentDrainIt) {
  TestLocale locale(3);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  Ledger& middle = locale.ledger(1);
  CompletionShare& share = middle.begin_batch(id);
  middle.add(share, 7);  // seven messages go on to core 2
  middle.end_batch(share, 0, 1);
  CompletionShare& leaf = locale.ledger(2).begin_batch(id);
  locale.ledger(2).end_batch(leaf, 1, 7);
  EXPECT_TRUE(locale.sent_by(1).empty());
  for (const TestAck& a : locale.sent_by(2)) locale.deliver(a);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 1)}));
}

TEST(Ledger, MessagesOfACoreToItselfNeedNoAcknowledgement) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  Ledger& ledger = locale.ledger(1);
  CompletionShare& there = ledger.begin_batch(id);
  ledger.add(there, 4);  // to itself
  ledger.end_batch(there, 0, 1);
  CompletionShare& again = ledger.begin_batch(id);
  EXPECT_EQ(&again, &there);
  ledger.end_batch(again, 1, 4);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 1)}));
}

TEST(Ledger, AStolenTaskIsAcknowledgedByWhoeverTookIt) {
  TestLocale locale(3);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  locale.ledger(0).add(event.share, 2);  // two public tasks on core 0
  Ledger& thief = locale.ledger(1);
  // The first engages the thief's share, the second is answered for by it from then on.
  CompletionShare& share = thief.begin_adoption(id);
  thief.adopted_task(share, 0);
  EXPECT_TRUE(locale.sent_by(1).empty());
  EXPECT_EQ(&thief.begin_adoption(id), &share);
  thief.adopted_task(share, 0);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 1)}));
  thief.finish(share);
  EXPECT_TRUE(locale.sent_by(1).empty());
  thief.finish(share);
  EXPECT_EQ(locale.sent_by(1), (Acks{ack(1, 0, id, 1)}));
}

TEST(Ledger, StolenUnitsAreAcknowledgedByTheirNumber) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  RangeDescriptor range;
  Ledger& thief = locale.ledger(1);
  CompletionShare& share = thief.begin_adoption(id);
  thief.adopted_range(share, 0, &range, 17);
  EXPECT_TRUE(locale.sent_by(1).empty());
  // More of the same range, while the share is engaged: told at once.
  thief.begin_adoption(id);
  thief.adopted_range(share, 0, &range, 5);
  EXPECT_EQ(locale.sent_by(1), (Acks{{1, 0, 0, &range, 5}}));
  thief.finish(share);
  thief.finish(share);
  EXPECT_EQ(locale.sent_by(1), (Acks{{1, 0, 0, &range, 17}}));
}

TEST(Ledger, TheOwnerMayTakeItsOwnEventsWorkBackFromAnother) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  const EventId id = event.share.id;
  CompletionShare& there = locale.ledger(1).begin_batch(id);
  locale.ledger(1).add(there);  // a public task on core 1
  locale.ledger(1).end_batch(there, 0, 1);
  locale.ledger(0).add(event.share);  // what core 1's message was counted as
  CompletionShare& mine = locale.ledger(0).begin_adoption(id);
  EXPECT_EQ(&mine, &event.share);
  locale.ledger(0).adopted_task(mine, 1);
  for (const TestAck& a : locale.sent_by(0)) locale.deliver(a);
  for (const TestAck& a : locale.sent_by(1)) locale.deliver(a);
  EXPECT_EQ(event.share.pending, 1);  // the task, now here
  locale.ledger(0).finish(event.share);
  EXPECT_EQ(event.share.pending, 0);
}

TEST(Ledger, ErrorsStayWithTheOwnerAndTravelToIt) {
  TestLocale locale(2);
  TestEvent event(locale.core(0));
  const auto thrown = [](const char* text) {
    return std::make_exception_ptr(std::runtime_error(text));
  };
  locale.ledger(0).report(event.share, thrown("first"));
  locale.ledger(0).report(event.share, thrown("second"));
  EXPECT_EQ(event.errors.type_name, "std::runtime_error");
  EXPECT_EQ(event.errors.message, "first");
  EXPECT_EQ(event.errors.count, 2);
  CompletionShare& there = locale.ledger(1).begin_batch(event.share.id);
  locale.ledger(1).report(there, thrown("third"));
  ASSERT_EQ(locale.acks[1]->errors.size(), 1u);
  Ledger::record(event.share, locale.acks[1]->errors.front());
  EXPECT_EQ(event.errors.message, "first");
  EXPECT_EQ(event.errors.count, 3);
  locale.ledger(1).end_batch(there, 0, 1);
}

TEST(LedgerDeathTest, AnErrorThatNobodyCouldSeeEndsTheProcess) {
  CompletionShare share;
  share.parent = CompletionShare::Parent::kOwner;
  EXPECT_DEATH(Ledger::record(share, {"T", "lost text", 1}), "lost text");
}

// Random work of one event on several cores, with messages and acknowledgements that overtake one
// another: the owner's share is zero exactly when nothing is left anywhere.
class RandomWork {
 public:
  RandomWork(int cores, unsigned seed, int budget)
      : locale_(cores), event_(locale_.core(0)), random_(seed), budget_(budget) {}

  void run() {
    start_work(0, event_.share);
    ASSERT_GT(event_.share.pending, 0);
    std::int64_t steps = 0;
    while (!batches_.empty() || !tasks_.empty() || !acks_.empty()) {
      ASSERT_LT(++steps, 10'000'000);
      step();
      collect();
      if (!batches_.empty() || !tasks_.empty()) {
        ASSERT_GT(event_.share.pending, 0) << "finished while work was left";
      }
    }
    ASSERT_EQ(event_.share.pending, 0) << "not finished although nothing is left";
    EXPECT_GT(executed_, 0);
  }

 private:
  struct Batch {
    int from;
    int to;
    std::int64_t count;
  };
  struct TaskAt {
    int core;
    CompletionShare* share;
  };

  int any_core() { return static_cast<int>(random_() % locale_.locale().cores.size()); }

  // What a message or a task does: nothing, or more messages and tasks.
  void start_work(int core, CompletionShare& share) {
    const unsigned things = share.pending == 0 ? 3 : random_() % 3;
    for (unsigned i = 0; i < things && budget_ > 0; ++i, --budget_) {
      if (random_() % 2 == 0) {
        const std::int64_t count = 1 + random_() % 5;
        locale_.ledger(core).add(share, count);
        batches_.push_back({core, any_core(), count});
      } else {
        locale_.ledger(core).add(share);
        tasks_.push_back({core, &share});
      }
    }
  }

  template <class Item>
  Item take_any(std::deque<Item>& items) {
    const std::size_t i = random_() % items.size();
    const Item item = items[i];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    return item;
  }

  void step() {
    const unsigned choice = random_() % 4;
    if (choice == 0 && !acks_.empty()) {
      locale_.deliver(take_any(acks_));
    } else if (choice == 1 && !batches_.empty()) {
      const Batch batch = take_any(batches_);
      Ledger& ledger = locale_.ledger(batch.to);
      CompletionShare& share = ledger.begin_batch(event_.share.id);
      for (std::int64_t i = 0; i < batch.count; ++i) start_work(batch.to, share);
      ledger.end_batch(share, batch.from, batch.count);
      ++executed_;
    } else if (choice == 2 && !tasks_.empty()) {
      const TaskAt task = take_any(tasks_);
      start_work(task.core, *task.share);
      locale_.ledger(task.core).finish(*task.share);
      ++executed_;
    } else if (choice == 3 && !tasks_.empty()) {
      const std::size_t i = random_() % tasks_.size();
      const int thief = any_core();
      const int victim = tasks_[i].core;
      if (thief == victim) return;
      CompletionShare& share = locale_.ledger(thief).begin_adoption(event_.share.id);
      locale_.ledger(thief).adopted_task(share, victim);
      tasks_[i] = {thief, &share};
    }
  }

  void collect() {
    for (int core = 0; core < static_cast<int>(locale_.locale().cores.size()); ++core) {
      for (const TestAck& a : locale_.sent_by(core)) acks_.push_back(a);
    }
  }

  TestLocale locale_;
  TestEvent event_;
  std::minstd_rand random_;
  int budget_;
  std::int64_t executed_ = 0;
  std::deque<Batch> batches_;
  std::deque<TaskAt> tasks_;
  std::deque<TestAck> acks_;
};

TEST(Ledger, AnEventEndsExactlyWhenAllItsWorkHasEndedAnywhere) {
  for (const int cores : {1, 2, 3, 8}) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(testing::Message() << cores << " cores, seed " << seed);
      RandomWork work(cores, seed, 300);
      work.run();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace grappa::internal
