#include "grappa/query/exec/hash_join.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "grappa/query/exec/test_relations.hpp"

namespace grappa::query {
namespace {

using test::Integers;
using Row = Integers::value_type;

constexpr JoinKind kKinds[] = {JoinKind::kInner, JoinKind::kLeft,      JoinKind::kFull,
                               JoinKind::kSemi,  JoinKind::kAnti,      JoinKind::kMark,
                               JoinKind::kRight, JoinKind::kRightSemi, JoinKind::kRightAnti};

/// Which rows are partners: by keys, in the first column, and by the second.
struct Condition {
  bool has_key = true;
  bool null_is_equal = false;
  bool has_other = false;  // left.second < right.second

  bool holds(const Row& left, const Row& right) const {
    if (has_key && left[0] != right[0]) return false;
    if (has_key && !left[0] && !null_is_equal) return false;
    return !has_other || (left[1] && right[1] && *left[1] < *right[1]);
  }
  ExpressionPtr over(const Expressions& left, const Expressions& right) const {
    Expressions terms;
    if (has_key)
      terms.push_back(call(null_is_equal ? "is not distinct from" : "=", {left[0], right[0]}));
    if (has_other) terms.push_back(call("<", {left[1], right[1]}));
    return all_of(std::move(terms));
  }
};

Row both(Row left, const Row& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Row by row, as it is defined.
Integers expected(JoinKind kind, const Integers& left, const Integers& right,
                  const Condition& condition) {
  const Row nothing(2);
  Integers rows;
  std::vector<bool> right_met(right.size());
  for (const Row& a : left) {
    bool met = false;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (!condition.holds(a, right[i])) continue;
      met = right_met[i] = true;
      if (kind <= JoinKind::kFull || kind == JoinKind::kRight) rows.push_back(both(a, right[i]));
    }
    if ((kind == JoinKind::kLeft || kind == JoinKind::kFull) && !met)
      rows.push_back(both(a, nothing));
    if (kind == JoinKind::kMark) rows.push_back({a[0], a[1], met ? 1 : 0});
    if ((kind == JoinKind::kSemi && met) || (kind == JoinKind::kAnti && !met)) rows.push_back(a);
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    if ((kind == JoinKind::kFull || kind == JoinKind::kRight) && !right_met[i])
      rows.push_back(both(nothing, right[i]));
    if ((kind == JoinKind::kRightSemi && right_met[i]) ||
        (kind == JoinKind::kRightAnti && !right_met[i]))
      rows.push_back(right[i]);
  }
  return rows;
}

Integers joined(JoinKind kind, const Integers& left, const Integers& right,
                const Condition& condition) {
  ColumnNumbers numbers;
  const RelationPtr a = test::relation_of(left, 2, numbers);
  const RelationPtr b = test::relation_of(right, 2, numbers);
  const ExpressionPtr mark = kind == JoinKind::kMark ? numbers.make(kBoolean) : nullptr;
  return test::rows_of(join(kind, a, b, condition.over(a->columns, b->columns), mark));
}

void expect_all_kinds(const Integers& left, const Integers& right) {
  for (const Condition condition :
       {Condition{}, Condition{.null_is_equal = true}, Condition{.has_other = true},
        Condition{.null_is_equal = true, .has_other = true},
        Condition{.has_key = false, .has_other = true}, Condition{.has_key = false}}) {
    for (const JoinKind kind : kKinds) {
      Integers found = joined(kind, left, right, condition);
      Integers right_rows = expected(kind, left, right, condition);
      std::ranges::sort(found);
      std::ranges::sort(right_rows);
      EXPECT_EQ(found, right_rows)
          << name_of(kind) << (condition.has_key ? " key" : "")
          << (condition.null_is_equal ? " null" : "") << (condition.has_other ? " other" : "");
    }
  }
}

TEST(HashJoin, SidesWithoutRows) {
  const Integers rows{{1, 2}, {std::nullopt, 3}, {1, std::nullopt}};
  expect_all_kinds({}, {});
  expect_all_kinds(rows, {});
  expect_all_kinds({}, rows);
}

TEST(HashJoin, DuplicatesAndNulls) {
  Integers left;
  Integers right;
  for (std::int64_t i = 0; i < 60; ++i) {
    left.push_back({i % 7 == 0 ? std::nullopt : std::optional(i % 10), i});
    right.push_back({i % 5 == 0 ? std::nullopt : std::optional(i % 13), i % 3 * 20});
  }
  right.push_back({3, std::nullopt});
  left.push_back({std::nullopt, std::nullopt});
  expect_all_kinds(left, right);
}

/// Of the kept side thousands have one key; of the other, more rows than a batch.
TEST(HashJoin, LongChainsAndManyBatches) {
  Integers left;
  Integers right;
  for (std::int64_t i = 0; i < 5000; ++i) {
    left.push_back({i % 1000 == 0 ? 7 : i + 10'000, i});
    right.push_back({i < 4000 ? 7 : i + 10'000, 4000 - i});
  }
  for (const bool has_other : {false, true}) {
    for (const JoinKind kind : kKinds) {
      const Condition condition{.has_other = has_other};
      Integers found = joined(kind, left, right, condition);
      Integers right_rows = expected(kind, left, right, condition);
      std::ranges::sort(found);
      std::ranges::sort(right_rows);
      EXPECT_TRUE(found == right_rows) << name_of(kind);
    }
  }
}

/// Buckets by key, bits of keys, and hashes; negative keys, and those at the ends of their type.
TEST(HashJoin, KeysNearAndFarFromOneAnother) {
  constexpr std::int64_t kLeast = INT64_MIN;
  for (const std::int64_t distance : {1, 700, 30'000, 1 << 30}) {
    Integers left;
    Integers right;
    for (std::int64_t i = -40; i < 40; ++i) {
      left.push_back({i % 11 == 0 ? std::nullopt : std::optional(i * distance), i});
      left.push_back({i * distance + 1, i});
      right.push_back({i % 7 == 0 ? std::nullopt : std::optional(i * 2 * distance), i});
      if (i % 5 == 0) right.push_back({i * 2 * distance, 3});
    }
    expect_all_kinds(left, right);
    for (const std::int64_t end : {kLeast, INT64_MAX}) {
      left.push_back({end, 1});
      expect_all_kinds(left, right);
      right.push_back({end, 2});
      expect_all_kinds(left, right);
    }
  }
}

TEST(HashJoin, ASingleJoinHasOnePartner) {
  const Integers left{{1, 0}, {2, 0}, {std::nullopt, 0}};
  EXPECT_EQ(joined(JoinKind::kSingle, left, {{2, 5}, {std::nullopt, 6}}, {}).size(), 3U);
  EXPECT_THROW(joined(JoinKind::kSingle, left, {{2, 5}, {2, 6}}, {}), QueryError);
  // One of which the condition holds for one is none too many.
  EXPECT_NO_THROW(joined(JoinKind::kSingle, left, {{2, 5}, {2, -6}}, {.has_other = true}));
}

}  // namespace
}  // namespace grappa::query
