#include "grappa/message/chunk_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

TEST(ChunkPool, GivesEmptyChunksWithRoomForTheirBytes) {
  ChunkPool pool(3, 4096 - sizeof(Chunk));
  std::set<Chunk*> chunks;
  for (int i = 0; i < 1000; ++i) {
    Chunk* chunk = pool.take();
    EXPECT_EQ(chunk->owner, 3);
    EXPECT_EQ(chunk->used, 0u);
    EXPECT_EQ(chunk->capacity, 4096 - sizeof(Chunk));
    std::fill_n(chunk->data(), chunk->capacity, std::byte{0xff});
    chunks.insert(chunk);
  }
  EXPECT_EQ(chunks.size(), 1000u);
  for (const Chunk* chunk : chunks) EXPECT_EQ(chunk->owner, 3) << "written over by a neighbor";
}

TEST(ChunkPool, GivesWhatWasPutBackFirst) {
  ChunkPool pool(0, 1024);
  Chunk* const first = pool.take();
  EXPECT_FALSE(pool.has_free());
  first->used = 8;
  pool.put(first);
  EXPECT_TRUE(pool.has_free());
  EXPECT_EQ(pool.take(), first);
  EXPECT_EQ(first->used, 0u);
}

TEST(ChunkPool, HasRoomInASlabForChunksLargerThanIt) {
  ChunkPool pool(0, 5 << 20);
  Chunk* const chunk = pool.take();
  chunk->data()[chunk->capacity - 1] = std::byte{1};
  EXPECT_NE(pool.take(), chunk);
}

TEST(ChunkPool, MakesChunksOfTheirOwnSize) {
  ChunkPool pool(0, 1024);
  Chunk* const chunk = pool.make_oversize(100'000);
  EXPECT_EQ(chunk->capacity, 100'000u);
  chunk->data()[chunk->capacity - 1] = std::byte{1};
  pool.put(chunk);
  EXPECT_FALSE(pool.has_free()) << "it is freed, not kept";
  EXPECT_THROW(pool.make_oversize(std::size_t{1} << 31), UsageError);
}

TEST(ChunkPool, TakesBackFromAnyThread) {
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  ChunkPool pool(0, 64);
  std::vector<Chunk*> chunks;
  for (int i = 0; i < kThreads * kEach; ++i) chunks.push_back(pool.take());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&pool, &chunks, t] {
      for (int i = 0; i < kEach; ++i)
        pool.give_back(chunks[static_cast<std::size_t>(t * kEach + i)]);
    });
  }
  std::set<Chunk*> home;
  while (home.size() < chunks.size()) {
    for (Chunk* chunk = pool.take_returned(); chunk != nullptr; chunk = chunk->next)
      EXPECT_TRUE(home.insert(chunk).second);
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.take_returned(), nullptr);
}

}  // namespace
}  // namespace grappa::internal
