// The public task deque: order at both ends, growth, and every task exactly once under contention.

#include "grappa/tasking/steal_deque.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace grappa::internal {
namespace {

std::vector<Task> make_tasks(std::size_t count) {
  std::vector<Task> tasks(count);
  for (std::size_t i = 0; i < count; ++i) tasks[i].event = i;
  return tasks;
}

Task* steal_one(StealDeque& deque) {
  Task* task = nullptr;
  return deque.steal(&task, 1) == 1 ? task : nullptr;
}

TEST(StealDeque, TheOwnerTakesTheNewestAndAThiefTheOldest) {
  StealDeque deque;
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_EQ(steal_one(deque), nullptr);
  std::vector<Task> tasks = make_tasks(4);
  for (Task& task : tasks) deque.push(&task);
  EXPECT_EQ(deque.size_hint(), 4);
  EXPECT_EQ(deque.pop(), &tasks[3]);
  EXPECT_EQ(steal_one(deque), &tasks[0]);
  EXPECT_EQ(steal_one(deque), &tasks[1]);
  EXPECT_EQ(deque.pop(), &tasks[2]);
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_EQ(steal_one(deque), nullptr);
  EXPECT_EQ(deque.size_hint(), 0);
}

TEST(StealDeque, CanBeEmptiedAndFilledAgain) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(3);
  for (int round = 0; round < 1000; ++round) {
    for (Task& task : tasks) deque.push(&task);
    EXPECT_EQ(steal_one(deque), &tasks[0]);
    EXPECT_EQ(deque.pop(), &tasks[2]);
    EXPECT_EQ(round % 2 == 0 ? deque.pop() : steal_one(deque), &tasks[1]);
    EXPECT_EQ(deque.pop(), nullptr);
  }
}

TEST(StealDeque, GrowsWithoutLosingOrder) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(10'000);
  for (int i = 0; i < 40; ++i) {
    deque.push(&tasks[0]);
    steal_one(deque);
  }
  for (Task& task : tasks) deque.push(&task);
  for (std::size_t i = 0; i < 5'000; ++i) ASSERT_EQ(steal_one(deque), &tasks[i]);
  for (std::size_t i = 10'000; i-- > 5'000;) ASSERT_EQ(deque.pop(), &tasks[i]);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST(StealDeque, AThiefTakesHalfOfWhatThereIs) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(100);
  for (Task& task : tasks) deque.push(&task);
  std::vector<Task*> taken(100);
  EXPECT_EQ(deque.steal(taken.data(), 100), 50u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(taken[i], &tasks[i]);
  EXPECT_EQ(deque.steal(taken.data(), 7), 7u) << "and no more than it asked for";
  EXPECT_EQ(taken[6], &tasks[56]);
  EXPECT_EQ(deque.size_hint(), 43);
}

TEST(StealDeque, AFewTasksCanAllBeStolen) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(7);
  for (Task& task : tasks) deque.push(&task);
  std::vector<Task*> taken(7);
  EXPECT_EQ(deque.steal(taken.data(), 7), 4u);
  EXPECT_EQ(deque.steal(taken.data(), 7), 2u);
  EXPECT_EQ(deque.steal(taken.data(), 7), 1u);
  EXPECT_EQ(taken[0], &tasks[6]);
  EXPECT_EQ(deque.steal(taken.data(), 7), 0u);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST(StealDeque, TheOwnerKeepsOnlyAFewToItself) {
  for (const std::size_t count : {std::size_t{8}, std::size_t{100}, std::size_t{10'000}}) {
    StealDeque deque;
    std::vector<Task> tasks = make_tasks(count);
    for (Task& task : tasks) deque.push(&task);
    std::size_t stolen = 0;
    while (steal_one(deque) != nullptr) ++stolen;
    const std::size_t kept = count - stolen;
    EXPECT_LE(kept, std::min<std::size_t>(count / 8, 16)) << count;
    // With its next task it lets go of the others, of which there may be more for its own use.
    for (std::size_t left = kept; left > 0;) {
      ASSERT_EQ(deque.pop(), &tasks[--left + stolen]);
      while (left > 0 && steal_one(deque) == &tasks[stolen]) ++stolen, --left;
      EXPECT_EQ(left, 0u) << count;
    }
    EXPECT_EQ(deque.pop(), nullptr);
  }
}

TEST(StealDeque, WhatWasTakenTogetherKeepsItsOrder) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(200);
  std::vector<Task*> loot;
  for (Task& task : tasks) loot.push_back(&task);
  deque.push_all(loot.data(), 200);
  EXPECT_EQ(steal_one(deque), &tasks[0]);
  for (std::size_t i = 200; i-- > 1;) ASSERT_EQ(deque.pop(), &tasks[i]);
  EXPECT_EQ(deque.pop(), nullptr);
}

// The owner pushes all tasks, popping in between, while thieves steal up to `most` at a time.
// `pop_of_four` sets how often it pops: with many pops the deque is nearly always empty, where
// owner and thieves meet.
void stress(int thieves, std::size_t count, unsigned pop_of_four, std::uint32_t most) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(count);
  const std::unique_ptr<std::atomic<int>[]> taken(new std::atomic<int>[count]());
  std::atomic<bool> done{false};
  std::atomic<std::size_t> stolen{0};
  const auto take = [&](Task* task) { taken[task->event].fetch_add(1); };
  std::vector<std::thread> threads;
  for (int t = 0; t < thieves; ++t) {
    threads.emplace_back([&] {
      std::vector<Task*> loot(most);
      while (!done.load()) {
        const std::uint32_t got = deque.steal(loot.data(), most);
        for (std::uint32_t i = 0; i < got; ++i) take(loot[i]);
        stolen.fetch_add(got);
        if (got == 0) std::this_thread::yield();
      }
    });
  }
  std::minstd_rand random(static_cast<unsigned>(thieves) * 31 + pop_of_four);
  std::size_t popped = 0;
  for (Task& task : tasks) {
    deque.push(&task);
    if (random() % 4 < pop_of_four) {
      if (Task* mine = deque.pop()) {
        take(mine);
        ++popped;
      }
    }
  }
  while (Task* mine = deque.pop()) {
    take(mine);
    ++popped;
  }
  while (popped + stolen.load() < count) std::this_thread::yield();
  done.store(true);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(taken[i].load(), 1) << "task " << i;
  EXPECT_EQ(popped + stolen.load(), count);
}

// Fills the queue and empties it again, time after time, so that thieves come at every length.
void stress_rounds(int thieves, int rounds, std::uint32_t length) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(length);
  const std::unique_ptr<std::atomic<int>[]> taken(new std::atomic<int>[length]());
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < thieves; ++t) {
    threads.emplace_back([&] {
      std::vector<Task*> loot(length);
      while (!done.load()) {
        const std::uint32_t got = deque.steal(loot.data(), length);
        for (std::uint32_t i = 0; i < got; ++i) taken[loot[i]->event].fetch_add(1);
        if (got == 0) std::this_thread::yield();
      }
    });
  }
  for (int round = 0; round < rounds; ++round) {
    for (Task& task : tasks) deque.push(&task);
    while (Task* mine = deque.pop()) taken[mine->event].fetch_add(1);
    for (std::uint32_t i = 0; i < length; ++i) {
      while (taken[i].load() <= round) std::this_thread::yield();
      ASSERT_EQ(taken[i].load(), round + 1) << "task " << i;
    }
  }
  done.store(true);
  for (std::thread& thread : threads) thread.join();
}

TEST(StealDeque, EveryTaskIsTakenExactlyOnceByOneThief) {
  stress(1, 50'000, 1, 1);
  stress(1, 50'000, 4, 1000);
}

TEST(StealDeque, EveryTaskIsTakenExactlyOnceByManyThieves) {
  stress(3, 30'000, 1, 1000);
  stress(3, 30'000, 3, 4);
  stress(7, 20'000, 4, 1000);
}

TEST(StealDeque, EveryTaskIsTakenExactlyOnceWhileTheQueueIsEmptiedAgainAndAgain) {
  stress_rounds(1, 2000, 3);
  stress_rounds(2, 1000, 40);
  stress_rounds(2, 100, 1000);
}

}  // namespace
}  // namespace grappa::internal
