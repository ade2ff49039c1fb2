#include "grappa/tasking/deadline_queue.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace grappa::internal {
namespace {

DeadlineQueue::Entry due_at(std::uint64_t deadline) { return {deadline, 0, nullptr, {}}; }

TEST(DeadlineQueue, AnEmptyOneIsNeverDue) {
  const DeadlineQueue queue;
  EXPECT_EQ(queue.next(), kNoDeadline);
}

TEST(DeadlineQueue, TheEarliestComesFirst) {
  DeadlineQueue queue;
  for (const std::uint64_t d : {50, 10, 40, 20, 30}) queue.push(due_at(d));
  for (const std::uint64_t d : {10, 20, 30, 40, 50}) {
    EXPECT_EQ(queue.next(), d);
    EXPECT_EQ(queue.pop().deadline, d);
  }
  EXPECT_EQ(queue.next(), kNoDeadline);
}

TEST(DeadlineQueue, BehavesAsAnOrderedMultiset) {
  DeadlineQueue queue;
  std::multiset<std::uint64_t> model;
  std::mt19937_64 random(11);
  for (int step = 0; step < 20'000; ++step) {
    if (model.empty() || random() % 2 == 0) {
      const std::uint64_t d = random() % 1000;  // equal ones occur
      queue.push(due_at(d));
      model.insert(d);
    } else {
      ASSERT_EQ(queue.next(), *model.begin());
      ASSERT_EQ(queue.pop().deadline, *model.begin());
      model.erase(model.begin());
    }
  }
}

TEST(DeadlineQueue, AnEntryKeepsWhatItIsFor) {
  DeadlineQueue queue;
  Worker* const worker = reinterpret_cast<Worker*>(std::uintptr_t{64});
  void (*const action)(Core&) = [](Core&) {};
  queue.push({7, 3, action, worker});
  const DeadlineQueue::Entry entry = queue.pop();
  EXPECT_EQ(entry.deadline, 7u);
  EXPECT_EQ(entry.period, 3u);
  EXPECT_EQ(entry.run, action);
  EXPECT_EQ(entry.sleeper.worker(), worker);
}

}  // namespace
}  // namespace grappa::internal
