#pragma once

// From a syntax tree to relational algebra: what the names mean, of which types expressions are,
// and what a query computes.
//
//   BoundQuery bound = bind(query, text, catalog, numbers);
//   use(bound.relation, bound.columns);

#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/plan/relation.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/catalog.hpp"

namespace grappa::query::sql {

struct BoundQuery {
  RelationPtr relation;
  /// Of the relation, in the order of the result; one may be there twice.
  Expressions columns;
  std::vector<std::string> names;   // of the result
  std::vector<LeftOut> left_out{};  // columns of files, by the stars of the query and of its views
};

/// `text` is what the query was parsed from, for errors (SyntaxError).
BoundQuery bind(const Query& query, std::string_view text, const Catalog& catalog,
                ColumnNumbers& numbers);

}  // namespace grappa::query::sql
