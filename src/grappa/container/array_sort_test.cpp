#include "grappa/container/array_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

template <class T, class Less>
void expect_sorts(const std::vector<T>& values, Less less) {
  const auto n = std::ssize(values);
  const Owned<GlobalArray<T>> array = GlobalArray<T>::create(n);
  write_span(*array, 0, std::span<const T>(values));
  sort(*array, less);
  std::vector<T> sorted(values.size());
  read_span(*array, 0, std::span<T>(sorted));
  std::vector<T> expected = values;
  std::sort(expected.begin(), expected.end(), less);
  EXPECT_EQ(sorted, expected);
}

std::vector<std::uint64_t> random_numbers(std::int64_t n, std::uint64_t most, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(n));
  for (auto& x : numbers) x = most == 0 ? 0 : random() % most;
  return numbers;
}

TEST(Sort, SortsAnyNumberOfNumbers) {
  test::on_machines([] {
    for (const std::int64_t n : {0, 1, 2, 15, 1000, 3001}) {
      expect_sorts(random_numbers(n, ~std::uint64_t{0}), std::less<>{});
      expect_sorts(random_numbers(n, 5), std::less<>{});
      expect_sorts(random_numbers(n, 0), std::greater<>{});
    }
  });
}

TEST(Sort, SortsByAnythingThatCompares) {
  struct Item {
    std::int32_t key;
    std::int32_t other;
    bool operator==(const Item&) const = default;
  };
  test::on_machines([] {
    std::vector<Item> items;
    for (const std::uint64_t x : random_numbers(2000, 1u << 20))
      items.push_back({static_cast<std::int32_t>(x >> 10), static_cast<std::int32_t>(x & 1023)});
    expect_sorts(items, [](const Item& a, const Item& b) {
      return a.key != b.key ? a.key > b.key : a.other < b.other;
    });
  });
}

// More than stays in the cache, so that buckets are made first.
TEST(Sort, SortsLargeArrays) {
  run(test::threads(2), [] {
    const std::int64_t n = 500'000;
    expect_sorts(random_numbers(n, ~std::uint64_t{0}), std::less<>{});
    expect_sorts(random_numbers(n, ~std::uint64_t{0}, 2), std::greater<>{});
    expect_sorts(random_numbers(n, 3), std::less<>{});
    expect_sorts(random_numbers(n, 100'000), std::less<>{});
    std::vector<std::uint64_t> skewed = random_numbers(n, 1000);
    skewed[17] = ~std::uint64_t{0};  // all others in one bucket
    expect_sorts(skewed, std::less<>{});
  });
}

template <class T>
void expect_sorts_numbers_of() {
  std::vector<T> numbers;
  std::mt19937_64 random(3);
  for (int i = 0; i < 300'000; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      numbers.push_back(static_cast<T>(std::ldexp(static_cast<double>(random() % 2000) - 1000,
                                                  static_cast<int>(random() % 60) - 30)));
    } else {
      numbers.push_back(static_cast<T>(random()));
    }
  }
  numbers.push_back(std::numeric_limits<T>::lowest());
  numbers.push_back(std::numeric_limits<T>::max());
  expect_sorts(numbers, std::less<>{});
  expect_sorts(numbers, std::greater<T>{});
}

TEST(Sort, KnowsTheOrderOfAllNumbers) {
  run(test::threads(2), [] {
    expect_sorts_numbers_of<std::int8_t>();
    expect_sorts_numbers_of<std::uint16_t>();
    expect_sorts_numbers_of<std::int32_t>();
    expect_sorts_numbers_of<std::int64_t>();
    expect_sorts_numbers_of<float>();
    expect_sorts_numbers_of<double>();
  });
}

TEST(Sort, DividesEqualElementsAmongTheCores) {
  run(test::deterministic(4, 1), [] {
    const Owned<GlobalArray<int>> array = GlobalArray<int>::create(4000);
    const auto bounds = internal::SampleSort<int, std::less<>>::choose_bounds(*array, {});
    ASSERT_EQ(bounds.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(static_cast<double>(bounds[k].index), 1000.0 * (k + 1), 100) << k;
  });
}

TEST(Sort, RefusesWhatIsNotInBlocks) {
  run(test::threads(1), [] {
    const Owned<GlobalArray<int>> array = GlobalArray<int>::create(10, Distribution::kCyclic);
    EXPECT_THROW(sort(*array), UsageError);
    EXPECT_THROW(sort(GlobalArray<int>()), UsageError);
  });
}

}  // namespace
}  // namespace grappa
