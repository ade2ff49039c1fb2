// The ready queue: order, growth, and that the prefetch and the shuffle lose nobody.

#include "grappa/tasking/ready_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace grappa::internal {
namespace {

// Workers whose saved stack pointer says who they are.
class Workers {
 public:
  explicit Workers(std::size_t count) : memory_(count * 128), workers_(count) {
    for (std::size_t i = 0; i < count; ++i) workers_[i].context.sp = &memory_[i * 128];
  }
  Worker* operator[](std::size_t i) { return &workers_[i]; }
  std::size_t size() const { return workers_.size(); }

 private:
  std::vector<char> memory_;
  std::vector<Worker> workers_;
};

// A ring of which nobody asks who runs, or how far it may go.
class Queue : public ReadyRing {
 public:
  explicit Queue(int prefetch_distance) : ReadyRing(prefetch_distance, nullptr, 1) {}
};

TEST(ReadyRing, StartsEmpty) {
  const Queue ring(16);
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.size(), 0u);
}

TEST(ReadyRing, HandsOutInOrderOfArrivalWithTheSavedContext) {
  Workers workers(10);
  Queue ring(0);
  for (std::size_t i = 0; i < workers.size(); ++i) ring.push(workers[i]);
  EXPECT_EQ(ring.size(), 10u);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const ReadyRing::Entry entry = ring.pop();
    EXPECT_EQ(entry.worker, workers[i]);
    EXPECT_EQ(entry.context.sp, workers[i]->context.sp);
  }
  EXPECT_TRUE(ring.empty());
}

TEST(ReadyRing, GrowsToTheWorkersThatWereAnnouncedWithoutLosingOrder) {
  for (const std::size_t count : {63u, 64u, 65u, 1000u, 5000u}) {
    Workers workers(count);
    Queue ring(16);
    // The head is somewhere in the middle of the array when it grows.
    for (int i = 0; i < 40; ++i) ring.push(workers[0]);
    for (int i = 0; i < 40; ++i) ring.pop();
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 50); ++i) ring.push(workers[i]);
    ring.reserve(count);
    for (std::size_t i = std::min<std::size_t>(count, 50); i < count; ++i) ring.push(workers[i]);
    ASSERT_EQ(ring.size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(ring.pop().worker, workers[i]) << count;
    EXPECT_TRUE(ring.empty());
  }
}

TEST(ReadyRing, ARunningWorkersEntryIsFilledInByTheSwitch) {
  Workers workers(2);
  ReadyRing ring(16, workers[1], 1);
  ring.push(workers[0]);
  Context& saved_here = ring.push_running();
  int anywhere = 0;
  saved_here.sp = &anywhere;
  EXPECT_EQ(ring.pop().worker, workers[0]);
  const ReadyRing::Entry running = ring.pop();
  EXPECT_EQ(running.worker, workers[1]);
  EXPECT_EQ(running.context.sp, &anywhere);
}

TEST(ReadyRing, KnowsWhoRuns) {
  Workers workers(200);
  ReadyRing ring(0, workers[0], 1);
  EXPECT_EQ(ring.running(), workers[0]);
  // He stays where others are made ready and where the ring grows.
  for (std::size_t i = 1; i < 40; ++i) ring.push(workers[i]);
  EXPECT_EQ(ring.running(), workers[0]);
  ring.reserve(workers.size());
  EXPECT_EQ(ring.running(), workers[0]);
  for (std::size_t i = 40; i < workers.size(); ++i) ring.push(workers[i]);
  EXPECT_EQ(ring.running(), workers[0]);
  // Many times around the ring, with all but the running one in it.
  for (std::size_t step = 0; step < 5'000; ++step) {
    ring.push_running().sp = ring.running()->context.sp;
    ring.pop();
    ASSERT_EQ(ring.running(), workers[(step + 1) % workers.size()]);
  }
  ring.set_running(workers[7]);
  EXPECT_EQ(ring.running(), workers[7]);
  ring.push_running();
  while (ring.size() > 1) ring.pop();
  EXPECT_EQ(ring.pop().worker, workers[7]);
}

TEST(ReadyRing, AllowsAsManySwitchesAsItWasTold) {
  Workers workers(3);
  constexpr std::size_t kMax = 64;
  ReadyRing ring(0, workers[0], kMax);
  EXPECT_TRUE(ring.allowance_is_used());
  ring.push(workers[1]);
  ring.push(workers[2]);
  const auto take_one = [&] {
    ring.push_running();
    ring.pop();
  };
  for (int round = 0; round < 10; ++round) {
    for (std::size_t allowed = 1; allowed <= kMax; ++allowed) {
      ring.allow(allowed);
      for (std::size_t taken = 0; taken < allowed; ++taken) {
        ASSERT_FALSE(ring.allowance_is_used()) << allowed << ": " << taken;
        take_one();
      }
      ASSERT_TRUE(ring.allowance_is_used()) << allowed;
    }
  }
  ring.allow(5);
  ring.reserve(1'000);
  EXPECT_TRUE(ring.allowance_is_used());
}

TEST(ReadyRing, BehavesAsAQueueForAnyPrefetchDistance) {
  for (const int distance : {0, 1, 2, 16, 1024}) {
    Workers workers(500);
    Queue ring(distance);
    ring.reserve(workers.size());
    std::deque<Worker*> model;
    std::minstd_rand random(static_cast<unsigned>(distance) + 1);
    std::size_t next = 0;
    for (int step = 0; step < 20'000; ++step) {
      if (model.size() < workers.size() && (model.empty() || random() % 2 == 0)) {
        Worker* worker = workers[next++ % workers.size()];
        ring.push(worker);
        model.push_back(worker);
      } else {
        ASSERT_EQ(ring.pop().worker, model.front());
        model.pop_front();
      }
      ASSERT_EQ(ring.size(), model.size());
    }
  }
}

TEST(ReadyRing, ShuffleChangesTheOrderAndKeepsEverybody) {
  Workers workers(200);
  Queue ring(16);
  ring.reserve(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i) ring.push(workers[i]);
  std::minstd_rand random(3);
  std::vector<Worker*> order;
  while (!ring.empty()) {
    ring.shuffle_head(random());
    order.push_back(ring.pop().worker);
  }
  std::vector<Worker*> in_order;
  for (std::size_t i = 0; i < workers.size(); ++i) in_order.push_back(workers[i]);
  EXPECT_NE(order, in_order);
  std::sort(order.begin(), order.end());
  std::sort(in_order.begin(), in_order.end());
  EXPECT_EQ(order, in_order);
}

TEST(ReadyRing, ShuffleOfNoneOrOneChangesNothing) {
  Workers workers(1);
  Queue ring(16);
  ring.shuffle_head(12345);
  EXPECT_TRUE(ring.empty());
  ring.push(workers[0]);
  ring.shuffle_head(12345);
  EXPECT_EQ(ring.pop().worker, workers[0]);
}

}  // namespace
}  // namespace grappa::internal
