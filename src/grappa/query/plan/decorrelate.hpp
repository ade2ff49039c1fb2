#pragma once

// Joins whose right side refers to columns of the left one, made into joins that do not.
//
//   RelationPtr with_average =
//       dependent_join(JoinKind::kSingle, parts, average_of_part, nullptr, nullptr, numbers);
//
// The columns that the right side refers to are pushed down to where they are used; what they
// select becomes part of the join (T. Neumann, A. Kemper: "Unnesting Arbitrary Queries", BTW 2015).
// Where an equality gives a column of the right side the same value, that takes their place;
// elsewhere the right side is computed for all their different values.

#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

RelationPtr dependent_join(JoinKind kind, const RelationPtr& left, const RelationPtr& right,
                           const ExpressionPtr& condition, const ExpressionPtr& mark,
                           ColumnNumbers& numbers);

}  // namespace grappa::query
