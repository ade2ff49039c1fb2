#include "grappa/container/array_spans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "grappa/container/key_traits.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

constexpr Distribution kAll[] = {Distribution::kBlock, Distribution::kCyclic,
                                 Distribution::kPermuted};

template <class T>
std::vector<T> values_of(const GlobalArray<T>& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  read_span(array, 0, std::span<T>(values));
  return values;
}

TEST(ArraySpans, AreReadAndWrittenAnywhere) {
  test::on_machines([] {
    for (const Distribution distribution : kAll) {
      const std::int64_t n = 3000;
      const Owned<GlobalArray<std::int32_t>> array =
          GlobalArray<std::int32_t>::create(n, distribution);
      std::vector<std::int32_t> values(2000);
      std::iota(values.begin(), values.end(), 7);
      write_span(*array, 900, values);
      for (const std::int64_t i : {0, 899, 900, 901, 2899, 2900, 2999})
        EXPECT_EQ(delegate::read((*array)[i]), i < 900 || i >= 2900 ? 0 : i - 893);
      std::vector<std::int32_t> back(1500, -1);
      read_span(*array, 1000, std::span<std::int32_t>(back));
      for (std::size_t k = 0; k < back.size(); ++k)
        ASSERT_EQ(back[k], static_cast<std::int32_t>(k) + 107);
      write_span(*array, n, {});
      EXPECT_THROW(write_span(*array, 1001, values), UsageError);
      EXPECT_THROW(read_span(*array, -1, std::span<std::int32_t>(back)), UsageError);
    }
  });
}

TEST(ArraySpans, ArraysOfAllDistributionsMeetElementByElement) {
  test::on_machines([] {
    const std::int64_t n = 777;
    for (const Distribution one : kAll) {
      for (const Distribution other : kAll) {
        const Owned<GlobalArray<std::int64_t>> from = GlobalArray<std::int64_t>::create(n, one);
        const Owned<GlobalArray<std::int16_t>> to = GlobalArray<std::int16_t>::create(n, other);
        from->forall([](std::int64_t i, std::int64_t& x) { x = 3 * i; });
        transform(*from, *to, [](std::int64_t x) { return static_cast<std::int16_t>(x / 3 + 1); });
        zip(*to, *from, [](std::int64_t i, std::int16_t& x, std::int64_t y) {
          x = static_cast<std::int16_t>(x + (y == 3 * i ? 1000 : 0));
        });
        const Owned<GlobalArray<std::int16_t>> third = GlobalArray<std::int16_t>::create(n, one);
        copy(*to, *third);
        const std::vector<std::int16_t> values = values_of(*third);
        for (std::int64_t i = 0; i < n; ++i)
          ASSERT_EQ(values[static_cast<std::size_t>(i)], i + 1001);
      }
    }
  });
}

/// Numbers of the last elements of an array of n, n of them, of which so many are `different`.
std::vector<std::int64_t> last_numbers(std::int64_t n, std::int64_t different) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t k = 0; k < n; ++k)
    numbers.push_back(n - 1 -
                      static_cast<std::int64_t>(hash_number(static_cast<std::uint64_t>(k)) %
                                                static_cast<std::uint64_t>(different)));
  return numbers;
}

std::uint64_t bytes_sent() { return internal::here().pump->traffic().bytes; }

// Few different numbers, of which each is fetched once: the messages tell.
TEST(Gather, FetchesRepeatedElementsOnce) {
  for (const std::int64_t different : {10, 50'000}) {
    run(test::deterministic(2, 1), [different] {
      const std::int64_t n = 100'000;
      const Owned<GlobalArray<std::int64_t>> array = GlobalArray<std::int64_t>::create(n);
      array->forall([](std::int64_t i, std::int64_t& x) { x = 5 * i; });
      const std::vector<std::int64_t> indices = last_numbers(n, different);
      std::vector<std::int64_t> out(indices.size());
      const std::uint64_t before = bytes_sent();
      array->gather(indices, out);
      const std::uint64_t bytes = bytes_sent() - before;
      for (std::size_t k = 0; k < out.size(); ++k) ASSERT_EQ(out[k], 5 * indices[k]);
      if (different == 10) {
        EXPECT_LT(bytes, 8u * n / 10);
      } else {
        EXPECT_GT(bytes, 8u * n / 2);
      }
    });
  }
}

TEST(Scatter, WritesRepeatedElementsFewTimes) {
  for (const std::int64_t different : {10, 50'000}) {
    run(test::deterministic(2, 1), [different] {
      const std::int64_t n = 100'000;
      const Owned<GlobalArray<std::int64_t>> array = GlobalArray<std::int64_t>::create(n);
      const std::vector<std::int64_t> indices = last_numbers(n, different);
      std::vector<std::int64_t> values(indices.size());
      std::iota(values.begin(), values.end(), 1);
      const std::uint64_t before = bytes_sent();
      array->scatter(indices, values);
      const std::uint64_t bytes = bytes_sent() - before;
      std::set<std::int64_t> written;
      const std::vector<std::int64_t> found = values_of(*array);
      for (const std::int64_t i : indices) {
        const std::int64_t value = found[static_cast<std::size_t>(i)];
        ASSERT_GE(value, 1);
        ASSERT_EQ(indices[static_cast<std::size_t>(value - 1)], i);
        written.insert(i);
      }
      EXPECT_EQ(std::count_if(found.begin(), found.end(), [](std::int64_t x) { return x != 0; }),
                std::ssize(written));
      if (different == 10) {
        EXPECT_LT(bytes, 8u * n / 10);
      } else {
        EXPECT_GT(bytes, 8u * n / 2);
      }
    });
  }
}

TEST(ArraySpans, FillSetsAllElements) {
  test::on_machines([] {
    const Owned<GlobalArray<double>> array = GlobalArray<double>::create(100);
    fill(*array, 0.5);
    EXPECT_EQ(values_of(*array), std::vector<double>(100, 0.5));
    const Owned<GlobalArray<double>> shorter = GlobalArray<double>::create(99);
    EXPECT_THROW(copy(*array, *shorter), UsageError);
    EXPECT_THROW(fill(GlobalArray<double>(), 1), UsageError);
  });
}

}  // namespace
}  // namespace grappa
