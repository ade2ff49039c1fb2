#pragma once

// What a select is made of while it is bound.
//
//   SelectParts parts;
//   parts.items.push_back({value, "age", position});
//   relation = attach(parts.subqueries, relation, numbers);

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/plan/relation.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/bind_expression.hpp"

namespace grappa::query::sql {

/// A column of SELECT.
struct SelectItemValue {
  ExpressionPtr value;
  std::string name;
  std::optional<Position> position;
};

struct SelectParts {
  FoundAggregates aggregates;
  std::vector<WindowItem> windows;
  std::vector<SelectItemValue> items;
  std::vector<Computed> groups;
  ExpressionPtr having;
  ExpressionPtr qualify;
  std::vector<query::SortItem> order;
  Expressions distinct_on;
  std::vector<Subquery> subqueries;  // of items, HAVING, ORDER BY
  std::map<std::string, ExpressionPtr> known_subqueries;
};

/// The joins that subqueries become, one on top of the other.
RelationPtr attach(const std::vector<Subquery>& subqueries, RelationPtr relation,
                   ColumnNumbers& numbers);

/// ORDER BY 2, GROUP BY 1: which of the columns is meant. SyntaxError where there are fewer.
std::optional<std::size_t> position_of(const Expression& expression, std::size_t columns,
                                       std::string_view text);

}  // namespace grappa::query::sql
