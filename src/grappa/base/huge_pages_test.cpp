#include "grappa/base/huge_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"

namespace grappa::internal {
namespace {

std::uintptr_t address_of(const Mapping& mapping) {
  return reinterpret_cast<std::uintptr_t>(mapping.data());
}

TEST(PageSizes, ArePowersOfTwo) {
  EXPECT_TRUE(std::has_single_bit(page_size()));
  EXPECT_TRUE(std::has_single_bit(huge_page_size()));
  EXPECT_GT(huge_page_size(), page_size());
}

TEST(RoundUp, GoesToTheNextMultiple) {
  EXPECT_EQ(round_up(0, 64), 0u);
  EXPECT_EQ(round_up(1, 64), 64u);
  EXPECT_EQ(round_up(64, 64), 64u);
  EXPECT_EQ(round_up(65, 64), 128u);
}

TEST(Mapping, IsZeroedAndWritable) {
  const Mapping mapping = Mapping::reserve({.bytes = 3 * page_size()});
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping.size(), 3 * page_size());
  EXPECT_EQ(mapping.data()[0], std::byte{0});
  std::memset(mapping.data(), 1, mapping.size());
  EXPECT_EQ(mapping.data()[mapping.size() - 1], std::byte{1});
}

TEST(Mapping, RoundsUpToWholePages) {
  EXPECT_EQ(Mapping::reserve({.bytes = 1}).size(), page_size());
  EXPECT_EQ(Mapping::reserve({.bytes = page_size() + 1}).size(), 2 * page_size());
}

TEST(Mapping, IsAlignedAsAsked) {
  const std::size_t alignment = 4 * huge_page_size();
  const Mapping mapping = Mapping::reserve({.bytes = page_size(), .alignment = alignment});
  EXPECT_EQ(address_of(mapping) % alignment, 0u);
  EXPECT_EQ(mapping.size(), page_size());
  mapping.data()[mapping.size() - 1] = std::byte{1};
}

// A reservation takes addresses only.
TEST(Mapping, ReservesMoreThanThereIsMemory) {
  const std::size_t bytes = round_up(4 * total_memory_bytes(), page_size());
  EXPECT_EQ(Mapping::reserve({.bytes = bytes}).size(), bytes);
  EXPECT_EQ(Mapping::reserve({.bytes = bytes, .access = MappingAccess::kNone}).size(), bytes);
}

// NOLINTBEGIN(bugprone-use-after-move): what is left behind is the subject.
TEST(Mapping, MovesItsOwnership) {
  Mapping first = Mapping::reserve({.bytes = page_size()});
  std::byte* const data = first.data();
  Mapping second = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_EQ(first.size(), 0u);
  EXPECT_EQ(second.data(), data);

  Mapping third = Mapping::reserve({.bytes = page_size()});
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_FALSE(second);
  third.data()[0] = std::byte{1};
  Mapping& same = third;
  third = std::move(same);
  EXPECT_EQ(third.data(), data) << "moved onto itself";
}
// NOLINTEND(bugprone-use-after-move)

TEST(Mapping, KnowsItsAddresses) {
  const Mapping mapping = Mapping::reserve({.bytes = page_size()});
  EXPECT_TRUE(mapping.contains(mapping.data()));
  EXPECT_TRUE(mapping.contains(mapping.data() + mapping.size() - 1));
  EXPECT_FALSE(mapping.contains(mapping.data() + mapping.size()));
  EXPECT_FALSE(mapping.contains(mapping.data() - 1));
  EXPECT_FALSE(Mapping().contains(mapping.data()));
  EXPECT_FALSE(Mapping().contains(nullptr));
}

TEST(Mapping, RefusesWhatMakesNoSense) {
  EXPECT_THROW(Mapping::reserve({.bytes = 0}), UsageError);
  EXPECT_THROW(Mapping::reserve({.bytes = 1, .alignment = 3}), UsageError);
}

TEST(Mapping, NamesSizePurposeAndKnobWhenItFails) {
  for (const std::size_t bytes : {std::size_t{1} << 60, SIZE_MAX}) {
    try {
      Mapping::reserve({.bytes = bytes, .purpose = "the global heap", .knob = "--heap-size"});
      FAIL() << "the address space cannot hold this";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(bytes == SIZE_MAX ? "16 EiB" : "1 EiB"));
      EXPECT_THAT(e.what(), testing::HasSubstr("the global heap"));
      EXPECT_THAT(e.what(), testing::HasSubstr("--heap-size"));
    }
  }
}

TEST(MappingDeathTest, WithoutAccessIsAFaultUntilMadeAccessible) {
  const Mapping mapping =
      Mapping::reserve({.bytes = 2 * page_size(), .access = MappingAccess::kNone});
  make_accessible(mapping.data(), page_size());
  mapping.data()[0] = std::byte{1};
  EXPECT_DEATH(mapping.data()[page_size()] = std::byte{1}, "");
}

TEST(MakeAccessible, RefusesWhatIsNotMapped) {
  std::byte* data = nullptr;
  {
    const Mapping mapping = Mapping::reserve({.bytes = page_size()});
    data = mapping.data();
  }
  EXPECT_THROW(make_accessible(data, page_size()), Error);
}

TEST(ReleasePages, GivesZeroesBack) {
  const Mapping mapping = Mapping::reserve({.bytes = 4 * page_size()});
  std::memset(mapping.data(), 7, mapping.size());
  release_pages(mapping.data(), mapping.size());
  EXPECT_EQ(mapping.data()[0], std::byte{0});
  EXPECT_EQ(mapping.data()[mapping.size() - 1], std::byte{0});
}

// What shares a page with something else must survive.
TEST(ReleasePages, TouchesWholePagesInsideTheRangeOnly) {
  const Mapping mapping = Mapping::reserve({.bytes = 3 * page_size()});
  std::memset(mapping.data(), 7, mapping.size());
  release_pages(mapping.data() + 1, 2 * page_size());
  EXPECT_EQ(mapping.data()[0], std::byte{7});
  EXPECT_EQ(mapping.data()[page_size() - 1], std::byte{7});
  EXPECT_EQ(mapping.data()[page_size()], std::byte{0});
  EXPECT_EQ(mapping.data()[2 * page_size()], std::byte{7});
  release_pages(mapping.data() + 1, 5);
  EXPECT_EQ(mapping.data()[1], std::byte{7});
}

TEST(AdviseHuge, IsAdviceAndKeepsTheContents) {
  const Mapping mapping =
      Mapping::reserve({.bytes = huge_page_size(), .alignment = huge_page_size()});
  mapping.data()[5] = std::byte{5};
  advise_huge(mapping.data(), mapping.size());
  advise_small(mapping.data(), mapping.size());
  EXPECT_EQ(mapping.data()[5], std::byte{5});
}

}  // namespace
}  // namespace grappa::internal
