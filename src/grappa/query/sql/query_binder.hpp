#pragma once

// Queries, bound: each part of one has a function here. Names that WITH gives are known to what
// stands below it.
//
//   QueryBinder binder(text, catalog, numbers);
//   BoundQuery bound = binder.bind_query(query, nullptr);
//
// `around` is the scope that a subquery stands in, or null; `lateral` what the tables before one
// give.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/plan/relation.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/bind_join.hpp"
#include "grappa/query/sql/binder.hpp"
#include "grappa/query/sql/catalog.hpp"
#include "grappa/query/sql/scope.hpp"
#include "grappa/query/sql/select_parts.hpp"

namespace grappa::query::sql {

class QueryBinder {
 public:
  QueryBinder(std::string_view text, const Catalog& catalog, ColumnNumbers& numbers)
      : catalog_(catalog),
        context_{
            text, numbers,
            [this](const Query& query, const Scope& scope) { return bind_query(query, &scope); },
            catalog.now} {}

  BoundQuery bind_query(const Query& query, const Scope* around);
  /// By the stars of what was bound.
  const std::vector<LeftOut>& left_out() const { return left_out_; }

 private:
  /// What WITH names: computed once, and shown to each who names it under other numbers.
  struct Named {
    std::string name;
    RelationPtr shared{};
    Expressions columns{};
    std::vector<std::string> names{};
  };

  std::string_view text() const { return context_.text; }
  ColumnNumbers& numbers() { return context_.numbers; }
  [[noreturn]] void fail(Position position, const std::string& message) const;

  // What plans, executes and ends a query recurs over its relations: there are not too many, each
  // on top of another.
  void require_not_too_deep(const RelationPtr& relation, Position position);
  int depth_of(const RelationPtr& relation);

  // ---- binder.cpp: WITH, and the parts of a query

  void bind_common(const CommonTable& common, bool recursive, const Scope* around);
  void rename(BoundQuery& bound, const std::vector<Name>& names) const;
  BoundQuery bind_fixpoint(const CommonTable& common, const Scope* around);
  BoundQuery bind_body(const Query& query, const Scope* around);
  BoundQuery bind_term(const QueryTerm& term, const std::vector<OrderItem>& order_by,
                       const Scope* around);
  BoundQuery bind_values(const Values& node, const Scope* around, Position position);
  /// By names and numbers of the columns of the result.
  RelationPtr order_by_output(const BoundQuery& bound, const std::vector<OrderItem>& items,
                              const Scope* around);
  void bind_limit(const Query& query, BoundQuery& bound);

  // ---- bind_sets.cpp: UNION, INTERSECT, EXCEPT

  BoundQuery bind_sets(const Query& query, const Scope* around);
  BoundQuery combine(const std::vector<BoundQuery>& parts, std::span<const SetOperation> chain);
  /// That which holds the values of all parts.
  Type type_of_column(const std::vector<BoundQuery>& parts, std::size_t column,
                      std::span<const SetOperation> chain) const;

  // ---- bind_from.cpp

  FromSource bind_from(const Select& select, const Scope* around);
  FromSource bind_reference(const TableReference& reference, const Scope* around,
                            const Scope* lateral);
  FromSource bind_named(const TableName& named, const TableReference& reference,
                        const Scope* around);
  BoundQuery bind_view(const View& view, const Name& name);
  FromSource bind_table(const std::shared_ptr<const Table>& table, const std::string& name,
                        const TableReference& reference, const Scope* around);
  FromSource bind_query_source(const BoundQuery& bound, const TableReference& reference,
                               const std::string& name, const Scope* around);
  FromSource bind_join(const Join& node, const Scope* around, const Scope* lateral);
  FromSource named_source(RelationPtr relation, const Expressions& columns,
                          std::vector<std::string> names, const TableReference& reference,
                          const std::string& table, const Scope* around);

  // ---- bind_select.cpp

  BoundQuery bind_select(const Select& select, const std::vector<OrderItem>& order_by,
                         const Scope* around);
  void bind_items(const Select& select, const Scope& scope, SelectParts& parts);
  BoundQuery finish_select(const Select& select, RelationPtr relation, SelectParts& parts);

  const Catalog& catalog_;
  BindContext context_;
  std::vector<Named> with_;
  std::vector<std::string> open_views_;  // that is bound, and those which it is for
  std::map<RelationPtr, int> depths_;
  std::vector<LeftOut> left_out_;
};

}  // namespace grappa::query::sql
