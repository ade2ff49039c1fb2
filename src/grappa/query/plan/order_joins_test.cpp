#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/exec/test_relations.hpp"
#include "grappa/query/memory_table.hpp"
#include "grappa/query/plan/estimate.hpp"
#include "grappa/query/plan/optimizer.hpp"

namespace grappa::query {
namespace {

using test::Integers;

std::size_t scans_of(const RelationPtr& relation) {
  std::size_t scans = relation->kind == RelationKind::kScan ? 1 : 0;
  for (const RelationPtr& input : relation->inputs) scans += scans_of(input);
  return scans;
}

/// Each joined with the one before it, by a comparison of their first columns.
RelationPtr chain_of(const std::vector<RelationPtr>& relations, const char* comparison) {
  RelationPtr all = relations[0];
  for (std::size_t i = 1; i < relations.size(); ++i)
    all = join(JoinKind::kInner, all, relations[i],
               call(comparison, {relations[i - 1]->columns[0], relations[i]->columns[0]}));
  return all;
}

TEST(OrderJoins, NoneIsLostWhereThereAreMoreRowsThanANumberSays) {
  ColumnNumbers numbers;
  Table table;
  table.columns.push_back({.name = "k", .type = kInt64, .facts = {}});
  table.rows = std::int64_t{1} << 60;
  const auto huge = std::make_shared<const Table>(std::move(table));
  std::vector<RelationPtr> relations;
  for (int i = 0; i < 20; ++i) relations.push_back(scan(huge, "huge", numbers));
  EXPECT_EQ(scans_of(order_joins(chain_of(relations, "<"))), relations.size());
}

TEST(OrderJoins, BothSidesMayHaveMoreRelationsThanAreOrderedAtATime) {
  for (const auto& [left, right] : {std::pair{64, 66}, {66, 64}, {63, 66}, {64, 64}, {100, 1}}) {
    ColumnNumbers numbers;
    const auto side = [&](int count) {
      std::vector<RelationPtr> relations;
      for (int i = 0; i < count; ++i)
        relations.push_back(test::relation_of({{1}, {2}, {i % 2 + 3}}, 1, numbers));
      return chain_of(relations, "=");
    };
    const RelationPtr a = side(left);
    const RelationPtr b = side(right);
    const RelationPtr both =
        join(JoinKind::kInner, a, b, call("=", {a->columns.back(), b->columns[0]}));
    Integers rows = test::rows_of(order_joins(both));
    std::ranges::sort(rows);
    ASSERT_EQ(rows.size(), 2U) << left << " and " << right;
    for (std::int64_t k = 0; k < 2; ++k)
      EXPECT_TRUE(std::ranges::all_of(rows[static_cast<std::size_t>(k)],
                                      [&](const auto& value) { return value == k + 1; }));
  }
}

TEST(OrderJoins, WhatOnlyHasToBeThereIsOneRow) {
  for (const JoinKind kind : {JoinKind::kSemi, JoinKind::kAnti}) {
    for (const bool is_there : {false, true}) {
      ColumnNumbers numbers;
      const RelationPtr left = test::relation_of({{1}, {2}}, 1, numbers);
      const RelationPtr right =
          test::relation_of(is_there ? Integers{{7}, {8}, {9}} : Integers{}, 1, numbers);
      const ExpressionPtr always = constant(Value::boolean(true));
      const RelationPtr ordered = order_joins(join(kind, left, right, always));
      EXPECT_NE(tree_of(ordered).find("limit"), std::string::npos);
      const bool stays = is_there == (kind == JoinKind::kSemi);
      EXPECT_EQ(test::rows_of(ordered), (stays ? Integers{{1}, {2}} : Integers{}));
    }
  }
}

/// A key that comes often comes often in all of them.
TEST(OrderJoins, ARelationMoreIsCorrectedOnce) {
  grappa::run(grappa::test::threads(1), [] {
    const Owned<Exchange> exchange = Exchange::create();
    const Owned<io::CoreTeam> cores = io::CoreTeam::create();
    Team team;
    team.parallel = (*cores).parallel_for();
    team.exchange = *exchange;
    std::vector<std::int64_t> keys;
    double rows_of_four = 0;
    for (std::int64_t key = 1; key <= 200; ++key) {
      keys.insert(keys.end(), static_cast<std::size_t>(200 / key), key);
      const auto times = static_cast<double>(200 / key);
      rows_of_four += times * times * times * times;
    }
    const auto table = std::make_shared<const Table>(
        table_of_columns(team, {{.name = "k", .type = kInt64, .values = keys.data()}},
                         static_cast<std::int64_t>(keys.size())));
    ColumnNumbers numbers;
    std::vector<RelationPtr> relations;
    for (int i = 0; i < 4; ++i) relations.push_back(scan(table, "skewed", numbers));
    const RelationPtr all = chain_of(relations, "=");
    const RelationPtr ordered = order_joins(all);
    EXPECT_GT(ordered->expected_rows, rows_of_four / 15);
    EXPECT_LT(ordered->expected_rows, rows_of_four * 2);
    // What EXPLAIN shows.
    Estimates estimates;
    EXPECT_EQ(estimates.of(optimize(all, all->columns, numbers)).rows, ordered->expected_rows);
  });
}

}  // namespace
}  // namespace grappa::query
