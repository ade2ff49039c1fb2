#pragma once

// Joins in FROM: which columns they have, and by what they join.
//
//   JoinBinder binder(context, around);
//   left = binder.join(left, right, step);            // the next of FROM a JOIN b … JOIN c …
//
// Subqueries in ON become joins, too: of both sides where the join is an inner one; else of the
// side whose columns they refer to, or, where that is both, of the side that may be missing.

#include <string_view>
#include <vector>

#include "grappa/query/plan/relation.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/scope.hpp"

namespace grappa::query::sql {

/// A part of FROM: what it computes, and the names that it gives.
struct FromSource {
  RelationPtr relation;
  Scope scope;
};

/// SyntaxError where two tables are called alike, as their columns could not be told apart.
void require_new_names(const Scope& known, const Scope& added, const TableReference& reference,
                       std::string_view text);

class JoinBinder {
 public:
  JoinBinder(BindContext& context, const Scope* around) : context_(context), around_(around) {}

  FromSource join(FromSource left, FromSource right, const JoinStep& step);

 private:
  /// USING and NATURAL: the columns that both have.
  std::vector<Name> shared_columns(const FromSource& left, const FromSource& right,
                                   const JoinStep& step) const;
  /// By `terms` and its ON.
  RelationPtr join_on(FromSource& left, FromSource& right, const JoinStep& step, Expressions terms);
  RelationPtr join_relations(JoinKind kind, const RelationPtr& left, const RelationPtr& right,
                             const ExpressionPtr& condition);
  /// Of columns that both have, the one that has a value is shown, before all others.
  void merge_shared(FromSource& made, const FromSource& left, const FromSource& right,
                    JoinKind kind, const std::vector<Name>& shared);
  Scope scope_of(const FromSource& left, const FromSource& right) const;
  [[noreturn]] void fail(Position position, const std::string& message) const;

  BindContext& context_;
  const Scope* around_;
};

}  // namespace grappa::query::sql
