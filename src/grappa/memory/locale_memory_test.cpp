// The memory of a locale: its parts do not meet, every byte of the heap has one place, memory that
// is not there is refused.

#include "grappa/memory/locale_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/memory/test_memory.hpp"

namespace grappa::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

const MachineShape kShapes[] = {{1, 1, 64}, {1, 3, 64}, {2, 2, 128}, {5, 1, 64}, {3, 7, 4096}};

// ---- layout

TEST(LocaleMemory, PartsDoNotMeet) {
  for (const MachineShape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape);
    TestMemory machine(shape);
    const LocaleMemory& memory = machine.memory();
    std::set<std::uint64_t> starts;
    for (int core = 0; core < shape.cores_each; ++core) {
      starts.insert(memory.heap_offset(core));
      starts.insert(memory.symmetric_offset(core));
    }
    starts.insert(memory.locale_offset());
    ASSERT_EQ(starts.size(), 2u * static_cast<unsigned>(shape.cores_each) + 1);
    EXPECT_EQ(*starts.begin(), 0u);
    EXPECT_EQ(*starts.rbegin(), memory.locale_offset());
    for (auto it = starts.begin(); std::next(it) != starts.end(); ++it) {
      EXPECT_GE(*std::next(it) - *it, memory.segment_bytes());
    }
  }
}

TEST(LocaleMemory, EveryPartIsMemoryBehindNull) {
  TestMemory machine({.cores_each = 2});
  const LocaleMemory& memory = machine.memory();
  std::vector<std::byte*> ends;
  for (int core = 0; core < 2; ++core) {
    EXPECT_EQ(machine.core(core).memory_base, memory.base());
    for (const std::uint64_t start : {memory.heap_offset(core), memory.symmetric_offset(core)}) {
      ends.push_back(memory.base() + start + LocaleMemory::kNullBytes);
      ends.push_back(memory.base() + start + memory.segment_bytes() - 1);
    }
  }
  ends.push_back(memory.base() + memory.locale_offset() + LocaleMemory::kNullBytes);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(*ends[i]), 0);
    *ends[i] = static_cast<std::byte>(i + 1);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(std::to_integer<std::size_t>(*ends[i]), i + 1);
  }
}

TEST(LocaleMemory, IsLaidOutTheSameOnEveryLocale) {
  const MachineShape shape{.locales = 3, .cores_each = 2};
  TestMemory first(shape, 0);
  TestMemory last(shape, 2);
  EXPECT_EQ(first.memory().segment_bytes(), last.memory().segment_bytes());
  EXPECT_EQ(first.memory().locale_offset(), last.memory().locale_offset());
  EXPECT_EQ(first.memory().symmetric_offset(1), last.memory().symmetric_offset(1));
  EXPECT_NE(first.memory().base(), last.memory().base());
}

TEST(LocaleMemory, AllocatorsStartBehindNullAndEndWithTheirPart) {
  TestMemory machine({.cores_each = 2, .block = 256});
  LocaleMemory::Allocators& all = machine.memory().allocators();
  EXPECT_GE(all.heap.allocate(64, 64), LocaleMemory::kNullBytes);
  EXPECT_GE(all.symmetric.allocate(64, 64), LocaleMemory::kNullBytes);
  EXPECT_GE(all.locale.allocate(64, 64), LocaleMemory::kNullBytes);
  const std::uint64_t segment = machine.memory().segment_bytes();
  EXPECT_THROW(all.heap.allocate(segment, 64), Error);
  EXPECT_THROW(all.symmetric.allocate(segment, 64), Error);
  const std::uint64_t rest = segment - LocaleMemory::kNullBytes - 4096;
  EXPECT_LE(all.heap.allocate(rest, 64) + rest, segment);
  EXPECT_LE(all.symmetric.allocate(rest, 64) + rest, segment);
}

// ---- how long the parts are

TEST(LocaleMemorySegments, AreAsLongAsTheMachineHasMemory) {
  const auto laptop = LocaleMemory::choose_segments(24 * kGiB, 2, 1);
  EXPECT_EQ(laptop.core, 24 * kGiB);
  EXPECT_EQ(laptop.locale, 24 * kGiB);
  const auto odd = LocaleMemory::choose_segments(24 * kGiB - 4097, 8, 4);
  EXPECT_EQ(odd.core, 24 * kGiB);
  EXPECT_EQ(odd.locale, 24 * kGiB);
}

// 256 cores with 4 TiB would need 2 PiB of addresses; a process has 128 TiB, a placed address 64.
TEST(LocaleMemorySegments, FitTheAddressesThatThereAre) {
  constexpr std::uint64_t kNameable = std::uint64_t{1} << 46;
  for (const std::uint64_t memory : {kGiB, 24 * kGiB, 512 * kGiB, 4096 * kGiB, 65'536 * kGiB}) {
    for (const int cores : {1, 2, 64, 256, 1024}) {
      for (const int locales : {1, 2, 64, 1024}) {
        SCOPED_TRACE(testing::Message()
                     << memory / kGiB << " GiB, " << cores << " cores, " << locales << " locales");
        const auto parts = LocaleMemory::choose_segments(memory, cores, locales);
        const auto c = static_cast<std::uint64_t>(cores);
        EXPECT_LE((2 * c * parts.core + parts.locale) * static_cast<std::uint64_t>(locales),
                  kNameable);
        EXPECT_EQ(parts.core % (2 << 20), 0u);
        EXPECT_EQ(parts.locale % (2 << 20), 0u);
        EXPECT_GT(parts.core, 0u);
        // A machine's whole memory fits into the heaps of its cores together, and into the arrays.
        if (memory * static_cast<std::uint64_t>(locales) <= 4096 * kGiB) {
          EXPECT_GE(parts.core * c, memory);
          EXPECT_GE(parts.locale, memory);
        }
      }
    }
  }
}

TEST(LocaleMemorySegments, HundredsOfSimulatedLocalesFitIntoAProcess) {
  TestMemory machine({.locales = 512, .cores_each = 4});
  EXPECT_GT(machine.memory().segment_bytes(), 0u);
  EXPECT_LE(machine.memory().locale_offset() * 512, std::uint64_t{1} << 46);
}

// ---- the block-cyclic heap

TEST(LocateLinear, IsWhatBlocksThatGoRoundAllCoresMean) {
  std::mt19937_64 random(7);
  for (const MachineShape& shape : kShapes) {
    TestMemory machine(shape);
    const LocaleMemory& memory = machine.memory();
    const auto cores = static_cast<std::uint64_t>(shape.cores());
    ASSERT_EQ(std::uint64_t{1} << memory.block_shift(), shape.block);
    for (int shift = memory.block_shift(); shift <= 20; shift += 3) {
      const std::uint64_t block = std::uint64_t{1} << shift;
      const std::uint64_t limit = memory.segment_bytes() / block * block * cores;
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t linear = random() % limit;
        const auto place = memory.locate_linear(linear, shift);
        const std::uint64_t number = linear / block;
        ASSERT_EQ(place.core, static_cast<int>(number % cores)) << linear;
        const std::uint64_t segment = memory.heap_offset(place.core % shape.cores_each);
        ASSERT_EQ(place.offset, segment + number / cores * block + linear % block) << linear;
        ASSERT_LT(place.offset, segment + memory.segment_bytes());
      }
    }
  }
}

// Every byte of the first turns has a place of its own, and the places have no holes.
TEST(LocateLinear, IsABijection) {
  for (const MachineShape& shape : {MachineShape{1, 3, 64}, MachineShape{5, 2, 64}}) {
    TestMemory machine(shape);
    const LocaleMemory& memory = machine.memory();
    const std::uint64_t bytes = 4 * shape.block * static_cast<std::uint64_t>(shape.cores());
    std::map<int, std::set<std::uint64_t>> places;
    for (std::uint64_t linear = 0; linear < bytes; ++linear) {
      const auto place = memory.locate_linear(linear, memory.block_shift());
      EXPECT_TRUE(places[place.core].insert(place.offset).second) << linear;
    }
    ASSERT_EQ(places.size(), static_cast<std::size_t>(shape.cores()));
    for (const auto& [core, offsets] : places) {
      EXPECT_EQ(offsets.size(), 4 * shape.block);
      EXPECT_EQ(*offsets.begin(), memory.heap_offset(core % shape.cores_each));
      EXPECT_EQ(*offsets.rbegin() - *offsets.begin(), 4 * shape.block - 1);
    }
  }
}

// ---- memory that is there, and memory that is not

TEST(RequireMemory, RefusesMoreThanTheMachineHasAndNamesBothSizes) {
  TestMemory machine({});
  const std::uint64_t total = total_memory_bytes();
  try {
    require_memory(total + kGiB, "a table");
    FAIL() << "nothing was thrown";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("a table: "), HasSubstr("GiB asked, this machine has"),
                                HasSubstr("GiB left")));
  }
  for (const std::uint64_t bytes : {std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    require_memory(1000, "a little");
    EXPECT_THROW(require_memory(bytes, "a table"), UsageError) << bytes;
  }
}

TEST(RequireMemory, LetsSmallThingsPassAsOftenAsOneLikes) {
  TestMemory machine({});
  for (int i = 0; i < 10'000; ++i) require_memory(100'000, "a little");
}

TEST(LocaleMemory, WhatIsGivenUpReadsAsZeroAndItsNeighborsStay) {
  TestMemory machine({});
  std::byte* start =
      machine.memory().base() + machine.memory().locale_offset() + LocaleMemory::kNullBytes;
  constexpr std::uint64_t kBytes = 1 << 20;
  LocaleMemory::prepare(start, kBytes);
  std::memset(start, 0x55, kBytes);
  LocaleMemory::give_up(start + 100, kBytes - 200);
  EXPECT_EQ(std::to_integer<int>(start[99]), 0x55);
  EXPECT_EQ(std::to_integer<int>(start[kBytes - 100]), 0x55);
  EXPECT_EQ(std::to_integer<int>(start[kBytes / 2]), 0);
  // Small ranges are not worth a call to the system.
  std::memset(start, 0x55, kBytes);
  LocaleMemory::give_up(start, 4096);
  EXPECT_EQ(std::to_integer<int>(start[0]), 0x55);
}

}  // namespace
}  // namespace grappa::internal
