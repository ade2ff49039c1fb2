#include "grappa/query/exec/key_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/exec/test_relations.hpp"
#include "grappa/query/memory_table.hpp"

namespace grappa::query {
namespace {

using test::Integers;

Integers keys_of(std::int64_t count, std::int64_t step, std::int64_t different) {
  Integers rows;
  for (std::int64_t i = 0; i < count; ++i)
    rows.push_back({i % 9 == 4 ? std::nullopt : std::optional(i * step % different), i});
  return rows;
}

std::shared_ptr<const Table> table_of(const Team& team, const Integers& rows) {
  std::vector<MemoryColumn> columns;
  std::vector<std::vector<std::int64_t>> values(2);
  std::vector<std::vector<std::uint8_t>> valid(2);
  for (std::size_t c = 0; c < 2; ++c) {
    for (const auto& row : rows) {
      values[c].push_back(row[c].value_or(0));
      valid[c].push_back(row[c] ? 1 : 0);
    }
    columns.push_back({.name = c == 0 ? "key" : "value",
                       .type = kInt64,
                       .values = values[c].data(),
                       .text_bytes = nullptr,
                       .valid = valid[c].data()});
  }
  return std::make_shared<const Table>(
      table_of_columns(team, columns, static_cast<std::int64_t>(rows.size())));
}

/// Rows as what a scan gives, which leaves out some, and as values, which leave out none.
struct Sides {
  explicit Sides(std::vector<Integers> all) : rows(std::move(all)) {
    grappa::run(grappa::test::threads(1), [&] {
      const Owned<Exchange> exchange = Exchange::create();
      const Owned<io::CoreTeam> cores = io::CoreTeam::create();
      Team team;
      team.parallel = (*cores).parallel_for();
      team.exchange = *exchange;
      for (const Integers& of : rows) tables.push_back(table_of(team, of));
    });
  }
  RelationPtr make(std::size_t i, bool as_scan, ColumnNumbers& numbers) const {
    return as_scan ? scan(tables[i], "rows", numbers) : test::relation_of(rows[i], 2, numbers);
  }

  std::vector<Integers> rows;
  std::vector<std::shared_ptr<const Table>> tables;
};

ExpressionPtr at_least(const ExpressionPtr& column, std::int64_t value) {
  return call(">=", {column, constant(Value::counted(kInt64, value))});
}

/// Two relations that are joined so, and then with a third that has few keys, by the key of one of
/// them (its number).
Integers joined_twice(const Sides& sides, bool as_scans, JoinKind below, JoinKind above,
                      std::size_t by, bool filtered) {
  ColumnNumbers numbers;
  RelationPtr a = sides.make(0, as_scans, numbers);
  RelationPtr b = sides.make(1, as_scans, numbers);
  const RelationPtr few = sides.make(2, as_scans, numbers);
  const std::vector<ExpressionPtr> keys = {a->columns[0], b->columns[0]};
  const ExpressionPtr condition = call("=", {keys[0], keys[1]});
  if (filtered) {
    a = filter(a, at_least(a->columns[1], 100));
    b = filter(b, at_least(b->columns[1], 50));
  }
  const ExpressionPtr mark = below == JoinKind::kMark ? numbers.make(kBoolean) : nullptr;
  const RelationPtr both = join(below, a, b, condition, mark);
  if (!columns_of(*both).contains(keys[by]->column)) return {};
  Integers rows = test::rows_of(join(above, both, few, call("=", {keys[by], few->columns[0]})));
  std::ranges::sort(rows);
  return rows;
}

TEST(KeyFilter, NoAnswerDependsOnIt) {
  const Sides sides({keys_of(700, 1, 60),
                     keys_of(500, 7, 80),
                     {{3, 1}, {14, 2}, {14, 3}, {59, 4}, {std::nullopt, 5}}});
  for (const JoinKind above : {JoinKind::kInner, JoinKind::kLeft, JoinKind::kFull, JoinKind::kSemi,
                               JoinKind::kAnti, JoinKind::kRight, JoinKind::kRightSemi}) {
    for (const JoinKind below :
         {JoinKind::kInner, JoinKind::kLeft, JoinKind::kFull, JoinKind::kSemi, JoinKind::kAnti,
          JoinKind::kMark, JoinKind::kRight, JoinKind::kRightSemi, JoinKind::kRightAnti}) {
      for (const std::size_t by : {0, 1}) {
        for (const bool filtered : {false, true}) {
          EXPECT_EQ(joined_twice(sides, true, below, above, by, filtered),
                    joined_twice(sides, false, below, above, by, filtered))
              << name_of(above) << " above " << name_of(below) << ", key " << by;
        }
      }
    }
  }
}

TEST(KeyFilter, AJoinWithoutRowsLeavesOutAll) {
  const Sides sides({keys_of(100, 1, 10), keys_of(100, 1, 10), {}});
  EXPECT_TRUE(joined_twice(sides, true, JoinKind::kInner, JoinKind::kInner, 1, false).empty());
}

}  // namespace
}  // namespace grappa::query
