#include "grappa/memory/kept_ranges.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace grappa::internal {
namespace {

TEST(KeptRanges, KeepsUpToTheLimit) {
  KeptRanges kept(100);
  EXPECT_TRUE(kept.keep(0, 60));
  EXPECT_FALSE(kept.keep(60, 41));
  EXPECT_TRUE(kept.keep(200, 40));
  EXPECT_EQ(kept.bytes(), 100u);
  EXPECT_FALSE(kept.keep(500, 1));
  EXPECT_FALSE(kept.keep(500, ~std::uint64_t{0}));
  kept.take(0, 10);
  EXPECT_EQ(kept.bytes(), 90u);
  EXPECT_TRUE(kept.keep(500, 10));
}

TEST(KeptRanges, KeepsNothingWithoutRoom) {
  KeptRanges kept(0);
  EXPECT_FALSE(kept.keep(0, 1));
  kept.take(0, 100);
  EXPECT_EQ(kept.bytes(), 0u);
}

TEST(KeptRanges, IsASetOfBytes) {
  // Beside a model that knows each byte.
  std::mt19937_64 draw(5);
  constexpr std::uint64_t kSpace = 200;
  KeptRanges kept(1000);
  std::vector<bool> is_kept(kSpace);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t offset = draw() % kSpace;
    const std::uint64_t bytes = 1 + draw() % (kSpace - offset);
    bool is_free = true;
    for (std::uint64_t i = offset; i < offset + bytes; ++i) is_free = is_free && !is_kept[i];
    const bool keeps = draw() % 2 == 0 && is_free;  // nothing is freed twice
    if (keeps) {
      ASSERT_TRUE(kept.keep(offset, bytes));
    } else {
      kept.take(offset, bytes);
    }
    for (std::uint64_t i = offset; i < offset + bytes; ++i) is_kept[i] = keeps;
    std::uint64_t sum = 0;
    for (const bool one : is_kept) sum += one ? 1 : 0;
    ASSERT_EQ(kept.bytes(), sum) << "step " << step;
  }
}

}  // namespace
}  // namespace grappa::internal
