#include "grappa/base/fast_divide.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace grappa::internal {
namespace {

constexpr std::uint64_t kMax = UINT64_MAX;

std::vector<std::uint64_t> interesting_divisors() {
  std::vector<std::uint64_t> divisors;
  for (std::uint64_t d = 1; d <= 1000; ++d) divisors.push_back(d);
  for (int bit = 10; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    divisors.insert(divisors.end(), {power - 1, power, power + 1});
  }
  // Primes of several magnitudes; factors of 2^64 + 1 and 2^64 - 1, where reciprocals are nearly
  // exact; the ends of the range.
  divisors.insert(divisors.end(), {65537, 274177, 641, 6700417, 67280421310721, 2147483647,
                                   4294967291, 18446744073709551557u, kMax - 1, kMax});
  std::mt19937_64 random(42);
  for (int i = 0; i < 2000; ++i) divisors.push_back((random() >> (random() % 64)) | 1);
  return divisors;
}

void expect_exact(const FastDivider& divider, std::uint64_t n) {
  const std::uint64_t d = divider.divisor();
  ASSERT_EQ(divider.divide(n), n / d) << n << " / " << d;
  ASSERT_EQ(divider.modulo(n), n % d) << n << " % " << d;
  const auto [quotient, remainder] = divider.divide_modulo(n);
  ASSERT_EQ(quotient, n / d);
  ASSERT_EQ(remainder, n % d);
}

TEST(FastDivider, IsExactForSmallAndLargestDividends) {
  for (const std::uint64_t d : interesting_divisors()) {
    const FastDivider divider(d);
    for (std::uint64_t n = 0; n < 50; ++n) {
      expect_exact(divider, n);
      expect_exact(divider, kMax - n);
    }
  }
}

// A wrong reciprocal shows first where the quotient changes.
TEST(FastDivider, IsExactAroundMultiples) {
  std::mt19937_64 random(7);
  for (const std::uint64_t d : interesting_divisors()) {
    const FastDivider divider(d);
    const std::uint64_t largest_quotient = kMax / d;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t quotient =
          i == 0 ? largest_quotient
                 : random() % (largest_quotient == kMax ? kMax : largest_quotient + 1);
      const std::uint64_t multiple = quotient * d;
      expect_exact(divider, multiple);
      expect_exact(divider, multiple - 1);  // wraps to the largest number below 0: exact, too
      expect_exact(divider, multiple + 1);
    }
  }
}

TEST(FastDivider, IsExactForRandomDividends) {
  std::mt19937_64 random(11);
  for (const std::uint64_t d : interesting_divisors()) {
    const FastDivider divider(d);
    for (int i = 0; i < 100; ++i) expect_exact(divider, random() >> (random() % 64));
  }
}

TEST(FastDivider, DividesByOneUnlessTold) {
  const FastDivider divider;
  EXPECT_EQ(divider.divisor(), 1u);
  expect_exact(divider, 0);
  expect_exact(divider, kMax);
}

TEST(FastDivider, WorksAtCompileTime) {
  constexpr FastDivider by_seven(7);
  static_assert(by_seven.divide(50) == 7);
  static_assert(by_seven.modulo(50) == 1);
}

TEST(FastDivider, RefusesZero) { EXPECT_THROW(FastDivider(0), UsageError); }

}  // namespace
}  // namespace grappa::internal
