// The memory of coroutine frames: reuse, lines of their own, and the bound.

#include "grappa/tasking/frame_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 30;

TEST(FramePool, FramesHaveCacheLinesOfTheirOwn) {
  FramePool pool(kPlenty);
  std::set<std::uintptr_t> lines;
  std::vector<std::pair<void*, std::size_t>> frames;
  for (std::size_t bytes = 1; bytes <= 5000; bytes += 37) {
    auto* const frame = static_cast<char*>(pool.allocate(bytes));
    const auto at = reinterpret_cast<std::uintptr_t>(frame);
    EXPECT_EQ(at % 64, 0u);
    std::memset(frame, 0x5a, bytes);
    for (std::uintptr_t line = at / 64; line <= (at + bytes - 1) / 64; ++line)
      EXPECT_TRUE(lines.insert(line).second) << bytes;
    frames.emplace_back(frame, bytes);
  }
  for (const auto& [frame, bytes] : frames) pool.release(frame, bytes);
}

TEST(FramePool, WhatWasReleasedIsUsedAgain) {
  FramePool pool(kPlenty);
  for (const std::size_t bytes : {64u, 100u, 2048u}) {
    void* const first = pool.allocate(bytes);
    pool.release(first, bytes);
    EXPECT_EQ(pool.allocate(bytes), first) << bytes;
    pool.release(first, bytes);
  }
  EXPECT_EQ(pool.used(), 0u);
}

TEST(FramePool, ManyFramesOfManySizesStayApart) {
  FramePool pool(kPlenty);
  struct Frame {
    std::uint64_t* words;
    std::size_t bytes;
    std::uint64_t stamp;
  };
  std::vector<Frame> frames;
  std::uint64_t stamp = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20'000; ++i) {
      const std::size_t bytes = 16 + 8 * (stamp % 400);
      auto* const words = static_cast<std::uint64_t*>(pool.allocate(bytes));
      words[0] = words[bytes / 8 - 1] = ++stamp;
      frames.push_back({words, bytes, stamp});
    }
    for (std::size_t i = 0; i < frames.size(); i += 2) {
      ASSERT_EQ(frames[i].words[0], frames[i].stamp);
      ASSERT_EQ(frames[i].words[frames[i].bytes / 8 - 1], frames[i].stamp);
      pool.release(frames[i].words, frames[i].bytes);
      frames[i] = frames.back();
      frames.pop_back();
    }
  }
  for (const Frame& frame : frames) pool.release(frame.words, frame.bytes);
  EXPECT_EQ(pool.used(), 0u);
}

TEST(FramePool, IsBounded) {
  FramePool pool(256 * 1024);
  std::vector<void*> frames;
  try {
    for (;;) frames.push_back(pool.allocate(100));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--coroutine-memory"), std::string::npos)
        << error.what();
  }
  EXPECT_GE(frames.size(), 1000u);
  EXPECT_LE(frames.size(), 2048u);
  EXPECT_THROW(pool.allocate(1 << 20), Error) << "what is too large for a slab counts, too";
  // It goes on when something has come back.
  pool.release(frames.back(), 100);
  EXPECT_EQ(pool.allocate(100), frames.back());
}

TEST(FramePool, SlotsThatAreNotInUseReadAsZeroBehindTheirFirstWord) {
  FramePool pool(kPlenty);
  std::set<const void*> used;
  std::vector<void*> released;
  for (int i = 0; i < 100; ++i) {
    void* const frame = pool.allocate(128);
    std::memset(frame, 1, 128);
    if (i % 3 == 0) {
      released.push_back(frame);
    } else {
      used.insert(frame);
    }
  }
  for (void* frame : released) pool.release(frame, 128);
  std::set<const void*> found;
  pool.for_each_slot([&](const std::byte* slot) {
    const auto* const words = reinterpret_cast<const std::uint64_t*>(slot);
    bool zero = true;
    for (int word = 1; word < 8; ++word) zero = zero && words[word] == 0;
    if (!zero) found.insert(slot);
  });
  EXPECT_EQ(found, used);
}

}  // namespace
}  // namespace grappa::internal
