#include "grappa/context/stack_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kKiB = 1024;

// Pages of the stack that have been given memory.
std::size_t resident_pages(const Stack& stack) {
  const std::size_t page = page_size();
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(stack.low) & ~(page - 1);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(stack.low) + stack.bytes;
  std::vector<unsigned char> pages((end - begin + page - 1) / page);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()), 0);
  std::size_t resident = 0;
  for (const unsigned char p : pages) resident += p & 1u;
  return resident;
}

std::size_t count_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  std::size_t lines = 0;
  while (std::getline(maps, line)) ++lines;
  return lines;
}

class StackPoolTest : public testing::TestWithParam<StackMode> {
 protected:
  static constexpr std::size_t kBytes = 64 * kKiB;
};

std::string mode_name(const testing::TestParamInfo<StackMode>& mode) {
  if (mode.param == StackMode::kGuarded) return "Guarded";
  return mode.param == StackMode::kHuge ? "Huge" : "Canary";
}

INSTANTIATE_TEST_SUITE_P(Modes, StackPoolTest,
                         testing::Values(StackMode::kGuarded, StackMode::kHuge, StackMode::kCanary),
                         &mode_name);

TEST_P(StackPoolTest, StacksAreLargeEnoughDistinctAndUsable) {
  StackPool pool(kBytes, GetParam());
  std::vector<Stack> stacks;
  for (int i = 0; i < 100; ++i) stacks.push_back(pool.allocate());
  EXPECT_EQ(pool.allocated(), 100u);
  std::set<std::uintptr_t> begins;
  for (const Stack& stack : stacks) {
    EXPECT_GE(stack.bytes, kBytes);
    const auto begin = reinterpret_cast<std::uintptr_t>(stack.low);
    EXPECT_EQ(begin % 64, 0u);
    // Nobody else's begins inside, nor its own guard or canary just below.
    EXPECT_TRUE(begins.insert(begin).second);
    const auto next = std::next(begins.find(begin));
    if (next != begins.end()) {
      EXPECT_GT(*next, begin + stack.bytes);
    }
    std::memset(stack.low, 0xab, stack.bytes);
  }
  for (const Stack& stack : stacks) EXPECT_TRUE(pool.intact(stack));
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(stacks[i].index, i);
}

TEST_P(StackPoolTest, ReleasedStacksAreReusedLastInFirstOut) {
  StackPool pool(kBytes, GetParam());
  const Stack a = pool.allocate();
  const Stack b = pool.allocate();
  pool.release(a);
  pool.release(b);
  EXPECT_EQ(pool.allocated(), 0u);
  EXPECT_EQ(pool.allocate().low, b.low);
  EXPECT_EQ(pool.allocate().low, a.low);
  EXPECT_EQ(pool.allocate().index, 2u);
}

TEST_P(StackPoolTest, TrimGivesMemoryBackAndStacksStayUsable) {
  StackPool pool(kBytes, GetParam());
  std::vector<Stack> stacks;
  for (int i = 0; i < 40; ++i) stacks.push_back(pool.allocate());
  for (const Stack& stack : stacks) std::memset(stack.low, 0xab, stack.bytes);
  const Stack kept = stacks.back();
  stacks.pop_back();
  for (const Stack& stack : stacks) pool.release(stack);
  pool.trim();
  std::size_t resident = 0;
  for (const Stack& stack : stacks) resident += resident_pages(stack);
  // A page that reaches into a neighbor's slot cannot be given back.
  EXPECT_LE(resident, 2 * stacks.size());
  EXPECT_EQ(*static_cast<unsigned char*>(kept.low), 0xab);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const Stack stack = pool.allocate();
    EXPECT_TRUE(pool.intact(stack));
    std::memset(stack.low, 0xcd, stack.bytes);
    EXPECT_TRUE(pool.intact(stack));
  }
}

TEST_P(StackPoolTest, CanariesShowWritesBelowTheStack) {
  StackPool pool(kBytes, GetParam());
  const Stack stack = pool.allocate();
  if (!pool.has_canaries()) GTEST_SKIP() << "guarded: the write would fault";
  for (std::ptrdiff_t offset : {-1, -8, -64}) {
    auto* byte = static_cast<unsigned char*>(stack.low) + offset;
    const unsigned char before = *byte;
    *byte = static_cast<unsigned char>(before ^ 0x55);
    EXPECT_FALSE(pool.intact(stack)) << offset;
    *byte = before;
    EXPECT_TRUE(pool.intact(stack)) << offset;
  }
}

TEST_P(StackPoolTest, TakesNothingBeforeTheFirstStack) {
  count_mappings();  // takes memory of its own the first time
  const std::size_t before = count_mappings();
  const StackPool pool(kBytes, GetParam());
  EXPECT_EQ(count_mappings(), before);
}

TEST(StackPool, UntouchedStacksTakeNoMemory) {
  for (const StackMode mode : {StackMode::kGuarded, StackMode::kCanary}) {
    StackPool pool(64 * kKiB, mode);
    std::vector<Stack> stacks;
    for (int i = 0; i < 100; ++i) stacks.push_back(pool.allocate());
    for (const Stack& stack : stacks) {
      EXPECT_TRUE(pool.intact(stack));
      static_cast<volatile char*>(stack.low)[stack.bytes - 1] = 1;
    }
    // The looked-at canaries are backed by the kernel's one page of zeros, which mincore counts.
    const std::size_t looked_at = mode == StackMode::kCanary ? 1 : 0;
    for (const Stack& stack : stacks) EXPECT_EQ(resident_pages(stack), 1 + looked_at);
  }
}

TEST(StackPool, WithoutGuardsInTheKernelThereAreCanaries) {
  StackPool pool(64 * kKiB, StackMode::kGuarded, StackPool::Guards::kUnavailable);
  EXPECT_TRUE(pool.has_canaries());
  const Stack stack = pool.allocate();
  EXPECT_TRUE(pool.intact(stack));
  static_cast<char*>(stack.low)[-1] = 1;
  EXPECT_FALSE(pool.intact(stack));
}

TEST(StackPool, ACanaryIsWholeAgainAfterReuse) {
  for (const StackMode mode : {StackMode::kCanary, StackMode::kHuge}) {
    StackPool pool(64 * kKiB, mode);
    const Stack stack = pool.allocate();
    static_cast<char*>(stack.low)[-1] = 1;
    pool.release(stack);
    EXPECT_TRUE(pool.intact(pool.allocate()));
  }
}

TEST(StackPool, RoundsSizesUpAndRefusesNone) {
  StackPool pool(1, StackMode::kGuarded);
  EXPECT_EQ(pool.stack_bytes(), page_size());
  EXPECT_GE(pool.allocate().bytes, page_size());
  EXPECT_THROW(StackPool(0, StackMode::kGuarded), UsageError);
}

TEST(StackPool, ColorsAreCacheLinesAndDiffer) {
  std::set<std::size_t> colors;
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(stack_color(i) % 64, 0u);
    EXPECT_LE(stack_color(i), 1024u);
    colors.insert(stack_color(i));
  }
  EXPECT_EQ(colors.size(), 16u);
}

TEST(StackPool, HalfAMillionStacks) {
#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN)
  GTEST_SKIP() << "too much shadow memory";
#else
  constexpr std::size_t kStacks = 500'000;
  const std::size_t mappings = count_mappings();
  StackPool pool(64 * kKiB, StackMode::kGuarded);
  for (std::size_t i = 0; i < kStacks; ++i) {
    const Stack stack = pool.allocate();
    // A few are used, to see that they can be; all would take 2 GB.
    if (i % 1000 == 0) std::memset(stack.low, 1, stack.bytes);
  }
  EXPECT_EQ(pool.allocated(), kStacks);
  EXPECT_LT(count_mappings(), mappings + 1000);
#endif
}

}  // namespace
}  // namespace grappa::internal
