#include "grappa/sync/wait_queue.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

/// Notes its number when it is resumed.
struct Noting : Waiter {
  Noting(int its_number, std::vector<int>& its_log) : number(its_number), log(its_log) {
    resume = [](Waiter& waiter) {
      auto& self = static_cast<Noting&>(waiter);
      self.log.push_back(self.number);
      if (self.queue_again != nullptr) self.queue_again->push(self);
    };
  }
  int number;
  std::vector<int>& log;
  WaitQueue* queue_again = nullptr;
};

TEST(WaitQueue, IsOneWord) { EXPECT_EQ(sizeof(WaitQueue), 8u); }

TEST(WaitQueue, ResumesInOrderOfArrival) {
  WaitQueue queue;
  std::vector<int> log;
  Noting one(1, log);
  Noting two(2, log);
  Noting three(3, log);
  EXPECT_TRUE(queue.empty());
  queue.push(one);
  EXPECT_FALSE(queue.empty());
  queue.push(two);
  queue.resume_first();
  queue.push(three);
  queue.push(one);
  while (!queue.empty()) queue.resume_first();
  EXPECT_EQ(log, (std::vector{1, 2, 3, 1}));
}

TEST(WaitQueue, ResumeAllTakesThoseThatWaitNow) {
  WaitQueue queue;
  std::vector<int> log;
  Noting one(1, log);
  Noting two(2, log);
  one.queue_again = two.queue_again = &queue;
  queue.push(one);
  queue.push(two);
  queue.resume_all();
  EXPECT_EQ(log, (std::vector{1, 2}));
  EXPECT_EQ(&queue.pop(), &one);
  EXPECT_EQ(&queue.pop(), &two);
  queue.resume_all();  // of none
  EXPECT_EQ(log.size(), 2u);
}

TEST(WaitQueue, KeepsItsMarkApart) {
  WaitQueue queue;
  std::vector<int> log;
  Noting one(1, log);
  EXPECT_FALSE(queue.marked());
  queue.set_mark(true);
  EXPECT_TRUE(queue.empty());
  queue.push(one);
  EXPECT_TRUE(queue.marked());
  queue.set_mark(false);
  EXPECT_EQ(&queue.pop(), &one);
  EXPECT_FALSE(queue.marked());
  EXPECT_TRUE(queue.empty());
}

TEST(WaitQueue, RefusesUseOutsideARun) {
  const WaitQueue queue;
  EXPECT_THROW(queue.require_owner("a thing"), UsageError);
}

TEST(WaitQueueDeathTest, IsNotDestroyedWhileSomebodyWaits) {
  EXPECT_DEATH(
      {
        std::vector<int> log;
        Noting one(1, log);
        WaitQueue queue;
        queue.push(one);
      },
      "destroyed while somebody waits");
}

}  // namespace
}  // namespace grappa::internal
