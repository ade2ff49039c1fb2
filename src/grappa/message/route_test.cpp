#include "grappa/message/route.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace grappa::internal {
namespace {

TEST(Route, FlatSendsEverythingStraight) {
  const Route route(RoutePolicy::kFlat, 5);
  EXPECT_TRUE(route.is_flat());
  for (int from = 0; from < 5; ++from) {
    for (int to = 0; to < 5; ++to) EXPECT_EQ(route.next_hop(from, to), to);
  }
  EXPECT_EQ(route.most_neighbors(), 5);
}

// For every number of locales, full grid or not.
TEST(Route, TwoHopsReachEverybodyAndTheSecondIsTheLast) {
  for (int locales = 1; locales <= 130; ++locales) {
    const Route route(RoutePolicy::kTwoHop, locales);
    for (int from = 0; from < locales; ++from) {
      EXPECT_EQ(route.next_hop(from, from), from);
      for (int to = 0; to < locales; ++to) {
        const int hop = route.next_hop(from, to);
        ASSERT_GE(hop, 0);
        ASSERT_LT(hop, locales) << from << " to " << to << " of " << locales;
        ASSERT_TRUE(route.is_direct(from, hop)) << from << " to " << to << " of " << locales;
        ASSERT_EQ(route.next_hop(hop, to), to) << from << " to " << to << " of " << locales;
      }
    }
  }
}

TEST(Route, NeighborsGrowAsTheSquareRoot) {
  for (const int locales : {4, 16, 64, 100, 256, 1000, 10'000}) {
    const Route route(RoutePolicy::kTwoHop, locales);
    EXPECT_LE(route.most_neighbors(), 2 * std::ceil(std::sqrt(locales))) << locales;
  }
  for (int locales = 1; locales <= 130; ++locales) {
    const Route route(RoutePolicy::kTwoHop, locales);
    for (int from = 0; from < locales; ++from)
      EXPECT_LE(route.neighbors(from).size(), static_cast<std::size_t>(route.most_neighbors()));
  }
}

TEST(Route, NeighborsAreTheRowAndTheColumn) {
  const Route route(RoutePolicy::kTwoHop, 9);
  EXPECT_EQ(route.neighbors(4), (std::vector<int>{1, 3, 4, 5, 7}));
}

// Every locale forwards for about as many pairs as every other.
TEST(Route, TheGridSharesTheForwardingEvenly) {
  const int locales = 64;
  const Route route(RoutePolicy::kTwoHop, locales);
  std::vector<int> forwarded(static_cast<std::size_t>(locales));
  for (int from = 0; from < locales; ++from) {
    for (int to = 0; to < locales; ++to) {
      const int hop = route.next_hop(from, to);
      if (hop != to) ++forwarded[static_cast<std::size_t>(hop)];
    }
  }
  const auto [least, most] = std::minmax_element(forwarded.begin(), forwarded.end());
  EXPECT_EQ(*least, *most);
}

}  // namespace
}  // namespace grappa::internal
