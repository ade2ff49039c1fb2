#include "grappa/container/internal/local_sort.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace grappa::internal {
namespace {

// As wide as what is no number: with fewer than two in a cache line, and with two.
template <std::size_t kWords>
struct Keyed {
  std::uint64_t key;
  std::uint64_t other[kWords];
};

template <std::size_t kWords>
void expect_sorts(std::size_t n, std::uint64_t mask, std::uint64_t more) {
  std::mt19937_64 random(n);
  std::vector<Keyed<kWords>> values(n);
  std::uint64_t sum = 0;
  for (auto& value : values) {
    // Half of them in one narrow place.
    value.key = (random() % 2 == 0 ? random() & mask : random() % 1000) + more;
    for (std::uint64_t& word : value.other) word = ~value.key;
    sum += value.key;
  }
  const auto key = [](const Keyed<kWords>& value) { return value.key; };
  std::vector<Keyed<kWords>> scratch(n);
  const std::span<const Keyed<kWords>> all(values);
  const std::span<const Keyed<kWords>> parts[] = {all.first(n / 3), {}, all.subspan(n / 3)};
  sort_parts_by_digits<Keyed<kWords>>(parts, std::span(scratch), key);
  const std::vector<Keyed<kWords>> of_parts = scratch;
  sort_by_digits(std::span(values), std::span(scratch), key);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_LE(values[i == 0 ? 0 : i - 1].key, values[i].key) << i;
    for (const std::uint64_t word : values[i].other) ASSERT_EQ(word, ~values[i].key);
    ASSERT_EQ(of_parts[i].key, values[i].key) << i;
    for (const std::uint64_t word : of_parts[i].other) ASSERT_EQ(word, ~values[i].key);
    sum -= values[i].key;
  }
  EXPECT_EQ(sum, 0u);
}

TEST(SortByDigits, OfAnyNumberAndWidth) {
  for (const std::size_t n : {0u, 1u, 33u, 5'000u, 300'000u}) {
    for (const int bits : {1, 8, 9, 17, 40, 64}) {
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
      expect_sorts<2>(n, mask, 0);
      expect_sorts<2>(n, mask, 1'000'000'007);
      expect_sorts<9>(n / 10, mask, 0);
    }
  }
}

}  // namespace
}  // namespace grappa::internal
