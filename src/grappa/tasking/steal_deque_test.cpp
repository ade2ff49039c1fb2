// The public task deque: order at both ends, growth, and every task exactly once under contention.

#include "grappa/tasking/steal_deque.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace grappa {
namespace {

std::vector<Task> make_tasks(std::size_t count) {
  std::vector<Task> tasks(count);
  for (std::size_t i = 0; i < count; ++i) tasks[i].reserved = i;
  return tasks;
}

TEST(StealDeque, TheOwnerTakesTheNewestAndAThiefTheOldest) {
  StealDeque deque;
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_EQ(deque.steal(), nullptr);
  std::vector<Task> tasks = make_tasks(4);
  for (Task& task : tasks) deque.push(&task);
  EXPECT_EQ(deque.size_hint(), 4);
  EXPECT_EQ(deque.pop(), &tasks[3]);
  EXPECT_EQ(deque.steal(), &tasks[0]);
  EXPECT_EQ(deque.steal(), &tasks[1]);
  EXPECT_EQ(deque.pop(), &tasks[2]);
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_EQ(deque.steal(), nullptr);
  EXPECT_EQ(deque.size_hint(), 0);
}

TEST(StealDeque, CanBeEmptiedAndFilledAgain) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(3);
  for (int round = 0; round < 1000; ++round) {
    for (Task& task : tasks) deque.push(&task);
    EXPECT_EQ(deque.steal(), &tasks[0]);
    EXPECT_EQ(deque.pop(), &tasks[2]);
    EXPECT_EQ(round % 2 == 0 ? deque.pop() : deque.steal(), &tasks[1]);
    EXPECT_EQ(deque.pop(), nullptr);
  }
}

TEST(StealDeque, GrowsWithoutLosingOrder) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(10'000);
  for (int i = 0; i < 40; ++i) deque.push(&tasks[0]);
  for (int i = 0; i < 40; ++i) deque.steal();
  for (Task& task : tasks) deque.push(&task);
  for (std::size_t i = 0; i < 5'000; ++i) ASSERT_EQ(deque.steal(), &tasks[i]);
  for (std::size_t i = 10'000; i-- > 5'000;) ASSERT_EQ(deque.pop(), &tasks[i]);
  EXPECT_EQ(deque.pop(), nullptr);
}

// The owner pushes all tasks, popping in between, while thieves steal. `pop_of_four` sets how often
// it pops: with many pops the deque is nearly always empty, where owner and thieves meet.
void stress(int thieves, std::size_t count, unsigned pop_of_four) {
  StealDeque deque;
  std::vector<Task> tasks = make_tasks(count);
  const std::unique_ptr<std::atomic<int>[]> taken(new std::atomic<int>[count]());
  std::atomic<bool> done{false};
  std::atomic<std::size_t> stolen{0};
  const auto take = [&](Task* task) { taken[task->reserved].fetch_add(1); };
  std::vector<std::thread> threads;
  for (int t = 0; t < thieves; ++t) {
    threads.emplace_back([&] {
      while (!done.load()) {
        if (Task* task = deque.steal()) {
          take(task);
          stolen.fetch_add(1);
        } else {
          std::this_thread::yield();
        }
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

TEST(StealDeque, EveryTaskIsTakenExactlyOnceByOneThief) {
  stress(1, 50'000, 1);
  stress(1, 50'000, 4);
}

TEST(StealDeque, EveryTaskIsTakenExactlyOnceByManyThieves) {
  stress(3, 30'000, 1);
  stress(3, 30'000, 3);
  stress(7, 20'000, 4);
}

}  // namespace
}  // namespace grappa
