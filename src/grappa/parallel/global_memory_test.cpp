// The global heap and symmetric memory: objects are made and destroyed at home, memory is used
// again, mistakes are refused.

#include "grappa/parallel/global_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class GlobalMemory : public test::OnMachines {};
GRAPPA_ON_MACHINES(GlobalMemory);

// Heap bytes a core that are allocated now, as core 0's allocator counts them.
std::uint64_t heap_in_use() {
  return delegate::call(
      0, [] { return internal::here().locale.memory->allocators().heap.allocated_bytes(); });
}

TEST_P(GlobalMemory, ElementsAreValueInitialized) {
  struct Cell {
    std::int64_t a = 7;
    double b;
  };
  run(config(), [] {
    for (int round = 0; round < 3; ++round) {
      const auto cells = global_alloc<Cell>(100);
      const auto words = global_alloc<std::int64_t>(100);
      for (std::int64_t i = 0; i < 100; ++i) {
        const Cell cell = delegate::read(cells + i);
        EXPECT_EQ(cell.a, 7);
        EXPECT_EQ(cell.b, 0.0);
        EXPECT_EQ(delegate::read(words + i), 0);
        // What is left behind must not show in the next round.
        delegate::write(cells + i, Cell{-1, -1.0});
        delegate::write(words + i, -1);
      }
      global_free(cells);
      global_free(words);
    }
  });
}

TEST_P(GlobalMemory, FreedMemoryOfLocalesIsKeptForTheNextAllocation) {
  using internal::Arena;
  constexpr std::uint64_t kBytes = 1 << 20;
  run(config(), [] {
    const auto kept = [] {
      return delegate::call(
          0, [] { return internal::here().locale.memory->allocators().kept.bytes(); });
    };
    const auto part = [](std::uint64_t offset) {
      return internal::here().memory_base + internal::here().locale.memory->locale_offset() +
             offset;
    };
    const std::uint64_t before = kept();
    const std::uint64_t first = internal::allocate_in(Arena::kLocale, kBytes, 64, 1);
    on_all_locales([=] { std::memset(part(first), 0x55, kBytes); });
    internal::free_in(Arena::kLocale, first);
    EXPECT_EQ(kept(), before + kBytes);
    EXPECT_THROW(internal::free_in(Arena::kLocale, first), std::exception) << "freed twice";

    const std::uint64_t second = internal::allocate_in(Arena::kLocale, kBytes, 64, 1);
    EXPECT_EQ(second, first);
    EXPECT_EQ(kept(), before);
    on_all_locales(
        [=] { EXPECT_EQ(std::to_integer<int>(part(second)[kBytes / 2]), 0x55) << "no fault"; });
    internal::free_in(Arena::kLocale, second);

    // More than may be kept goes back at once.
    const std::uint64_t limit =
        delegate::call(0, [] { return internal::here().locale.memory->allocators().kept.limit(); });
    const std::uint64_t large = internal::allocate_in(Arena::kLocale, limit + kBytes, 64, 1);
    on_all_locales([=] { std::memset(part(large), 0x55, kBytes); });
    const std::uint64_t kept_before = kept();
    internal::free_in(Arena::kLocale, large);
    EXPECT_EQ(kept(), kept_before);
    on_all_locales(
        [=] { EXPECT_EQ(std::to_integer<int>(part(large)[kBytes / 2]), 0) << "released"; });
  });
}

struct Counted {
  static SymmetricAddress<std::int64_t> alive;
  std::int64_t value = 0;
  Counted() { ++alive.local(); }
  ~Counted() { --alive.local(); }
};
SymmetricAddress<std::int64_t> Counted::alive;

TEST_P(GlobalMemory, ConstructorsAndDestructorsRunAtHome) {
  run(config(), [] {
    Counted::alive = symmetric_alloc<std::int64_t>();
    const auto cells = global_alloc<Counted>(1000);
    std::int64_t total = 0;
    for (int core = 0; core < core_count(); ++core) {
      const std::int64_t n = delegate::read(Counted::alive.on(core));
      EXPECT_GT(n, 0) << "core " << core;
      total += n;
    }
    EXPECT_EQ(total, 1000);
    global_free(cells);
    const auto copies = symmetric_alloc<Counted>(3);
    for (int core = 0; core < core_count(); ++core) {
      EXPECT_EQ(delegate::read(Counted::alive.on(core)), 3);
    }
    symmetric_free(copies);
    for (int core = 0; core < core_count(); ++core) {
      EXPECT_EQ(delegate::read(Counted::alive.on(core)), 0);
    }
    symmetric_free(Counted::alive);
  });
}

TEST_P(GlobalMemory, ElementsAreDistinctAndSpreadOverAllCores) {
  struct Odd {
    std::array<char, 72> bytes;
  };
  run(config(), [] {
    const std::int64_t n = 40 * core_count();
    const auto cells = global_alloc<Odd>(n);
    std::vector<int> on_core(static_cast<std::size_t>(core_count()));
    std::set<std::pair<int, std::uint64_t>> places;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto place = (cells + i).place();
      ++on_core[static_cast<std::size_t>(place.core)];
      places.insert({place.core, place.local.bits});
    }
    EXPECT_EQ(places.size(), static_cast<std::size_t>(n));
    for (const int count : on_core) EXPECT_EQ(count, 40);
    global_free(cells);
  });
}

TEST_P(GlobalMemory, FreedMemoryIsUsedAgainWhoeverFreesIt) {
  run(config(), [] {
    const std::uint64_t before = heap_in_use();
    const auto first = global_alloc<std::int64_t>(1000);
    const auto offset = first.raw();
    global_free(first);
    for (int i = 0; i < 30; ++i) {
      const int core = i % core_count();
      // Allocated on one core, freed on another.
      const auto raw = gather_cores([core] {
        return this_core() == core ? global_alloc<std::int64_t>(1000).raw() : 0;
      })[static_cast<std::size_t>(core)];
      EXPECT_EQ(raw, offset) << "the heap has grown";
      const int other = (core + 1) % core_count();
      CompletionEvent done;
      spawn_on(done, other, [raw] { global_free(GlobalAddress<std::int64_t>::from_raw(raw)); });
      done.wait();
    }
    EXPECT_EQ(heap_in_use(), before);
  });
}

// Ten thousand allocations of all sizes, a few of them alive at a time.
TEST(GlobalMemoryReuse, TheHeapDoesNotGrowOverManyAllocations) {
  run(test::threads(2), [] {
    std::minstd_rand random(5);
    std::vector<GlobalAddress<std::int64_t>> live;
    std::uint64_t highest = 0;
    for (int i = 0; i < 10'000; ++i) {
      if (live.size() == 16 || (!live.empty() && random() % 2 == 0)) {
        const std::size_t k = random() % live.size();
        global_free(live[k]);
        live[k] = live.back();
        live.pop_back();
      } else {
        live.push_back(global_alloc<std::int64_t>(1 + static_cast<std::int64_t>(random() % 500)));
        highest = std::max(highest, live.back().raw() - 2 * internal::LocaleMemory::kNullBytes);
      }
    }
    for (const auto address : live) global_free(address);
    // Sixteen arrays of at most 500 words, twice as much for holes between them.
    EXPECT_LT(highest, 2u * 16 * 500 * 8);
    EXPECT_EQ(heap_in_use(), 0u);
  });
}

template <class F>
void expect_refused(const F& f, const std::string& part) {
  try {
    f();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST_P(GlobalMemory, ADoubleFreeIsRefused) {
  run(config(), [] {
    const auto words = global_alloc<std::int64_t>(10);
    const auto keep = global_alloc<std::int64_t>(10);
    global_free(words);
    expect_refused([words] { global_free(words); }, "freed twice");
    const auto cells = symmetric_alloc<std::int64_t>();
    symmetric_free(cells);
    expect_refused([cells] { symmetric_free(cells); }, "freed twice");
    delegate::write(keep, 3);
    EXPECT_EQ(delegate::read(keep), 3);
    global_free(keep);
  });
}

TEST_P(GlobalMemory, FreeingTheMiddleOfAnAllocationIsRefused) {
  run(config(), [] {
    const auto words = global_alloc<std::int64_t>(1000);
    for (const std::int64_t i : {1, 7, 8, 9, 64, 500}) {
      expect_refused([words, i] { global_free(words + i); }, "not the start of an allocation");
    }
    std::int64_t mine = 0;
    const auto elsewhere = GlobalAddress<std::int64_t>::of_local(&mine);
    expect_refused([elsewhere] { global_free(elsewhere); }, "not the start of an allocation");
    global_free(GlobalAddress<std::int64_t>());  // null: nothing happens
    global_free(words);
  });
}

TEST_P(GlobalMemory, SizesThatMakeNoSenseAreRefused) {
  run(config(), [] {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t n : {std::int64_t{-1}, -kMax}) {
      EXPECT_THROW(global_alloc<std::int64_t>(n), Error);
      EXPECT_THROW(symmetric_alloc<std::int64_t>(n), Error);
    }
    // 2^61 words are 2^64 bytes, which is 0 for a careless multiplication.
    for (const std::int64_t n : {std::int64_t{1} << 61, (std::int64_t{1} << 61) + 1,
                                 std::int64_t{1} << 60, std::int64_t{1} << 50, kMax}) {
      EXPECT_THROW(global_alloc<std::int64_t>(n), Error) << n;
      EXPECT_THROW(symmetric_alloc<std::int64_t>(n), Error) << n;
    }
    global_free(global_alloc<std::int64_t>(0));
  });
}

TEST_P(GlobalMemory, AnAllocationThatTheMachineCannotBackIsRefusedWithBothSizes) {
  run(config(), [] {
    expect_refused([] { global_alloc<std::int64_t>(std::int64_t{1} << 43); },
                   "GiB asked, this machine has");
  });
}

TEST_P(GlobalMemory, SymmetricMemoryHasACopyOnEveryCore) {
  struct alignas(128) Line {
    std::int64_t values[16] = {5};
  };
  run(config(), [] {
    const auto lines = symmetric_alloc<Line>(3);
    const auto words = symmetric_alloc<std::int64_t>();
    on_all_cores([lines, words] {
      if (reinterpret_cast<std::uintptr_t>(lines.pointer()) % alignof(Line) != 0) {
        throw std::logic_error("not aligned");
      }
      if (lines.pointer()[2].values[0] != 5) throw std::logic_error("not initialized");
      words.local() = 10 * this_core();
      lines->values[0] = this_core();
    });
    for (int core = 0; core < core_count(); ++core) {
      EXPECT_EQ(words.on(core).core(), core);
      EXPECT_EQ(delegate::read(words.on(core)), 10 * core);
      EXPECT_EQ(delegate::read(lines.on(core)).values[0], core);
      EXPECT_EQ(words.on(core).is_local(), core == this_core());
    }
    symmetric_free(lines);
    symmetric_free(words);
  });
}

TEST_P(GlobalMemory, CopiesOfDifferentCoresShareNoCacheLine) {
  run(config(), [] {
    const auto word = symmetric_alloc<char>();
    const auto other = symmetric_alloc<char>();
    EXPECT_NE(reinterpret_cast<std::uintptr_t>(word.pointer()) / 64,
              reinterpret_cast<std::uintptr_t>(other.pointer()) / 64);
    symmetric_free(word);
    symmetric_free(other);
  });
}

}  // namespace
}  // namespace grappa
