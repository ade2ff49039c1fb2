#include "grappa/graph/algorithms/betweenness/internal/path_count.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grappa::graph {
namespace {

WidePathCount wide(double x) { return path_count<WidePathCount>(x); }

/// x * 2^power, by multiplication only.
WidePathCount shifted(double x, int power) {
  WidePathCount sum = wide(x);
  for (int i = 0; i < power; ++i) sum = plus(sum, sum);
  return sum;
}

TEST(PathCount, WideCountsAreWhatDoublesAre) {
  EXPECT_EQ(wide(0).bits, 0U);
  for (const double x :
       {0x1p-900, 0x1p-200, 0.75, 1.0, 3.0, 0x1p255, 0x1p256, 0x1.8p300, 0x1.fffffp960}) {
    EXPECT_EQ(product(wide(x), wide(1)), x);
    EXPECT_NEAR(product(wide(x), inverse(wide(x))), 1, 1e-13);
    for (const double y : {0.0, 1.0, 5.0, 0x1p255, 0x1.4p301, 0x1p700}) {
      // Either may be too small to change the other.
      const WidePathCount sum = plus(wide(x), wide(y));
      EXPECT_NEAR(product(sum, wide(1)) / (x + y), 1, 0x1p-45) << x << " + " << y;
      EXPECT_EQ(plus(wide(y), wide(x)).bits, sum.bits) << x << " + " << y;
    }
  }
}

TEST(PathCount, WideCountsRoundToTheNearest) {
  constexpr double kLast = 0x1p-44;
  EXPECT_EQ(product(wide(1 + 0.4 * kLast), wide(1)), 1);
  EXPECT_EQ(product(wide(1 + 0.6 * kLast), wide(1)), 1 + kLast);
  EXPECT_EQ(product(wide(2 - 0.4 * kLast), wide(1)), 2) << "the carry goes to the exponent";
  EXPECT_EQ(product(plus(wide(1), wide(0.4 * kLast)), wide(1)), 1);
  EXPECT_EQ(product(plus(wide(1), wide(0.6 * kLast)), wide(1)), 1 + kLast);
  EXPECT_EQ(product(plus(wide(2 - kLast), wide(0.6 * kLast)), wide(1)), 2);
  // Sums of very many differ from those of doubles by no more than that.
  double sum = 0;
  WidePathCount wide_sum;
  for (int i = 1; i <= 100'000; ++i) {
    sum += 1.0 / i;
    wide_sum = plus(wide_sum, wide(1.0 / i));
  }
  EXPECT_NEAR(product(wide_sum, wide(1)), sum, 1e-10);
}

TEST(PathCount, WideCountsGoOnWhereDoublesEnd) {
  const WidePathCount great = shifted(3, 5000);
  EXPECT_FALSE(nearly_too_great(great));
  EXPECT_EQ(product(great, inverse(shifted(1, 5000))), 3);
  EXPECT_EQ(product(great, inverse(shifted(1, 4990))), 3 * 1024);
  EXPECT_EQ(product(inverse(shifted(1, 5001)), shifted(3, 5000)), 1.5);
  EXPECT_NEAR(product(inverse(great), shifted(3, 4999)), 0.5, 1e-13);
  EXPECT_EQ(product(inverse(great), wide(1)), 0) << "too small for a double";
  for (const int power : {0, 1, 40, 44}) {
    const WidePathCount sum = plus(shifted(1, 5000 + power), shifted(1, 5000));
    EXPECT_EQ(product(sum, inverse(shifted(1, 5000))), std::ldexp(1, power) + 1);
    EXPECT_EQ(sum.bits, plus(shifted(1, 5000), shifted(1, 5000 + power)).bits);
  }
  for (const int power : {46, 64, 300, 3000})
    EXPECT_EQ(plus(shifted(1, power), wide(1)).bits, shifted(1, power).bits);
  EXPECT_FALSE(nearly_too_great(shifted(1, 262'144)));
  EXPECT_TRUE(nearly_too_great(shifted(3, 262'144)));
}

TEST(PathCount, DoublesSayWhenTheyMayEnd) {
  EXPECT_FALSE(nearly_too_great(1.0));
  EXPECT_FALSE(nearly_too_great(0x1p920));
  EXPECT_TRUE(nearly_too_great(0x1.1p920));
  EXPECT_TRUE(nearly_too_great(INFINITY));
  EXPECT_TRUE(nearly_too_great(NAN));
}

TEST(PathCount, SharedAdditionsSayWhichWasFirst) {
  double sum = 0;
  EXPECT_TRUE(add_paths<false>(sum, 2.0));
  EXPECT_FALSE(add_paths<false>(sum, 3.0));
  EXPECT_EQ(sum, 5);
  WidePathCount wide_sum;
  EXPECT_TRUE(add_paths<false>(wide_sum, wide(2)));
  EXPECT_FALSE(add_paths<false>(wide_sum, wide(3)));
  EXPECT_EQ(product(wide_sum, wide(1)), 5);
}

TEST(PathCount, SumsOfRows) {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32, 0};
  std::vector<WidePathCount> wide_values;
  for (const double x : values) wide_values.push_back(wide(x));
  const std::vector<VertexId> row = {0, 1, 1, 3, 5, 6};
  EXPECT_EQ(sum_row(row, values.data()), 1 + 2 + 2 + 8 + 32);
  EXPECT_EQ(product(sum_row(row, wide_values.data()), wide(1)), 1 + 2 + 2 + 8 + 32);
  EXPECT_TRUE(is_zero(sum_row({}, wide_values.data())));
}

}  // namespace
}  // namespace grappa::graph
