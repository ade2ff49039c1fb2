// The trees: tables against the formulas they stand for, counts against a plain recursion and
// against what is published.
#include "bench/uts_tree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "bench/uts_search.hpp"

namespace grappa::bench {
namespace {

using Kind = UtsShape::Kind;

constexpr UtsShape kFixed{Kind::kFixed, 19, 4, 6};
constexpr UtsShape kCyclic{Kind::kCyclic, 7, 3, 4};
constexpr UtsShape kBinomial{Kind::kBinomial, 4, 50, 0, 0.24, 4};

/// The definition, step by step, with none of the tables.
std::uint32_t children_by_formula(const UtsShape& shape, std::uint32_t depth,
                                  std::uint32_t random) {
  const double u = static_cast<double>(random) / 2147483648.0;
  if (shape.kind == Kind::kBinomial) {
    if (depth == 0) return static_cast<std::uint32_t>(shape.root_children);
    return u < shape.probability ? shape.width : 0;
  }
  double b = shape.root_children;
  const auto levels = static_cast<std::uint32_t>(shape.levels);
  if (shape.kind == Kind::kFixed) {
    if (depth >= levels) b = 0;
  } else if (depth > 5 * levels) {
    b = 0;
  } else if (depth > 0) {
    b = std::pow(b, std::sin(2.0 * 3.141592653589793 * depth / shape.levels));
  }
  const double p = 1.0 / (1.0 + b);
  const double drawn = std::floor(std::log(1.0 - u) / std::log(1.0 - p));
  return drawn > 100 ? 100 : static_cast<std::uint32_t>(drawn);
}

void count_by_recursion(const UtsShape& shape, const UtsState& node, std::uint32_t depth,
                        UtsCounts& counts) {
  const std::uint32_t children = children_by_formula(shape, depth, node.random());
  counts.add({1, children == 0 ? 1 : 0, depth});
  for (std::uint32_t i = 0; i < children; ++i) {
    const UtsSeed seed{node, i};
    UtsState child{};
    uts_hash_portable(&seed, &child, 1);
    count_by_recursion(shape, child, depth + 1, counts);
  }
}

UtsCounts count_by_recursion(const UtsShape& shape) {
  UtsCounts counts;
  count_by_recursion(shape, uts_root(shape.seed), 0, counts);
  return counts;
}

UtsCounts count_by_search(const UtsShape& shape, std::int64_t grain) {
  UtsSearch<UtsNoLabels> search(shape, {});
  search.visit_root(shape.seed);
  while (!search.done()) search.run(grain);
  return search.take_counts();
}

TEST(UtsTree, TablesHoldWhatTheFormulasGive) {
  std::mt19937 random(1);
  for (const UtsShape& shape : {find_uts_tree("T1")->shape, find_uts_tree("T2")->shape,
                                find_uts_tree("T3")->shape, kFixed, kCyclic, kBinomial}) {
    const UtsChildren children(shape);
    for (std::uint32_t depth = 0; depth < 90; ++depth) {
      for (int i = 0; i < 500; ++i) {
        // Large ones draw many children; the steps of their table are close to one another.
        std::uint32_t number = static_cast<std::uint32_t>(random()) >> 1;
        if (i % 2 == 0) number = 0x7fffffff - (number >> i % 32);
        ASSERT_EQ(children(depth, number), children_by_formula(shape, depth, number))
            << "depth " << depth << ", number " << number;
      }
      ASSERT_EQ(children(depth, 0), children_by_formula(shape, depth, 0));
      ASSERT_EQ(children(depth, 0x7fffffff), children_by_formula(shape, depth, 0x7fffffff));
    }
  }
}

TEST(UtsTree, StepsChangeExactlyWhereTheFormulaDoes) {
  const auto formula = [](std::uint32_t random) { return random < 1'000'003 ? 9u : 4u; };
  const UtsSteps steps(formula);
  for (const std::uint32_t random : {0u, 1'000'002u, 1'000'003u, 0x7fffffffu})
    EXPECT_EQ(steps(random), formula(random)) << random;
}

TEST(UtsTree, ASearchCountsWhatARecursionCounts) {
  for (const UtsShape& shape : {kFixed, kCyclic, kBinomial}) {
    const UtsCounts counts = count_by_recursion(shape);
    EXPECT_GT(counts.nodes, 500);
    EXPECT_EQ(count_by_search(shape, 1), counts);
    EXPECT_EQ(count_by_search(shape, 1'000'000), counts);
  }
}

TEST(UtsTree, TheTinyTreeIsAsLargeAsItSays) {
  const UtsTree& tiny = *find_uts_tree("tiny");
  EXPECT_EQ(count_by_recursion(tiny.shape), tiny.counts);
}

TEST(UtsTree, PublishedTreesAreAsLargeAsPublished) {
#if defined(GRAPPA_ASAN) || defined(GRAPPA_TSAN) || defined(GRAPPA_DEBUG)
  GTEST_SKIP() << "takes too long in this build";
#endif
  for (const char* name : {"T1", "T2", "T3"}) {
    const UtsTree& tree = *find_uts_tree(name);
    EXPECT_EQ(count_by_search(tree.shape, tree.counts.nodes), tree.counts) << name;
  }
}

TEST(UtsTree, UnknownNamesAreNotFound) { EXPECT_EQ(find_uts_tree("T9"), nullptr); }

using Stack = UtsStack<int>;

std::vector<int> taken(Stack& stack, std::size_t count) {
  std::vector<int> oldest(count);
  stack.take_oldest(oldest);
  return oldest;
}

TEST(UtsStack, GivesTheOldestAndKeepsTheNewest) {
  Stack stack;
  for (int i = 0; i < 10; ++i) stack.push(i);
  EXPECT_EQ(taken(stack, 2), (std::vector{0, 1}));
  EXPECT_EQ(taken(stack, 5), (std::vector{2, 3, 4, 5, 6}));
  EXPECT_EQ(stack.size(), 3u);
  for (const int expected : {9, 8, 7}) EXPECT_EQ(stack.pop(), expected);
  EXPECT_TRUE(stack.empty());
}

TEST(UtsStack, WhatComesBackIsTheOldestAgain) {
  Stack stack;
  for (int i = 0; i < 10; ++i) stack.push(i);
  const std::vector<int> given = taken(stack, 3);
  stack.put_oldest(given);                   // where it was taken from
  stack.put_oldest(std::array{-3, -2, -1});  // where nothing was taken
  EXPECT_EQ(taken(stack, 4), (std::vector{-3, -2, -1, 0}));
  EXPECT_EQ(stack.pop(), 9);
  EXPECT_EQ(stack.size(), 8u);
}

}  // namespace
}  // namespace grappa::bench
