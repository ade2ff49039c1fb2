#include "bench/kernel_agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "bench/graph_kernels.hpp"

namespace grappa::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using Values = std::vector<double>;

constexpr double kUnreached = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool agree(std::string_view kernel, const Values& ours, const Values& theirs) {
  return !disagreement(kernel, ours, theirs).has_value();
}

TEST(KernelAgreement, EachKernelAgreesWithItself) {
  int compared = 0;
  for (const MeasuredKernel& kernel : measured_kernels()) {
    if (!is_compared(kernel.name)) continue;
    SCOPED_TRACE(kernel.name);
    ++compared;
    EXPECT_TRUE(agree(kernel.name, {0, 0, 0}, {0, 0, 0}));
    EXPECT_THAT(disagreement(kernel.name, Values{0, 0, 0}, Values{0, 0}),
                Optional(HasSubstr("2 values instead of 3")));
  }
  EXPECT_EQ(compared, 7);
}

TEST(KernelAgreement, DepthsAndDistancesAreTheSameAndReachTheSame) {
  for (const char* kernel : {"bfs", "sssp"}) {
    EXPECT_TRUE(agree(kernel, {0, 3, kUnreached}, {0, 3, kUnreached}));
    EXPECT_THAT(disagreement(kernel, Values{0, 3, 1}, Values{0, 2, 1}),
                Optional(HasSubstr("vertex 1: 2 instead of 3")));
    EXPECT_FALSE(agree(kernel, {0, kUnreached}, {0, 5}));
    EXPECT_FALSE(agree(kernel, {0, 5}, {0, kUnreached}));
    EXPECT_FALSE(agree(kernel, {0, 5}, {0, kNotANumber}));
  }
  EXPECT_TRUE(agree("sssp", {0, 0.3}, {0, 0.1 + 0.2}));
  EXPECT_FALSE(agree("sssp", {0, 0.3}, {0, 0.3000001}));
}

TEST(KernelAgreement, RanksDifferBySoMuchInAll) {
  EXPECT_TRUE(agree("pagerank20", {0.5, 0.5}, {0.5 + 1e-10, 0.5 - 1e-10}));
  EXPECT_THAT(disagreement("pagerank20", Values{0.5, 0.5}, Values{0.5001, 0.4999}),
              Optional(HasSubstr("0.0002")));
  // Both have stopped somewhere within the tolerance.
  EXPECT_TRUE(agree("pagerank", {0.5, 0.5}, {0.5001, 0.4999}));
  EXPECT_FALSE(agree("pagerank", {0.5, 0.5}, {0.501, 0.499}));
  EXPECT_FALSE(agree("pagerank", {0.5, 0.5}, {kNotANumber, 0.5}));
}

TEST(KernelAgreement, ComponentsHaveAnyNames) {
  EXPECT_TRUE(agree("cc", {0, 0, 2, 2, 4}, {7, 7, 3, 3, 0}));
  EXPECT_THAT(disagreement("cc", Values{0, 0, 2}, Values{1, 1, 1}),
              Optional(HasSubstr("vertex 2 is in the component of vertex 0")));
  EXPECT_FALSE(agree("cc", {0, 0, 2}, {0, 1, 2}));
}

TEST(KernelAgreement, DependenciesAreRounded) {
  EXPECT_TRUE(agree("bc", {0, 1e6, 0.25}, {1e-9, 1e6 + 0.1, 0.25}));
  EXPECT_FALSE(agree("bc", {0, 1e6}, {0, 1e6 + 10}));
  EXPECT_FALSE(agree("bc", {0, 0.25}, {0, 0.5}));
}

TEST(KernelAgreement, TrianglesAreCountedExactly) {
  EXPECT_TRUE(agree("triangles", {423'625'688}, {423'625'688}));
  EXPECT_THAT(disagreement("triangles", Values{423'625'688}, Values{423'625'689}),
              Optional(HasSubstr("423625689 triangles instead of 423625688")));
}

}  // namespace
}  // namespace grappa::bench
