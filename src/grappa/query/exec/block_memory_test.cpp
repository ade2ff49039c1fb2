#include "grappa/query/exec/block_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace grappa::query {
namespace {

TEST(BlockMemory, BlocksAreApartWhileTheyLive) {
  std::vector<BlockMemory> blocks;
  for (int i = 0; i < 10; ++i) {
    blocks.emplace_back(i % 2 == 0 ? BlockMemory::kLarge : 100);
    std::memset(blocks.back().data(), i, i % 2 == 0 ? BlockMemory::kLarge : 100);
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(blocks[static_cast<std::size_t>(i)].data()[0], std::byte(i));
    EXPECT_EQ(blocks[static_cast<std::size_t>(i)].data()[99], std::byte(i));
  }
}

TEST(BlockMemory, LargeOnesAreUsedAgain) {
  std::set<const std::byte*> first;
  for (int round = 0; round < 2; ++round) {
    std::vector<BlockMemory> blocks;
    for (int i = 0; i < 5; ++i) blocks.emplace_back(BlockMemory::kLarge);
    std::set<const std::byte*> these;
    for (const BlockMemory& block : blocks) these.insert(block.data());
    EXPECT_EQ(these.size(), blocks.size());
    if (round == 0)
      first = these;
    else
      EXPECT_EQ(these, first);
  }
}

}  // namespace
}  // namespace grappa::query
