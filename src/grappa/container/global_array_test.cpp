#include "grappa/container/global_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/array_algorithms.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/delegate/bulk.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

constexpr Distribution kDistributions[] = {Distribution::kBlock, Distribution::kCyclic,
                                           Distribution::kPermuted};
// None, one, fewer than cores, primes, whole and broken cache lines.
constexpr std::int64_t kArraySizes[] = {0, 1, 2, 5, 7, 8, 64, 65, 997, 4096};

/// body(array size, distribution) in runs of all shapes.
template <class F>
void for_each_array(F body) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [&] {
      for (const Distribution distribution : kDistributions) {
        for (const std::int64_t n : kArraySizes) {
          SCOPED_TRACE(testing::Message()
                       << n << " elements, distribution " << static_cast<int>(distribution));
          body(n, distribution);
        }
      }
    });
  }
}

TEST(GlobalArray, PlacesEveryElementOnce) {
  for_each_array([](std::int64_t n, Distribution distribution) {
    auto array = GlobalArray<std::int64_t>::create(n, distribution);
    EXPECT_EQ(array.size(), n);
    EXPECT_EQ(array.distribution(), distribution);
    std::set<std::pair<int, std::int64_t>> places;
    for (std::int64_t i = 0; i < n; ++i) {
      const int home = array.home(i);
      ASSERT_TRUE(home >= 0 && home < core_count());
      ASSERT_TRUE(places.emplace(home, array.local_index(i)).second) << "element " << i;
      ASSERT_EQ(array[i].core(), home);
    }
    const auto sizes = gather_cores([array] { return array.local_size(); });
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), n);
    for (const auto& [core, local] : places) {
      ASSERT_LT(local, sizes[static_cast<std::size_t>(core)]);
    }
    array.destroy();
  });
}

TEST(GlobalArray, LocalAndGlobalIndicesAreInverse) {
  for_each_array([](std::int64_t n, Distribution distribution) {
    auto array = GlobalArray<std::int32_t>::create(n, distribution);
    on_all_cores([array] {
      EXPECT_EQ(static_cast<std::int64_t>(array.local().size()), array.local_size());
      for (std::int64_t k = 0; k < array.local_size(); ++k) {
        const std::int64_t i = array.global_index(k);
        ASSERT_TRUE(i >= 0 && i < array.size());
        ASSERT_EQ(array.home(i), this_core());
        ASSERT_EQ(array.local_index(i), k);
        ASSERT_EQ(array[i].pointer(), &array.local()[static_cast<std::size_t>(k)]);
      }
    });
    array.destroy();
  });
}

TEST(GlobalArray, StartsWithDefaultValuesAlsoInUsedMemory) {
  for_each_array([](std::int64_t n, Distribution distribution) {
    for (int round = 0; round < 2; ++round) {
      auto array = GlobalArray<std::int64_t>::create(n, distribution);
      array.forall([](std::int64_t& x) {
        EXPECT_EQ(x, 0);
        x = -1;
      });
      array.destroy();
    }
  });
}

TEST(GlobalArray, ForallVisitsEveryElementAtHome) {
  for_each_array([](std::int64_t n, Distribution distribution) {
    auto array = GlobalArray<std::int64_t>::create(n, distribution);
    array.forall([array](std::int64_t i, std::int64_t& x) {
      EXPECT_EQ(array.home(i), this_core());
      x += i + 1;
    });
    array.forall({.grain = 3}, [](std::int64_t& x) { x *= 2; });
    for (std::int64_t i = 0; i < n; i += 1 + n / 50) {
      EXPECT_EQ(delegate::read(array[i]), 2 * (i + 1));
    }
    array.destroy();
  });
}

TEST(GlobalArray, TakesDelegatesFromEverywhere) {
  for_each_array([](std::int64_t n, Distribution distribution) {
    auto array = GlobalArray<std::int64_t>::create(n, distribution);
    on_all_cores([array] {
      for (std::int64_t i = 0; i < array.size(); ++i) delegate::async::increment(array[i], i);
    });
    const std::int64_t cores = core_count();
    array.forall([cores](std::int64_t i, std::int64_t& x) { EXPECT_EQ(x, cores * i); });
    array.destroy();
  });
}

TEST(GlobalArray, AddressesOfElementsCanBeKeptAndMoved) {
  for_each_array([](std::int64_t n, Distribution distribution) {
    if (n != 4096 || distribution == Distribution::kPermuted) return;
    auto array = GlobalArray<std::int64_t>::create(n, distribution);
    auto address = array[7];
    const GlobalAddress<std::int64_t> seventh = address;
    EXPECT_EQ(seventh, array[7]);
    address += 2;  // within the part of its core
    const std::int64_t i = distribution == Distribution::kBlock ? 9 : 7 + 2 * core_count();
    EXPECT_EQ(address, array[i]);
    CompletionEvent done;
    delegate::async::increment(done, address, 3);
    delegate::async::increment(done, std::move(address), 4);
    delegate::async::increment(done, seventh, 5);
    done.wait();
    EXPECT_EQ(delegate::read(array[i]), 7);
    EXPECT_EQ(delegate::read(array[7]), 5);
    array.destroy();
  });
}

TEST(GlobalArray, GathersAndScattersManyElements) {
  for_each_array([](std::int64_t n, Distribution distribution) {
    auto array = GlobalArray<std::int64_t>::create(n, distribution);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(n));
    std::iota(indices.begin(), indices.end(), 0);
    std::shuffle(indices.begin(), indices.end(), std::minstd_rand(static_cast<unsigned>(n) + 1));
    std::vector<std::int64_t> values(indices);
    for (std::int64_t& value : values) value *= -3;
    array.scatter(indices, values);
    array.forall([](std::int64_t i, std::int64_t& x) { EXPECT_EQ(x, -3 * i); });
    std::vector<std::int64_t> read(indices.size());
    array.gather(indices, read);
    EXPECT_EQ(read, values);
    std::vector<std::int64_t> too_many(indices.size() + 1);
    EXPECT_THROW(array.gather(indices, too_many), UsageError);
    EXPECT_THROW(array.scatter(indices, too_many), UsageError);
    array.destroy();
  });
}

TEST(GlobalArray, FrozenViewsShowTheLocalesPart) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      for (const std::int64_t n : kArraySizes) {
        auto array = GlobalArray<std::int64_t>::create(n);
        array.forall([](std::int64_t i, std::int64_t& x) { x = 10 * i; });
        // Parts of the locales follow one another and make up the whole.
        auto ends = gather_cores([array] { return array.locale_end(); });
        auto begins = gather_cores([array] { return array.locale_begin(); });
        EXPECT_EQ(begins.front(), 0);
        EXPECT_EQ(ends.back(), n);
        for (int locale = 1; locale < locale_count(); ++locale) {
          EXPECT_EQ(begins[static_cast<std::size_t>(first_core_of(locale))],
                    ends[static_cast<std::size_t>(first_core_of(locale - 1))]);
        }
        on_all_cores([array] {
          const FrozenView<std::int64_t> view = array.frozen();
          EXPECT_EQ(view.begin_index(), array.locale_begin());
          EXPECT_EQ(view.end_index(), array.locale_end());
          EXPECT_EQ(view.span().size(), array.locale_part().size());
          EXPECT_FALSE(view.holds(view.end_index()));
          EXPECT_FALSE(view.holds(view.begin_index() - 1));
          for (std::int64_t i = view.begin_index(); i < view.end_index(); ++i) {
            ASSERT_TRUE(view.holds(i));
            ASSERT_EQ(view[i], 10 * i);
            ASSERT_EQ(&view[i],
                      &array.locale_part()[static_cast<std::size_t>(i - array.locale_begin())]);
          }
        });
        array.destroy();
      }
    });
  }
}

// ---- elements of all sizes

struct Bytes24 {
  std::int64_t a = 1;
  std::int64_t b = 2;
  std::int64_t c = 3;
};
struct Bytes72 {
  std::int64_t x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
};
struct alignas(128) Wide {
  std::int8_t x = 5;
};

template <class T>
class GlobalArrayOf : public testing::Test {};
using ElementTypes = testing::Types<std::int8_t, std::int16_t, Bytes24, Bytes72, Wide>;
TYPED_TEST_SUITE(GlobalArrayOf, ElementTypes);

TYPED_TEST(GlobalArrayOf, NoTwoCoresShareACacheLine) {
  for (const Config& config : {test::deterministic(1, 3, 1), test::deterministic(2, 2, 1)}) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      for (const std::int64_t n : {1, 10, 1000}) {
        auto array = GlobalArray<TypeParam>::create(n);
        on_all_cores([array] {
          const auto mine = array.local();
          if (mine.empty()) return;
          const auto start = reinterpret_cast<std::uintptr_t>(mine.data());
          EXPECT_EQ(start % alignof(TypeParam), 0u);
          // Parts lie side by side, so it is enough that each begins with a line.
          EXPECT_EQ(start % 64, 0u);
        });
        array.destroy();
      }
    });
  }
}

TYPED_TEST(GlobalArrayOf, ElementsTravelWhole) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      for (const Distribution distribution : kDistributions) {
        auto array = GlobalArray<TypeParam>::create(101, distribution);
        const TypeParam fresh{};
        TypeParam other;
        std::memset(static_cast<void*>(&other), 0x5a, sizeof other);
        for (std::int64_t i = 0; i < 101; ++i) {
          const TypeParam seen = delegate::read(array[i]);
          EXPECT_EQ(std::memcmp(&seen, &fresh, 1), 0);
          if (i % 2 == 1) delegate::write(array[i], other);
        }
        for (std::int64_t i = 0; i < 101; ++i) {
          const TypeParam seen = delegate::read(array[i]);
          EXPECT_EQ(std::memcmp(&seen, i % 2 == 1 ? &other : &fresh, 1), 0);
        }
        array.destroy();
      }
    });
  }
}

// ---- contracts

TEST(GlobalArray, RefusesMisuse) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(test::describe(config));
    run(config, [] {
      using Array = GlobalArray<std::int64_t>;
      EXPECT_THROW(static_cast<void>(Array::create(-1)), UsageError);
      for (const Distribution distribution : kDistributions) {
        // More than any machine has, and more than the arithmetic of addresses can say.
        EXPECT_THROW(static_cast<void>(Array::create(std::int64_t{1} << 45, distribution)),
                     UsageError);
        EXPECT_THROW(static_cast<void>(Array::create(std::int64_t{1} << 61, distribution)),
                     UsageError);
        EXPECT_THROW(static_cast<void>(
                         Array::create(std::numeric_limits<std::int64_t>::max(), distribution)),
                     UsageError);
      }
      EXPECT_THROW(static_cast<void>(Array::create(10, static_cast<Distribution>(77))), UsageError);
      auto cyclic = Array::create(10, Distribution::kCyclic);
      EXPECT_THROW(cyclic.locale_part(), UsageError);
      EXPECT_THROW(cyclic.forall({.grain = -3}, [](std::int64_t&) {}), UsageError);
      EXPECT_THROW(cyclic.frozen(), UsageError);
      auto copy = cyclic;
      cyclic.destroy();
      EXPECT_EQ(cyclic.size(), 0);
      EXPECT_THROW(copy.destroy(), UsageError);
      EXPECT_THROW(cyclic.destroy(), UsageError);
    });
  }
}

template <class F>
void expect_refused_here(int line, const F& f) {
  try {
    f();
    ADD_FAILURE() << line << ": not refused";
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("global_array_test.cpp:" + std::to_string(line) + ": "),
              std::string::npos)
        << e.what();
  }
}

TEST(GlobalArray, RefusalsNameThePlaceOfTheCall) {
  run(test::threads(2), [] {
    using Array = GlobalArray<std::int64_t>;
    const auto array = Array::create(10, Distribution::kCyclic);
    std::vector<std::int64_t> values(2);
    const std::vector<std::int64_t> places{1, 2, 3};
    const std::vector<std::int64_t> beyond{1, 10};
    const std::vector<GlobalAddress<std::int64_t>> none(3);
    expect_refused_here(__LINE__, [] { static_cast<void>(Array::create(-1)); });
    expect_refused_here(__LINE__, [] { static_cast<void>(Replica<int>::create(-1)); });
    expect_refused_here(__LINE__, [] { static_cast<void>(global_alloc<int>(-1)); });
    expect_refused_here(__LINE__, [] { static_cast<void>(symmetric_alloc<int>(-1)); });
    expect_refused_here(__LINE__, [&] { array.gather(places, values); });
    expect_refused_here(__LINE__, [&] { array.scatter(places, values); });
    expect_refused_here(__LINE__, [&] { array.gather(beyond, values); });
    expect_refused_here(__LINE__, [&] { array.frozen(); });
    expect_refused_here(__LINE__, [&] { inclusive_prefix_sum(array); });
    expect_refused_here(__LINE__, [&] { delegate::gather<std::int64_t>(none, values); });
    expect_refused_here(__LINE__, [&] { delegate::scatter<std::int64_t>(none, values); });
  });
}

// ---- the permutation

TEST(Permutation, IsABijectionWithItsInverse) {
  for (const std::uint64_t n : {1u, 2u, 3u, 4u, 5u, 15u, 16u, 17u, 255u, 256u, 257u, 9973u}) {
    const internal::Permutation permutation(n);
    std::vector<bool> hit(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t image = permutation.apply(i);
      ASSERT_LT(image, n);
      ASSERT_FALSE(hit[image]) << n;
      hit[image] = true;
      ASSERT_EQ(permutation.invert(image), i);
    }
  }
}

TEST(Permutation, WorksOnLargeRanges) {
  std::mt19937_64 random(1);
  for (const std::uint64_t n : {(std::uint64_t{1} << 40) + 1, (std::uint64_t{1} << 62) - 57}) {
    const internal::Permutation permutation(n);
    for (int k = 0; k < 1000; ++k) {
      const std::uint64_t i = random() % n;
      ASSERT_LT(permutation.apply(i), n);
      ASSERT_EQ(permutation.invert(permutation.apply(i)), i);
    }
  }
}

TEST(Permutation, SpreadsNeighbors) {
  constexpr std::uint64_t kElements = 100'000;
  const internal::Permutation permutation(kElements);
  // Any 1,000 consecutive elements come to all of 8 cores about equally, unlike in a block array,
  // and no stride is special, unlike in a cyclic one.
  for (const std::uint64_t stride : {1u, 8u, 64u}) {
    std::vector<int> per_core(8);
    for (std::uint64_t i = 0; i < 1000; ++i) ++per_core[permutation.apply(5000 + i * stride) % 8];
    for (const int count : per_core) EXPECT_NEAR(count, 125, 45) << "stride " << stride;
  }
}

}  // namespace
}  // namespace grappa
