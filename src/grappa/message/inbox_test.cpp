#include "grappa/message/inbox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace grappa::internal {
namespace {

std::vector<int> sources_of(Inbox& inbox) {
  std::vector<int> sources;
  while (!inbox.queue_empty()) sources.push_back(inbox.pop()->source);
  return sources;
}

std::array<Chunk, 5> numbered_chunks() {
  std::array<Chunk, 5> chunks;
  for (int i = 0; i < 5; ++i) chunks[static_cast<std::size_t>(i)].source = i;
  return chunks;
}

TEST(Inbox, RunsTheOldestFirst) {
  auto chunks = numbered_chunks();
  Inbox inbox;
  inbox.push(&chunks[0]);
  for (const std::size_t i : {1, 2, 3}) inbox.deliver(&chunks[i]);
  inbox.push(&chunks[4]);
  EXPECT_TRUE(inbox.has_delivered());
  inbox.take_delivered();
  EXPECT_FALSE(inbox.has_delivered());
  EXPECT_EQ(sources_of(inbox), (std::vector{0, 4, 1, 2, 3}));
}

TEST(Inbox, IsEmptyUntilWhatWasDeliveredIsTaken) {
  auto chunks = numbered_chunks();
  Inbox inbox;
  inbox.take_delivered();
  EXPECT_TRUE(inbox.queue_empty());
  inbox.deliver(&chunks[0]);
  EXPECT_TRUE(inbox.queue_empty());
  inbox.take_delivered();
  EXPECT_EQ(sources_of(inbox), std::vector{0});
  inbox.push(&chunks[1]);
  EXPECT_EQ(sources_of(inbox), std::vector{1}) << "usable after it has been empty";
}

TEST(Inbox, DropsEachPartOnce) {
  auto chunks = numbered_chunks();
  Inbox inbox;
  inbox.push(&chunks[0]);
  inbox.deliver(&chunks[1]);
  EXPECT_EQ(inbox.drop_delivered(), &chunks[1]);
  EXPECT_EQ(inbox.drop_queue(), &chunks[0]);
  EXPECT_EQ(inbox.drop_delivered(), nullptr);
  EXPECT_EQ(inbox.drop_queue(), nullptr);
}

TEST(Inbox, KeepsTheOrderOfEachThreadThatDelivers) {
  constexpr int kThreads = 3;
  constexpr int kEach = 10'000;
  std::vector<Chunk> chunks(kThreads * kEach);
  Inbox inbox;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&inbox, &chunks, t] {
      for (int i = 0; i < kEach; ++i) {
        Chunk& chunk = chunks[static_cast<std::size_t>(t * kEach + i)];
        chunk.source = t;
        chunk.destination = i;
        inbox.deliver(&chunk);
      }
    });
  }
  std::array<int, kThreads> next{};
  for (int taken = 0; taken < kThreads * kEach;) {
    inbox.take_delivered();
    for (; !inbox.queue_empty(); ++taken) {
      const Chunk* chunk = inbox.pop();
      EXPECT_EQ(chunk->destination, next[static_cast<std::size_t>(chunk->source)]++);
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace grappa::internal
