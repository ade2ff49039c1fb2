#include "grappa/query/distinct_sketch.hpp"

#include <gtest/gtest.h>

#include <random>

namespace grappa::query {
namespace {

TEST(DistinctSketch, CountsWithinAFewPercentHoweverOftenAndWhereverTheyAreMet) {
  EXPECT_EQ(DistinctSketch().estimate(), 0);
  for (const int distinct : {1, 10, 500, 3000, 100'000, 1'000'000}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(distinct));
    DistinctSketch one;
    DistinctSketch halves[2];
    for (int i = 0; i < distinct; ++i) {
      const std::uint64_t hash = random();
      one.add(hash);
      one.add(hash);
      halves[i % 2].add(hash);
      halves[0].add(hash);
    }
    halves[0].merge(halves[1]);
    EXPECT_NEAR(one.estimate(), distinct, 0.1 * distinct);
    EXPECT_EQ(halves[0].estimate(), one.estimate());
  }
}

}  // namespace
}  // namespace grappa::query
