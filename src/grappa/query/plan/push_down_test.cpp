#include <gtest/gtest.h>

#include <algorithm>

#include "grappa/query/exec/test_relations.hpp"
#include "grappa/query/plan/decorrelate.hpp"
#include "grappa/query/plan/optimizer.hpp"

namespace grappa::query {
namespace {

using test::Integers;

struct TwoSides {
  ColumnNumbers numbers;
  RelationPtr left = test::relation_of({{1, 10}, {2, 20}, {std::nullopt, 30}}, 2, numbers);
  RelationPtr right = test::relation_of({{1, 5}, {1, 6}, {3, 7}}, 2, numbers);
  ExpressionPtr keys = call("=", {left->columns[0], right->columns[0]});
};

ExpressionPtr more_than(const ExpressionPtr& value, std::int64_t least) {
  return call(">", {value, constant(Value::counted(kInt64, least))});
}

TEST(PushDown, ALeftJoinStaysOneWhereAFilterHoldsForNulls) {
  TwoSides sides;
  const RelationPtr joined = join(JoinKind::kLeft, sides.left, sides.right, sides.keys);
  const ExpressionPtr of_right = more_than(sides.right->columns[1], 0);
  const auto join_of = [&](const ExpressionPtr& condition) {
    const std::string text = tree_of(push_down_filters(filter(joined, condition)));
    return text.find("left join") != std::string::npos ? "left" : "inner";
  };
  EXPECT_STREQ(join_of(of_right), "inner");
  EXPECT_STREQ(join_of(negation(is_null(sides.right->columns[0]))), "inner");
  EXPECT_STREQ(join_of(is_null(sides.right->columns[1])), "left");
  EXPECT_STREQ(join_of(any_of({of_right, more_than(sides.left->columns[0], 0)})), "left");
  // NULL AND false is false.
  const ExpressionPtr both = all_of({of_right, more_than(sides.left->columns[0], 100)});
  EXPECT_STREQ(join_of(call("=", {both, constant(Value::boolean(false))})), "left");
}

TEST(PushDown, ALeftJoinOfWhichRowsWithoutAPartnerAreAskedForIsAnAntiJoin) {
  TwoSides sides;
  const ExpressionPtr less = call("<", {sides.left->columns[1], sides.right->columns[1]});
  for (const ExpressionPtr& condition : {sides.keys, all_of({sides.keys, less})}) {
    const RelationPtr joined = join(JoinKind::kLeft, sides.left, sides.right, condition);
    for (const ExpressionPtr& more :
         {constant(Value::boolean(true)), more_than(sides.left->columns[1], 10),
          is_null(sides.right->columns[1])}) {
      const RelationPtr asked = filter(joined, all_of({is_null(sides.right->columns[0]), more}));
      const RelationPtr pushed = push_down_filters(asked);
      EXPECT_NE(tree_of(pushed).find("anti join"), std::string::npos);
      EXPECT_EQ(tree_of(pushed).find("left join"), std::string::npos);
      Integers found = test::rows_of(pushed);
      Integers expected = test::rows_of(asked);
      std::ranges::sort(found);
      std::ranges::sort(expected);
      EXPECT_EQ(found, expected);
    }
  }
}

/// Of an anti join that was turned the right side is shown.
TEST(PushDown, AConditionStaysWhereItDropsNoRowThatIsShown) {
  for (const JoinKind kind : {JoinKind::kLeft, JoinKind::kFull, JoinKind::kAnti, JoinKind::kSemi,
                              JoinKind::kRight, JoinKind::kRightSemi, JoinKind::kRightAnti}) {
    for (const bool of_left : {false, true}) {
      TwoSides sides;
      const RelationPtr& side = of_left ? sides.left : sides.right;
      const RelationPtr joined = join(kind, sides.left, sides.right,
                                      all_of({sides.keys, more_than(side->columns[1], 10)}));
      Integers found = test::rows_of(push_down_filters(joined));
      Integers expected = test::rows_of(joined);
      std::ranges::sort(found);
      std::ranges::sort(expected);
      EXPECT_EQ(found, expected) << name_of(kind) << of_left;
    }
  }
}

/// Both halves of a union share it; each asks for rows of its own, or one for all.
TEST(PushDown, WhatNobodyAsksForIsNotShared) {
  for (const bool one_asks_for_all : {false, true}) {
    ColumnNumbers numbers;
    const RelationPtr rows = test::relation_of({{1, 10}, {2, 20}, {3, 30}}, 2, numbers);
    const ExpressionPtr key = numbers.like(*rows->columns[0]);
    Relation shared{.kind = RelationKind::kShared,
                    .inputs = {aggregate(rows, {{key, rows->columns[0]}}, {})}};
    shared.columns = shared.inputs[0]->columns;
    const auto all = std::make_shared<const Relation>(std::move(shared));
    const auto equal_to = [&](std::int64_t value) {
      return call("=", {key, constant(Value::counted(kInt64, value))});
    };
    Relation both{.kind = RelationKind::kUnion,
                  .inputs = {filter(all, equal_to(1)),
                             one_asks_for_all ? RelationPtr(all) : filter(all, equal_to(3))}};
    both.given = {{key}, {key}};
    both.columns = {numbers.like(*key)};
    const auto asked = std::make_shared<const Relation>(std::move(both));
    const RelationPtr pushed = push_down_filters(asked);
    const std::string tree = tree_of(pushed);
    EXPECT_EQ(tree.find("OR", tree.find("aggregate")) == std::string::npos, one_asks_for_all)
        << tree;
    Integers found = test::rows_of(pushed);
    Integers expected = test::rows_of(asked);
    std::ranges::sort(found);
    std::ranges::sort(expected);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found.size(), one_asks_for_all ? 4U : 2U);
  }
}

TEST(Decorrelate, AnEqualityBecomesTheJoin) {
  TwoSides sides;
  const RelationPtr exists =
      dependent_join(JoinKind::kSemi, sides.left, filter(sides.right, sides.keys), nullptr, nullptr,
                     sides.numbers);
  EXPECT_EQ(exists->kind, RelationKind::kJoin);
  EXPECT_EQ(tree_of(exists).find("aggregate"), std::string::npos) << tree_of(exists);
  EXPECT_EQ(test::rows_of(exists), (Integers{{1, 10}}));
}

TEST(Decorrelate, WhatCountsNothingIsZero) {
  TwoSides sides;
  const ExpressionPtr count = sides.numbers.make(kInt64);
  const RelationPtr counted =
      aggregate(filter(sides.right, sides.keys), {}, {{.column = count, .function = "count"}});
  Integers found = test::rows_of(
      dependent_join(JoinKind::kSingle, sides.left, counted, nullptr, nullptr, sides.numbers));
  for (auto& row : found) row.resize(3);  // without what they were joined by
  std::ranges::sort(found);
  EXPECT_EQ(found, (Integers{{std::nullopt, 30, 0}, {1, 10, 2}, {2, 20, 0}}));
}

}  // namespace
}  // namespace grappa::query
