#include "grappa/transport/mpi/node_processors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace grappa::internal {
namespace {

using Cpus = std::vector<int>;

std::vector<Cpus> portions(const std::vector<Cpus>& usable) {
  std::vector<Cpus> all;
  for (std::size_t i = 0; i < usable.size(); ++i) all.push_back(portion_of_node(usable, i));
  return all;
}

TEST(NodeProcessors, AloneOneKeepsAll) {
  EXPECT_EQ(portions({{3, 1, 2}}), (std::vector<Cpus>{{3, 1, 2}}));
}

TEST(NodeProcessors, WhatTheLauncherHasDividedStaysSo) {
  EXPECT_EQ(portions({{0, 1}, {2, 3}}), (std::vector<Cpus>{{0, 1}, {2, 3}}));
  EXPECT_EQ(portions({{0}, {1}, {2}}), (std::vector<Cpus>{{0}, {1}, {2}}));
}

TEST(NodeProcessors, WhatAllMayUseIsDividedEvenly) {
  const Cpus all{0, 2, 4, 1, 3, 5, 6};
  EXPECT_EQ(portions({all, all, all}), (std::vector<Cpus>{{0, 2}, {4, 1}, {3, 5, 6}}));
}

TEST(NodeProcessors, MoreProcessesThanProcessorsTakeTurns) {
  const Cpus all{0, 1};
  EXPECT_EQ(portions({all, all, all, all}), (std::vector<Cpus>{{0}, {1}, {0}, {1}}));
}

TEST(NodeProcessors, ChainsOfOverlapsAreOnePool) {
  const std::vector<Cpus> found = portions({{0, 1}, {1, 2}, {2, 3}, {8, 9}});
  EXPECT_EQ(found[3], (Cpus{8, 9}));
  Cpus given;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(found[static_cast<std::size_t>(i)].empty());
    given.insert(given.end(), found[static_cast<std::size_t>(i)].begin(),
                 found[static_cast<std::size_t>(i)].end());
  }
  std::sort(given.begin(), given.end());
  EXPECT_EQ(given, (Cpus{0, 1, 2, 3}));  // each once
}

TEST(NodeProcessors, WhatNobodyMayUseIsLeftOver) {
  EXPECT_EQ(left_over({0, 1, 2, 3}, {{0}, {2}}), (Cpus{1, 3}));
  EXPECT_EQ(left_over({2, 3}, {{0, 3}, {1, 2}}), Cpus{});
  EXPECT_EQ(left_over({}, {{0}}), Cpus{});
}

}  // namespace
}  // namespace grappa::internal
