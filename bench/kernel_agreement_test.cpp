#include "bench/kernel_agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace grappa::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using Values = std::vector<double>;

constexpr double kUnreached = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

bool agree(GraphKernel kernel, const Values& ours, const Values& theirs) {
  return !disagreement(kernel, ours, theirs).has_value();
}

TEST(KernelAgreement, EachKernelAgreesWithItself) {
  for (const GraphKernelInfo& info : graph_kernels()) {
    SCOPED_TRACE(info.name);
    EXPECT_TRUE(agree(info.kernel, {0, 0, 0}, {0, 0, 0}));
    EXPECT_THAT(disagreement(info.kernel, Values{0, 0, 0}, Values{0, 0}),
                Optional(HasSubstr("2 values instead of 3")));
  }
}

TEST(KernelAgreement, DepthsAndDistancesAreTheSameAndReachTheSame) {
  for (const GraphKernel kernel : {GraphKernel::kBfs, GraphKernel::kSssp}) {
    EXPECT_TRUE(agree(kernel, {0, 3, kUnreached}, {0, 3, kUnreached}));
    EXPECT_THAT(disagreement(kernel, Values{0, 3, 1}, Values{0, 2, 1}),
                Optional(HasSubstr("vertex 1: 2 instead of 3")));
    EXPECT_FALSE(agree(kernel, {0, kUnreached}, {0, 5}));
    EXPECT_FALSE(agree(kernel, {0, 5}, {0, kUnreached}));
    EXPECT_FALSE(agree(kernel, {0, 5}, {0, kNotANumber}));
  }
  EXPECT_TRUE(agree(GraphKernel::kSssp, {0, 0.3}, {0, 0.1 + 0.2}));
  EXPECT_FALSE(agree(GraphKernel::kSssp, {0, 0.3}, {0, 0.3000001}));
}

TEST(KernelAgreement, RanksDifferBySoMuchInAll) {
  EXPECT_TRUE(agree(GraphKernel::kPageRank20, {0.5, 0.5}, {0.5 + 1e-10, 0.5 - 1e-10}));
  EXPECT_THAT(disagreement(GraphKernel::kPageRank20, Values{0.5, 0.5}, Values{0.5001, 0.4999}),
              Optional(HasSubstr("0.0002")));
  // Both have stopped somewhere within the tolerance.
  EXPECT_TRUE(agree(GraphKernel::kPageRank, {0.5, 0.5}, {0.5001, 0.4999}));
  EXPECT_FALSE(agree(GraphKernel::kPageRank, {0.5, 0.5}, {0.501, 0.499}));
  EXPECT_FALSE(agree(GraphKernel::kPageRank, {0.5, 0.5}, {kNotANumber, 0.5}));
}

TEST(KernelAgreement, ComponentsHaveAnyNames) {
  EXPECT_TRUE(agree(GraphKernel::kComponents, {0, 0, 2, 2, 4}, {7, 7, 3, 3, 0}));
  EXPECT_THAT(disagreement(GraphKernel::kComponents, Values{0, 0, 2}, Values{1, 1, 1}),
              Optional(HasSubstr("vertex 2 is in the component of vertex 0")));
  EXPECT_FALSE(agree(GraphKernel::kComponents, {0, 0, 2}, {0, 1, 2}));
}

TEST(KernelAgreement, DependenciesAreRounded) {
  EXPECT_TRUE(agree(GraphKernel::kBetweenness, {0, 1e6, 0.25}, {1e-9, 1e6 + 0.1, 0.25}));
  EXPECT_FALSE(agree(GraphKernel::kBetweenness, {0, 1e6}, {0, 1e6 + 10}));
  EXPECT_FALSE(agree(GraphKernel::kBetweenness, {0, 0.25}, {0, 0.5}));
}

TEST(KernelAgreement, TrianglesAreCountedExactly) {
  EXPECT_TRUE(agree(GraphKernel::kTriangles, {423'625'688}, {423'625'688}));
  EXPECT_THAT(disagreement(GraphKernel::kTriangles, Values{423'625'688}, Values{423'625'689}),
              Optional(HasSubstr("423625689 triangles instead of 423625688")));
}

}  // namespace
}  // namespace grappa::bench
