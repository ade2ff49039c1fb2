// The allocator of offsets: ranges do not overlap, neighbors merge, mistakes are refused.

#include "grappa/memory/offset_allocator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(OffsetAllocator, HandsOutWhatItHasOnceEach) {
  OffsetAllocator space(64, 64 + 640, "space");
  std::vector<bool> taken(64 + 640);
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t offset = space.allocate(64, 64, i);
    EXPECT_EQ(offset % 64, 0u);
    ASSERT_GE(offset, 64u);
    ASSERT_LE(offset + 64, taken.size());
    for (std::uint64_t b = offset; b < offset + 64; ++b) {
      EXPECT_FALSE(taken[b]);
      taken[b] = true;
    }
    EXPECT_EQ(space.find(offset).bytes, 64u);
    EXPECT_EQ(space.find(offset).elements, i);
  }
  EXPECT_EQ(space.allocated_bytes(), 640u);
  EXPECT_EQ(space.allocations(), 10u);
  EXPECT_THROW(space.allocate(1, 1), Error);
}

TEST(OffsetAllocator, TakesTheSmallestHoleThatFits) {
  OffsetAllocator space(0, 1000, "space");
  const auto a = space.allocate(300, 1);
  space.allocate(10, 1);
  const auto b = space.allocate(100, 1);
  space.allocate(10, 1);
  const auto c = space.allocate(200, 1);
  space.allocate(10, 1);
  space.free(a);
  space.free(b);
  space.free(c);
  EXPECT_EQ(space.allocate(90, 1), b);
  EXPECT_EQ(space.allocate(150, 1), c);
  EXPECT_EQ(space.allocate(300, 1), a);
}

TEST(OffsetAllocator, AlignsAndUsesTheGapInFront) {
  OffsetAllocator space(8, 8192, "space");
  const auto page = space.allocate(4096, 4096);
  EXPECT_EQ(page, 4096u);
  EXPECT_EQ(space.allocate(4088, 8), 8u) << "what alignment left free";
  EXPECT_THROW(space.allocate(1, 1), Error);
}

TEST(OffsetAllocator, AHoleThatOnlyLacksAlignmentIsPassedOver) {
  OffsetAllocator space(0, 4096, "space");
  const auto odd = space.allocate(8, 8);
  const auto hole = space.allocate(64, 8);
  space.allocate(8, 8);
  space.free(hole);
  ASSERT_EQ(odd, 0u);
  ASSERT_EQ(hole, 8u);
  // The hole is exactly large enough, but no multiple of 64.
  EXPECT_EQ(space.allocate(64, 64), 128u);
  EXPECT_EQ(space.allocate(64, 8), hole);
}

TEST(OffsetAllocator, NothingTakesAPlaceOfItsOwn) {
  OffsetAllocator space(0, 256, "space");
  const auto a = space.allocate(0, 64);
  const auto b = space.allocate(0, 64);
  EXPECT_NE(a, b);
  space.free(a);
  space.free(b);
  EXPECT_EQ(space.allocated_bytes(), 0u);
  EXPECT_EQ(space.allocate(256, 64), 0u);
}

TEST(OffsetAllocator, FullNamesTheSpaceAndTheSizes) {
  constexpr std::uint64_t kMiB = 1 << 20;
  OffsetAllocator space(0, 100 * kMiB, "the attic");
  space.allocate(70 * kMiB, 64);
  try {
    space.allocate(31 * kMiB, 64);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("the attic is full"), HasSubstr("31 MiB asked"),
                                HasSubstr("70 of 100 MiB"), HasSubstr("free")));
  }
  // It refused and changed nothing.
  EXPECT_EQ(space.allocated_bytes(), 70 * kMiB);
  EXPECT_EQ(space.allocations(), 1u);
  space.allocate(30 * kMiB, 64);
}

TEST(OffsetAllocator, SizesNearTheEndOfNumbersAreRefused) {
  OffsetAllocator space(64, 1 << 20, "space");
  for (const std::uint64_t bytes :
       {~std::uint64_t{0}, ~std::uint64_t{0} - 63, std::uint64_t{1} << 63}) {
    EXPECT_THROW(space.allocate(bytes, 64), Error);
  }
  EXPECT_THROW(space.allocate(64, std::uint64_t{1} << 63), Error);
  EXPECT_EQ(space.allocated_bytes(), 0u);
  EXPECT_EQ(space.allocate((1 << 20) - 64, 64), 64u);
}

TEST(OffsetAllocator, ADoubleFreeIsRefused) {
  OffsetAllocator space(0, 1000, "the attic");
  const auto a = space.allocate(100, 1);
  const auto b = space.allocate(100, 1);
  EXPECT_EQ(space.free(a).bytes, 100u);
  try {
    space.free(a);
    FAIL() << "nothing was thrown";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("the attic"), HasSubstr("freed twice")));
  }
  EXPECT_THROW(space.find(a), UsageError);
  EXPECT_EQ(space.allocated_bytes(), 100u);
  // Also after the place has become a part of something else.
  space.free(b);
  const auto whole = space.allocate(1000, 1);
  EXPECT_THROW(space.free(b), UsageError);
  space.free(whole);
}

TEST(OffsetAllocator, FreeingTheMiddleIsRefused) {
  OffsetAllocator space(0, 1000, "space");
  const auto a = space.allocate(100, 1);
  for (const std::uint64_t i : {1, 50, 99, 100, 500, 1000, 5000}) {
    EXPECT_THROW(space.free(a + i), UsageError) << i;
  }
  EXPECT_EQ(space.allocations(), 1u);
  EXPECT_EQ(space.free(a).bytes, 100u);
}

// Free neighbors on neither, one or both sides become one range with what is freed.
TEST(OffsetAllocator, NeighborsMergeInAnyOrder) {
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    OffsetAllocator space(0, 400, "space");
    std::vector<std::uint64_t> parts;
    for (int i = 0; i < 4; ++i) parts.push_back(space.allocate(100, 1));
    for (const std::size_t i : order) space.free(parts[i]);
    EXPECT_EQ(space.allocate(400, 1), 0u);
  } while (std::next_permutation(order.begin(), order.end()));
}

// Against a map of what is in use.
class Model {
 public:
  bool overlaps(std::uint64_t offset, std::uint64_t bytes) const {
    const auto after = live_.lower_bound(offset);
    if (after != live_.end() && after->first < offset + bytes) return true;
    if (after == live_.begin()) return false;
    const auto before = std::prev(after);
    return before->first + before->second > offset;
  }
  void add(std::uint64_t offset, std::uint64_t bytes) { live_.emplace(offset, bytes); }
  std::uint64_t remove_nth(std::size_t n) {
    const auto it = std::next(live_.begin(), static_cast<std::ptrdiff_t>(n));
    const std::uint64_t offset = it->first;
    live_.erase(it);
    return offset;
  }
  // The longest run of bytes that nobody has.
  std::uint64_t longest_hole(std::uint64_t first, std::uint64_t limit) const {
    std::uint64_t longest = 0;
    for (const auto& [offset, bytes] : live_) {
      longest = std::max(longest, offset - first);
      first = offset + bytes;
    }
    return std::max(longest, limit - first);
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [offset, bytes] : live_) sum += bytes;
    return sum;
  }
  std::size_t size() const { return live_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> live_;
};

TEST(OffsetAllocator, BehavesAsTheModelOverRandomUse) {
  constexpr std::uint64_t kFirst = 64;
  constexpr std::uint64_t kLimit = 100'000;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    OffsetAllocator space(kFirst, kLimit, "space");
    Model model;
    int refused = 0;
    for (int step = 0; step < 20'000; ++step) {
      // Fills up and runs empty in turn.
      const bool filling = step / 1000 % 2 == 0;
      if (model.size() == 0 || random() % 8 < (filling ? 6u : 2u)) {
        const std::uint64_t bytes = 1 + random() % (1u << (random() % 13));
        const std::uint64_t alignment = std::uint64_t{1} << (random() % 8);
        try {
          const std::uint64_t offset = space.allocate(bytes, alignment, step);
          ASSERT_EQ(offset % alignment, 0u);
          ASSERT_GE(offset, kFirst);
          ASSERT_LE(offset + bytes, kLimit);
          ASSERT_FALSE(model.overlaps(offset, bytes)) << "step " << step;
          ASSERT_EQ(space.find(offset).elements, step);
          model.add(offset, bytes);
        } catch (const Error&) {
          ++refused;
          // No hole had room for it wherever it may begin.
          ASSERT_LT(model.longest_hole(kFirst, kLimit), bytes + alignment - 1) << "step " << step;
        }
      } else {
        space.free(model.remove_nth(random() % model.size()));
      }
      ASSERT_EQ(space.allocations(), model.size());
      if (step % 100 == 0) {
        ASSERT_EQ(space.allocated_bytes(), model.bytes());
        const std::uint64_t hole = model.longest_hole(kFirst, kLimit);
        if (hole > 0) {
          // Holes are merged: the longest one can be had as a whole.
          space.free(space.allocate(hole, 1));
        }
        EXPECT_THROW(space.allocate(hole + 1, 1), Error);
      }
    }
    EXPECT_GT(refused, 0) << "never full: the test is too easy";
    while (model.size() > 0) space.free(model.remove_nth(random() % model.size()));
    EXPECT_EQ(space.allocated_bytes(), 0u);
    EXPECT_EQ(space.allocate(kLimit - kFirst, 1), kFirst);
  }
}

}  // namespace
}  // namespace grappa::internal
