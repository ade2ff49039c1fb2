#pragma once

// GROUP BY: which groups there are, and what is left of expressions behind them.
//
//   relation = bind_groups(context, select, scope, alias, relation, parts);
//
// Grouping sets are the union of what each of them gives.

#include "grappa/query/plan/relation.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/scope.hpp"
#include "grappa/query/sql/select_parts.hpp"

namespace grappa::query::sql {

/// Groups the rows of the relation, and makes what `parts` have refer to the groups. `alias` is
/// what names of columns of the result stand for. SyntaxError for what is no group and in no
/// aggregate.
RelationPtr bind_groups(BindContext& context, const Select& select, const Scope& scope,
                        const ExpressionBinder::Alias& alias, RelationPtr relation,
                        SelectParts& parts);

}  // namespace grappa::query::sql
