#include "grappa/transport/mpi/node_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace grappa {
namespace {

using Cpus = std::vector<int>;

std::vector<Cpus> shares(const std::vector<Cpus>& usable) {
  std::vector<Cpus> all;
  for (std::size_t i = 0; i < usable.size(); ++i) all.push_back(share_of_node(usable, i));
  return all;
}

TEST(NodeShare, AloneOneKeepsAll) {
  EXPECT_EQ(shares({{3, 1, 2}}), (std::vector<Cpus>{{3, 1, 2}}));
}

TEST(NodeShare, WhatTheLauncherHasDividedStaysSo) {
  EXPECT_EQ(shares({{0, 1}, {2, 3}}), (std::vector<Cpus>{{0, 1}, {2, 3}}));
  EXPECT_EQ(shares({{0}, {1}, {2}}), (std::vector<Cpus>{{0}, {1}, {2}}));
}

TEST(NodeShare, WhatAllMayUseIsDividedEvenly) {
  const Cpus all{0, 2, 4, 1, 3, 5, 6};
  EXPECT_EQ(shares({all, all, all}), (std::vector<Cpus>{{0, 2}, {4, 1}, {3, 5, 6}}));
}

TEST(NodeShare, MoreProcessesThanProcessorsTakeTurns) {
  const Cpus all{0, 1};
  EXPECT_EQ(shares({all, all, all, all}), (std::vector<Cpus>{{0}, {1}, {0}, {1}}));
}

TEST(NodeShare, ChainsOfOverlapsAreOnePool) {
  const std::vector<Cpus> found = shares({{0, 1}, {1, 2}, {2, 3}, {8, 9}});
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

TEST(NodeShare, WhatNobodyMayUseIsLeftOver) {
  EXPECT_EQ(left_over({0, 1, 2, 3}, {{0}, {2}}), (Cpus{1, 3}));
  EXPECT_EQ(left_over({2, 3}, {{0, 3}, {1, 2}}), Cpus{});
  EXPECT_EQ(left_over({}, {{0}}), Cpus{});
}

}  // namespace
}  // namespace grappa
