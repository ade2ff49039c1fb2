#include "grappa/graph/kernel/path_count.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grappa::graph {
namespace {

WidePathCount wide(double x) { return path_count<WidePathCount>(x); }

/// x * 2^power, by multiplication only.
WidePathCount shifted(double x, int power) {
  WidePathCount sum = wide(x);
  for (int i = 0; i < power; ++i) add(sum, WidePathCount(sum));
  return sum;
}

TEST(PathCount, WideCountsAreWhatDoublesAre) {
  for (const double x :
       {0x1p-200, 0.75, 1.0, 3.0, 0x1p255, 0x1p256, 0x1.8p300, 0x1p511, 0x1p768, 0x1.fffffp960}) {
    EXPECT_EQ(product(wide(x), wide(1)), x);
    EXPECT_EQ(product(wide(x), inverse(wide(x))), 1);
    for (const double y : {0.0, 1.0, 5.0, 0x1p255, 0x1.4p301, 0x1p700}) {
      WidePathCount sum = wide(x);
      EXPECT_FALSE(add(sum, wide(y)));
      EXPECT_EQ(product(sum, wide(1)), x + y) << x << " + " << y;
      sum = wide(y);
      EXPECT_EQ(add(sum, wide(x)), y == 0);
      EXPECT_EQ(product(sum, wide(1)), x + y) << y << " + " << x;
    }
  }
}

TEST(PathCount, WideCountsGoOnWhereDoublesEnd) {
  const WidePathCount great = shifted(3, 5000);
  EXPECT_FALSE(nearly_too_great(great));
  EXPECT_EQ(product(great, inverse(shifted(1, 5000))), 3);
  EXPECT_EQ(product(great, inverse(shifted(1, 4990))), 3 * 1024);
  EXPECT_EQ(product(inverse(great), shifted(3, 4999)), 0.5);
  EXPECT_EQ(product(inverse(great), wide(1)), 0) << "too small for a double";
  // In either order, whether the two are in the same unit or not.
  for (const int power : {40, 300, 600}) {
    WidePathCount sum = shifted(1, 5000 + power);
    add(sum, shifted(1, 5000));
    WidePathCount other = shifted(1, 5000);
    add(other, shifted(1, 5000 + power));
    EXPECT_EQ(product(sum, inverse(shifted(1, 5000))), std::ldexp(1, power) + 1);
    EXPECT_EQ(sum.fraction, other.fraction);
    EXPECT_EQ(sum.exponent, other.exponent);
  }
}

TEST(PathCount, DoublesSayWhenTheyMayEnd) {
  EXPECT_FALSE(nearly_too_great(1.0));
  EXPECT_FALSE(nearly_too_great(0x1p960));
  EXPECT_TRUE(nearly_too_great(0x1.1p960));
  EXPECT_TRUE(nearly_too_great(INFINITY));
  EXPECT_TRUE(nearly_too_great(NAN));
}

TEST(PathCount, SharedAdditionsSayWhichWasFirst) {
  double sum = 0;
  EXPECT_TRUE(add_shared(sum, 2.0));
  EXPECT_FALSE(add_shared(sum, 3.0));
  EXPECT_EQ(sum, 5);
  WidePathCount wide_sum;
  EXPECT_TRUE(add_shared(wide_sum, wide(2)));
  EXPECT_FALSE(add_shared(wide_sum, wide(3)));
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
