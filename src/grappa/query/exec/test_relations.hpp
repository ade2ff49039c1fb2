#pragma once

// For tests: relations of integers, and what they give.
//
//   ColumnNumbers numbers;
//   const RelationPtr pairs = relation_of({{1, std::nullopt}, {2, 3}}, 2, numbers);
//   EXPECT_EQ(rows_of(filter(pairs, condition)), (Integers{{2, 3}}));

#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "grappa/query/exec/executor.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/plan/relation.hpp"

namespace grappa::query::test {

using Integers = std::vector<std::vector<std::optional<std::int64_t>>>;

inline RelationPtr relation_of(const Integers& rows, std::size_t columns, ColumnNumbers& numbers) {
  Expressions made;
  for (std::size_t c = 0; c < columns; ++c) made.push_back(numbers.make(kInt64));
  std::vector<Expressions> values_of_rows;
  for (const auto& row : rows) {
    values_of_rows.emplace_back();
    for (const auto& value : row)
      values_of_rows.back().push_back(
          constant(value ? Value::counted(kInt64, *value) : Value::null(kInt64)));
  }
  return values(std::move(values_of_rows), std::move(made));
}

/// Two cores that really run at the same time.
inline Team two_threads() {
  Team team;
  team.cores = 2;
  team.parallel = [](std::int64_t n, const std::function<void(std::int64_t)>& body) {
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < n; ++i) threads.emplace_back([&body, i] { body(i); });
  };
  return team;
}

/// In their order, where there is one; a boolean is 0 or 1.
inline Integers rows_of(const RelationPtr& relation) {
  Integers rows;
  const Team team = two_threads();
  Executor(team).push(relation, relation->columns, [&](const Batch& batch) {
    batch.for_each([&](std::size_t row) {
      rows.emplace_back();
      for (const Vector& column : batch.columns) {
        const Value value = Value::of(column, row);
        rows.back().push_back(value.is_null()
                                  ? std::nullopt
                                  : std::optional(static_cast<std::int64_t>(value.integer())));
      }
    });
  });
  return rows;
}

}  // namespace grappa::query::test
