#include "grappa/container/array_algorithms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "grappa/parallel/runtime.hpp"

namespace grappa {
namespace {

Config simulated(int locales) {
  Config config;
  config.locales = locales;
  config.cores = 2;
  config.simulation.mode = SimulationMode::kDeterministic;
  return config;
}

class ArrayAlgorithms : public testing::TestWithParam<int> {};

TEST_P(ArrayAlgorithms, ReduceCombinesEveryElementOnceAndStartsAtTheIdentity) {
  run(simulated(GetParam()), [] {
    for (const std::int64_t n : {0, 1, 7, 1000, 4099}) {
      auto a = GlobalArray<std::int64_t>::create(n);
      a.forall([](std::int64_t i, std::int64_t& x) { x = i + 5; });
      EXPECT_EQ(reduce(a, 0, std::plus<>{}), n * (n - 1) / 2 + 5 * n);
      // A minimum that started at T() would say 0.
      const auto smaller = [](std::int64_t x, std::int64_t y) { return std::min(x, y); };
      EXPECT_EQ(reduce(a, 1'000'000, smaller), n == 0 ? 1'000'000 : 5);
      a.destroy();
    }
  });
}

TEST_P(ArrayAlgorithms, ReduceAddsUpInTheWiderType) {
  run(simulated(GetParam()), [] {
    auto a = GlobalArray<std::int32_t>::create(8);
    a.forall([](std::int32_t& x) { x = 2'000'000'000; });
    EXPECT_EQ(reduce(a, std::int64_t{0}, std::plus<>{}), 16'000'000'000);
    EXPECT_EQ(reduce(a, 0.0, std::plus<>{}), 16e9);
    a.destroy();
  });
}

TEST_P(ArrayAlgorithms, PrefixSumsEqualTheSerialOnes) {
  run(simulated(GetParam()), [] {
    for (const std::int64_t n : {1, 2, 63, 64, 65, 1000, 4099}) {
      auto exclusive = GlobalArray<std::int64_t>::create(n);
      auto inclusive = GlobalArray<std::int64_t>::create(n);
      const auto value = [](std::int64_t i) { return i * i % 17; };
      exclusive.forall([=](std::int64_t i, std::int64_t& x) { x = value(i); });
      inclusive.forall([=](std::int64_t i, std::int64_t& x) { x = value(i); });
      std::int64_t total = 0;
      for (std::int64_t i = 0; i < n; ++i) total += value(i);
      EXPECT_EQ(exclusive_prefix_sum(exclusive), total);
      EXPECT_EQ(inclusive_prefix_sum(inclusive), total);
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        EXPECT_EQ(delegate::read(exclusive[i]), sum);
        sum += value(i);
        EXPECT_EQ(delegate::read(inclusive[i]), sum);
      }
      exclusive.destroy();
      inclusive.destroy();
    }
  });
}

TEST(ArrayAlgorithmsMisuse, PrefixSumOfACyclicArrayIsRefused) {
  run(simulated(1), [] {
    auto a = GlobalArray<int>::create(10, Distribution::kCyclic);
    EXPECT_THROW(exclusive_prefix_sum(a), UsageError);
    a.destroy();
  });
}

INSTANTIATE_TEST_SUITE_P(Locales, ArrayAlgorithms, testing::Values(1, 2, 8));

}  // namespace
}  // namespace grappa
