#pragma once

// The same relation, so that it is computed sooner.
//
//   relation = optimize(relation, columns, numbers);      // columns: what of it is needed

#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

RelationPtr optimize(RelationPtr relation, const Expressions& needed, ColumnNumbers& numbers);

// The steps of which it is made, each in a file of its own.

/// Filters go to where their columns come from; products with equalities become joins.
RelationPtr push_down_filters(const RelationPtr& relation);
/// The order of inner joins: by dynamic programming over all orders without products, greedily
/// where these are too many. The smaller side is kept in the hash table.
RelationPtr order_joins(const RelationPtr& relation);
/// Only columns that somebody needs; marks that are only filtered by become semi joins.
RelationPtr prune_columns(const RelationPtr& relation, const std::set<ColumnId>& needed);
/// count(DISTINCT x) and the like, as groups of the different values that are grouped again.
RelationPtr expand_distinct(const RelationPtr& relation, ColumnNumbers& numbers);
/// What is shared by one only is not.
RelationPtr unshare(const RelationPtr& relation);

}  // namespace grappa::query
