#include "bench/chase_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <vector>

namespace grappa::bench {
namespace {

TEST(CyclicOrder, IsOneCycleThroughAllNumbers) {
  for (const int bits : {0, 1, 2, 3, 8, 13}) {
    for (const std::uint64_t seed : {0u, 1u, 77u}) {
      const CyclicOrder order(bits, seed);
      std::set<std::uint64_t> seen;
      std::uint64_t number = order.at(0);
      for (std::uint64_t i = 0; i < order.length(); ++i) {
        EXPECT_LT(number, order.length());
        seen.insert(number);
        number = order.after(number);
      }
      EXPECT_EQ(number, order.at(0));
      EXPECT_EQ(seen.size(), order.length());
    }
  }
}

TEST(CyclicOrder, TheFormulaSaysWhereStepsLead) {
  const CyclicOrder order(10, 5);
  std::uint64_t number = order.at(0);
  for (std::uint64_t step = 0; step < 3000; ++step) {
    ASSERT_EQ(number, order.at(step)) << step;
    number = order.after(number);
  }
}

TEST(CyclicOrder, SeedsGiveDifferentOrders) {
  const CyclicOrder a(12, 1);
  const CyclicOrder b(12, 2);
  int equal = 0;
  for (std::uint64_t i = 0; i < a.length(); ++i) equal += a.at(i) == b.at(i);
  EXPECT_LT(equal, 100);
}

// Neighbors would be found by the processor's own prefetch.
TEST(CyclicOrder, StepsLeadFarAway) {
  const CyclicOrder order(16, 3);
  int near = 0;
  for (std::uint64_t i = 0; i < order.length(); ++i) {
    const auto distance = static_cast<std::int64_t>(order.after(i)) - static_cast<std::int64_t>(i);
    near += std::abs(distance) < 64;
  }
  EXPECT_LT(near, 400);  // of 65536; about 128 by chance
}

TEST(NodeCycle, ChasingItsNodesFollowsTheFormula) {
  std::vector<Node> nodes(256);
  NodeCycle cycle(nodes.data(), 8, 9);
  cycle.build();
  Node* node = cycle.at(0);
  for (std::uint64_t step = 0; step <= 600; ++step, node = node->next) {
    ASSERT_EQ(node, cycle.at(step));
    ++node->data;
  }
  EXPECT_EQ(cycle.sum_of_data(), 601u);
}

}  // namespace
}  // namespace grappa::bench
