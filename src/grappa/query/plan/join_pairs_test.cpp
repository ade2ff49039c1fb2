#include "grappa/query/plan/join_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace grappa::query {
namespace {

using Edges = std::vector<RelationSet>;
using Pair = std::pair<RelationSet, RelationSet>;

RelationSet around(const Edges& edges, RelationSet set) {
  RelationSet all = 0;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if ((set >> i & 1) != 0) all |= edges[i];
  return all;
}

bool is_connected(const Edges& edges, RelationSet set) {
  RelationSet reached = set & (~set + 1);
  for (RelationSet before = 0; before != reached;) {
    before = reached;
    reached |= around(edges, before) & set;
  }
  return reached == set;
}

/// As it is defined.
std::set<Pair> expected(const Edges& edges) {
  std::set<Pair> pairs;
  const RelationSet end = RelationSet{1} << edges.size();
  for (RelationSet a = 1; a < end; ++a)
    for (RelationSet b = a + 1; b < end; ++b)
      if ((a & b) == 0 && is_connected(edges, a) && is_connected(edges, b) &&
          (around(edges, a) & b) != 0)
        pairs.emplace(a, b);
  return pairs;
}

std::vector<Pair> found(const Edges& edges) {
  std::vector<Pair> pairs;
  EXPECT_TRUE(JoinPairs(edges).for_each(
      1'000'000, [&](RelationSet a, RelationSet b) { pairs.emplace_back(std::minmax(a, b)); }));
  return pairs;
}

Edges random_edges(std::mt19937& random, std::size_t relations) {
  Edges edges(relations);
  for (std::size_t i = 0; i < relations; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (random() % 5 >= 2) continue;
      edges[i] |= RelationSet{1} << j;
      edges[j] |= RelationSet{1} << i;
    }
  }
  return edges;
}

TEST(JoinPairs, AreAllOfThemOnce) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const Edges edges = random_edges(random, 1 + random() % 8);
    const std::vector<Pair> pairs = found(edges);
    const std::set<Pair> different(pairs.begin(), pairs.end());
    EXPECT_EQ(different.size(), pairs.size());
    EXPECT_EQ(different, expected(edges));
  }
}

TEST(JoinPairs, ComeAfterThoseOfWhichTheyConsist) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    std::set<RelationSet> used;
    for (const auto& [a, b] : found(random_edges(random, 8))) {
      EXPECT_FALSE(used.contains(a | b));
      used.insert({a, b});
    }
  }
}

TEST(JoinPairs, EndWhereThereAreTooMany) {
  const Edges edges{0b110, 0b101, 0b011};  // six pairs
  std::size_t seen = 0;
  const auto count = [&](RelationSet, RelationSet) { ++seen; };
  EXPECT_TRUE(JoinPairs(edges).for_each(6, count));
  EXPECT_EQ(seen, 6U);
  seen = 0;
  EXPECT_FALSE(JoinPairs(edges).for_each(5, count));
  EXPECT_EQ(seen, 5U);
}

}  // namespace
}  // namespace grappa::query
