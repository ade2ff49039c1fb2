// The ring and the task slots in it: order, growth, and closures of every size.

#include "grappa/tasking/ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "grappa/tasking/task.hpp"

namespace grappa::internal {
namespace {

std::int64_t task_result = 0;  // what the last task wrote

void run(Task& task) { task.type->run(task.storage); }

std::int64_t value_of(Task task) {
  run(task);
  return task_result;
}

Task numbered(std::int64_t n) {
  return make_task([n] { task_result = n; }, nullptr);
}

TEST(Ring, IsFirstInFirstOut) {
  Ring<Task> queue;
  EXPECT_TRUE(queue.empty());
  for (std::int64_t i = 0; i < 10; ++i) queue.push(numbered(i));
  EXPECT_EQ(queue.size(), 10u);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(value_of(queue.pop()), i);
  EXPECT_TRUE(queue.empty());
}

TEST(Ring, BehavesAsAQueueWhileItGrows) {
  Ring<Task> queue;
  std::deque<std::int64_t> model;
  std::minstd_rand random(7);
  std::int64_t next = 0;
  for (int step = 0; step < 50'000; ++step) {
    // More pushes than pops at first, so that it grows with the head in the middle.
    const unsigned push_of_ten = step < 30'000 ? 6 : 3;
    if (model.empty() || random() % 10 < push_of_ten) {
      queue.push(numbered(next));
      model.push_back(next++);
    } else {
      ASSERT_EQ(value_of(queue.pop()), model.front());
      model.pop_front();
    }
    ASSERT_EQ(queue.size(), model.size());
  }
}

TEST(Ring, KeepsWhatWasTakenLast) {
  Ring<Task> queue;
  std::minstd_rand random(11);
  std::int64_t next = 0;
  std::int64_t taken = -1;
  // Full to the last place, over and over, and grown.
  for (int step = 0; step < 20'000; ++step) {
    while (queue.size() < queue.room() && random() % 8 != 0) queue.push(numbered(next++));
    if (random() % 1'000 == 0) queue.push(numbered(next++));
    if (taken >= 0) {
      ASSERT_EQ(value_of(queue.last()), taken);
    }
    if (!queue.empty()) {
      queue.pop();
      ASSERT_EQ(value_of(queue.last()), ++taken);
    }
  }
  EXPECT_GT(queue.room(), 63u);
}

template <std::size_t N>
std::int64_t sum_through_task() {
  std::array<std::uint8_t, N> bytes;
  for (std::size_t i = 0; i < N; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return value_of(make_task(
      [bytes] {
        task_result = 0;
        for (const std::uint8_t b : bytes) task_result += b;
      },
      nullptr));
}

template <std::size_t N>
std::int64_t expected_sum() {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += static_cast<std::uint8_t>(i * 7 + 1);
  return sum;
}

TEST(Task, CarriesClosuresOfAnySize) {
  EXPECT_EQ(sum_through_task<1>(), expected_sum<1>());
  EXPECT_EQ(sum_through_task<39>(), expected_sum<39>());
  EXPECT_EQ(sum_through_task<Task::kInlineBytes>(), expected_sum<Task::kInlineBytes>());
  EXPECT_EQ(sum_through_task<Task::kInlineBytes + 1>(), expected_sum<Task::kInlineBytes + 1>());
  EXPECT_EQ(sum_through_task<64>(), expected_sum<64>());
  EXPECT_EQ(sum_through_task<10'000>(), expected_sum<10'000>());
}

template <std::size_t Alignment>
struct alignas(Alignment) Aligned {
  std::int64_t value = 0;
};

template <std::size_t Alignment>
void expect_aligned() {
  const Aligned<Alignment> a{42};
  Task task = make_task(
      [a] { task_result = reinterpret_cast<std::uintptr_t>(&a) % Alignment == 0 ? a.value : -1; },
      nullptr);
  Task moved = task;  // tasks move as bytes
  EXPECT_EQ(value_of(moved), 42) << Alignment;
}

TEST(Task, KeepsTheAlignmentOfItsClosure) {
  expect_aligned<8>();
  expect_aligned<16>();
  expect_aligned<32>();
  expect_aligned<64>();
  expect_aligned<256>();
}

TEST(Task, AClosureMayChangeItsOwnState) {
  EXPECT_EQ(value_of(make_task(
                [n = std::int64_t{5}]() mutable {
                  for (int i = 0; i < 10; ++i) ++n;
                  task_result = n;
                },
                nullptr)),
            15);
}

TEST(Task, FreesALargeClosureThatThrows) {
  // A leak here is the sanitizer's to find.
  std::array<char, 200> large{};
  Task task = make_task([large] { throw static_cast<int>(large.size()); }, nullptr);
  EXPECT_THROW(run(task), int);
}

TEST(Task, KnowsTheTypeOfItsClosure) {
  const auto closure = [] {};
  const Task task = make_task(closure, nullptr);
  EXPECT_EQ(*task.type->closure, typeid(closure));
}

}  // namespace
}  // namespace grappa::internal
