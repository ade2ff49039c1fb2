#include "grappa/container/cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "grappa/container/array_spans.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

constexpr Distribution kEveryDistribution[] = {Distribution::kBlock, Distribution::kCyclic,
                                               Distribution::kPermuted};

/// Does not fill a power of two, so that the heap has holes between its elements.
struct Triple {
  std::int64_t a, b, c;
  friend bool operator==(const Triple&, const Triple&) = default;
};

constexpr std::int64_t kCount = 1000;

template <class T>
void number(GlobalAddress<T> first, const std::function<T(std::int64_t)>& value) {
  for (std::int64_t i = 0; i < kCount; ++i) delegate::write(first + i, value(i));
}

/// Ranges of all lengths, from everywhere.
template <class F>
void for_ranges(const F& use) {
  for (const std::int64_t first : {0, 1, 7, 499, 500, 998}) {
    for (const std::int64_t count : {0, 1, 2, 63, 64, 65, 400})
      if (first + count <= kCount) use(first, count);
  }
  use(0, kCount);
}

TEST(Cache, CopiesWhatAnArrayHas) {
  test::on_machines([] {
    for (const Distribution distribution : kEveryDistribution) {
      const Owned<GlobalArray<std::int32_t>> array =
          GlobalArray<std::int32_t>::create(kCount, distribution);
      array->forall(
          [](std::int64_t i, std::int32_t& x) { x = static_cast<std::int32_t>(3 * i + 1); });
      for_ranges([&](std::int64_t first, std::int64_t count) {
        const CacheRO<std::int32_t> cache(*array, first, count);
        ASSERT_EQ(cache.size(), static_cast<std::size_t>(count));
        for (std::int64_t k = 0; k < count; ++k) ASSERT_EQ(cache[k], 3 * (first + k) + 1);
      });
    }
  });
}

TEST(Cache, CopiesWhatTheHeapHas) {
  test::on_machines([] {
    const GlobalAddress<std::int16_t> small = global_alloc<std::int16_t>(kCount);
    const GlobalAddress<Triple> large = global_alloc<Triple>(kCount);
    number<std::int16_t>(small, [](std::int64_t i) { return static_cast<std::int16_t>(i); });
    number<Triple>(large, [](std::int64_t i) { return Triple{i, -i, 2 * i}; });
    for_ranges([&](std::int64_t first, std::int64_t count) {
      const CacheRO<std::int16_t> some(small + first, count);
      const CacheRO<Triple> others(large + first, count);
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t i = first + k;
        ASSERT_EQ(some[k], i);
        ASSERT_EQ(others[k], (Triple{i, -i, 2 * i}));
      }
    });
    global_free(small);
    global_free(large);
  });
}

TEST(Cache, BringsBackWhatWasWritten) {
  test::on_machines([] {
    const GlobalAddress<Triple> heap = global_alloc<Triple>(kCount);
    std::vector<Triple> expected(kCount);
    std::int64_t turn = 0;
    const auto value = [&](std::int64_t i) { return Triple{i, ++turn, 0}; };
    for_ranges([&](std::int64_t first, std::int64_t count) {
      {
        CacheWO<Triple> cache(heap + first, count);
        for (std::int64_t k = 0; k < count; ++k)
          cache[k] = expected[static_cast<std::size_t>(first + k)] = value(first + k);
      }
      CacheRW<Triple> cache(heap + first, count);
      for (std::int64_t k = 0; k < count; ++k)
        cache[k].c = expected[static_cast<std::size_t>(first + k)].c = ++turn;
      cache.release();
      std::vector<Triple> all(kCount);
      read_span(heap, all);
      ASSERT_EQ(all, expected);
    });
    global_free(heap);
    for (const Distribution distribution : kEveryDistribution) {
      const Owned<GlobalArray<std::int64_t>> array =
          GlobalArray<std::int64_t>::create(kCount, distribution);
      for_ranges([&](std::int64_t first, std::int64_t count) {
        CompletionEvent released;
        CacheRW<std::int64_t> cache(*array, first, count);
        for (std::int64_t& x : cache.span()) ++x;
        cache.async_release(released);
        released.wait();
        EXPECT_EQ(delegate::read((*array)[0]), first == 0 && count > 0 ? 1 : 0);
        write_span(*array, 0, std::vector<std::int64_t>(kCount, 0));
      });
    }
  });
}

TEST(Cache, OfAllCoresWorkSideBySide) {
  test::on_machines([] {
    const std::int64_t each = 300;
    const Owned<GlobalArray<std::int64_t>> array =
        GlobalArray<std::int64_t>::create(each * core_count(), Distribution::kCyclic);
    on_all_cores([array = *array, each] {
      CacheWO<std::int64_t> mine(array, each * this_core(), each);
      std::iota(mine.span().begin(), mine.span().end(), each * this_core());
    });
    std::int64_t expected = 0;
    const CacheRO<std::int64_t> all(*array, 0, array->size());
    for (const std::int64_t x : all.span()) ASSERT_EQ(x, expected++);
  });
}

TEST(Cache, ArrivesWhileItsTaskGoesOn) {
  test::on_machines([] {
    const Owned<GlobalArray<std::int64_t>> array =
        GlobalArray<std::int64_t>::create(kCount, Distribution::kCyclic);
    array->forall([](std::int64_t i, std::int64_t& x) { x = i; });
    // A pipeline of two: one is used while the next one comes.
    std::int64_t sum = 0;
    auto next = CacheRO<std::int64_t>::start(*array, 0, 100);
    for (std::int64_t first = 0; first < kCount; first += 100) {
      // Made again below, but for the last one.  NOLINTNEXTLINE(bugprone-use-after-move)
      CacheRO<std::int64_t> current = std::move(next);
      if (first + 100 < kCount) next = CacheRO<std::int64_t>::start(*array, first + 100, 100);
      current.wait();
      sum = std::accumulate(current.span().begin(), current.span().end(), sum);
    }
    EXPECT_EQ(sum, kCount * (kCount - 1) / 2);
    // One that nobody waits for ends well, too.
    static_cast<void>(CacheRW<std::int64_t>::start(*array, 0, kCount));
  });
}

TEST(Cache, OfOneObjectIsAcquiredWithoutWaiting) {
  test::on_machines([] {
    const Owned<GlobalArray<std::int64_t>> array =
        GlobalArray<std::int64_t>::create(100, Distribution::kCyclic);
    array->forall([](std::int64_t i, std::int64_t& x) { x = i; });
    // All of them are under way before the first has come.
    auto first = Cached<const std::int64_t>::start((*array)[0]);
    auto last = Cached<std::int64_t>::start((*array)[99]);
    auto unused = Cached<std::int64_t>::start((*array)[50]);
    first.wait();
    last.wait();
    *last += *first + 1;
    last.release();
    EXPECT_EQ(delegate::read((*array)[99]), 100);
  });
}

TEST(Cache, UsesTheBufferThatIsGiven) {
  run(test::cluster(2), [] {
    const Owned<GlobalArray<double>> array = GlobalArray<double>::create(100);
    std::vector<double> buffer(100, -1);
    {
      CacheRW<double> cache(*array, 0, 100, buffer);
      EXPECT_EQ(cache.data(), buffer.data());
      cache[99] = 7;
    }
    EXPECT_EQ(delegate::read((*array)[99]), 7);
    EXPECT_EQ(buffer[98], 0);
    EXPECT_THROW(CacheRO<double>(*array, 0, 100, std::span(buffer).first(99)), UsageError);
  });
}

TEST(Cache, DoesNotCopyWhatIsHere) {
  run(test::cluster(2), [] {
    const Owned<GlobalArray<std::int64_t>> array = GlobalArray<std::int64_t>::create(64);
    CacheRW<std::int64_t> here(*array, 3, 5);
    EXPECT_EQ(here.data(), array->local().data() + 3);
    here[0] = 9;
    EXPECT_EQ(array->local()[3], 9);
    const CacheRO<std::int64_t> spread(*array, 20, 20);  // both have some
    EXPECT_NE(spread.data(), array->local().data() + 20);
    std::int64_t own[4] = {1, 2, 3, 4};
    const CacheRO<std::int64_t> mine(GlobalAddress<std::int64_t>::of_local(own), 4);
    EXPECT_EQ(mine.data(), own);
  });
}

TEST(Cache, ReleasesWhenSomethingIsThrown) {
  test::on_machines([] {
    const Owned<GlobalArray<std::int64_t>> array =
        GlobalArray<std::int64_t>::create(10, Distribution::kCyclic);
    EXPECT_THROW(
        {
          CacheRW<std::int64_t> cache(*array, 0, 10);
          std::ranges::fill(cache.span(), 4);
          throw std::runtime_error("after the writes");
        },
        std::runtime_error);
    EXPECT_EQ(delegate::read((*array)[9]), 4);
  });
}

TEST(Cache, HoldsOneObject) {
  test::on_machines([] {
    const GlobalAddress<Triple> objects = global_alloc<Triple>(64);
    for (std::int64_t i = 0; i < 64; ++i) {
      const Cached<Triple> object(objects + i);
      object->b = i;
    }
    for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(Cached<const Triple>(objects + i)->b, i);
    global_free(objects);
  });
}

TEST(Cache, RefusesElementsThatAreNotThere) {
  test::on_machines([] {
    const Owned<GlobalArray<std::int64_t>> array = GlobalArray<std::int64_t>::create(10);
    EXPECT_THROW(CacheRO<std::int64_t>(*array, 5, 6), UsageError);
    EXPECT_THROW(CacheRO<std::int64_t>(*array, -1, 2), UsageError);
    EXPECT_THROW(CacheRO<std::int64_t>(*array, 0, -1), UsageError);
    EXPECT_THROW(CacheRO<std::int64_t>(*array, 5, INT64_MAX), UsageError);
    EXPECT_THROW(CacheRO<std::int64_t>(GlobalArray<std::int64_t>(), 0, 1), UsageError);
    EXPECT_THROW(CacheRO<std::int64_t>(GlobalAddress<std::int64_t>(), 1), UsageError);
  });
}

// ---- what debug builds find

std::string refusal_of(const std::function<void()>& wrong) {
  try {
    wrong();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

void expect_refusal(const std::string& part, const std::function<void()>& wrong) {
  const std::string refusal = refusal_of(wrong);
  EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
}

class CacheChecks : public testing::Test {
 protected:
  void SetUp() override {
    if (!internal::kChecksEveryAccess) GTEST_SKIP() << "debug builds check caches";
  }
};

TEST_F(CacheChecks, TwoDoNotWriteOneElement) {
  test::on_machines([] {
    for (const Distribution distribution : kEveryDistribution) {
      const Owned<GlobalArray<std::int64_t>> array =
          GlobalArray<std::int64_t>::create(100, distribution);
      CacheRW<std::int64_t> one(*array, 10, 20);
      const CacheWO<std::int64_t> beside(*array, 30, 1);
      on_all_cores([array = *array] {
        expect_refusal("cache_test.cpp", [&] { CacheRW<std::int64_t>(array, 29, 5); });
        expect_refusal("right to write", [&] { CacheWO<std::int64_t>(array, 0, 11); });
        const CacheRO<std::int64_t> reads(array, 10, 20);
      });
      one.release();
      const CacheRW<std::int64_t> again(*array, 10, 20);
    }
  });
}

TEST(CacheWriters, KnowWhatIsHeldAndWhatIsOnItsWay) {
  internal::CacheWriters writers;
  const internal::CacheWriterId id = writers.new_id(3);
  const std::vector<internal::MemoryPart> parts = {{64, 128}, {256, 320}};
  const std::vector<internal::MemoryPart> others = {{128, 256}};
  writers.add(id, parts, 16, "CacheRW of core 3");
  EXPECT_NE(writers.conflict(parts, false).find("is held (CacheRW of core 3)"), std::string::npos);
  EXPECT_EQ(writers.conflict(parts, true), "");
  writers.begin_release(id);
  for (const bool reads : {false, true}) {
    EXPECT_NE(writers.conflict(parts, reads).find("has not been waited for"), std::string::npos);
    EXPECT_EQ(writers.conflict(others, reads), "");
  }
  writers.written(id, 10);
  EXPECT_NE(writers.conflict(parts, true), "");
  writers.written(id, 6);
  EXPECT_EQ(writers.conflict(parts, false), "");
}

TEST_F(CacheChecks, UseIsBetweenArrivalAndRelease) {
  test::on_machines([] {
    if (core_count() == 1) return;
    const Owned<GlobalArray<std::int64_t>> array =
        GlobalArray<std::int64_t>::create(100, Distribution::kCyclic);
    auto cache = CacheRW<std::int64_t>::start(*array, 0, 100);
    expect_refusal("before wait()", [&] { cache[0] = 1; });
    cache.wait();
    expect_refusal("no element 100", [&] { cache[100] = 1; });
    cache.release();
    expect_refusal("released", [&] { cache[0] = 1; });
  });
}

TEST_F(CacheChecks, WhatIsReadStaysAsItIs) {
  run(test::cluster(2), [] {
    const Owned<GlobalArray<std::int64_t>> array = GlobalArray<std::int64_t>::create(100);
    std::vector<std::int64_t> buffer(100);
    CacheRO<std::int64_t> cache(*array, 0, 100, buffer);
    buffer[5] = 1;
    expect_refusal("CacheRO were changed", [&] { cache.release(); });
  });
}

}  // namespace
}  // namespace grappa
