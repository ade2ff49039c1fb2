#pragma once

// Expressions of a query, bound: names become columns, operators functions of certain types.
//
//   ExpressionBinder binder(context, scope, "WHERE");
//   binder.allow_aggregates(found);
//   ExpressionPtr value = binder.bind(expression);
//   relation = binder.attach_subqueries(relation);       // value refers to what they give
//
// A subquery becomes a join, and the value a column that it gives.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/plan/relation.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/binder.hpp"
#include "grappa/query/sql/scope.hpp"

namespace grappa::query::sql {

/// What all parts of a query's binding share.
struct BindContext {
  std::string_view text;
  ColumnNumbers& numbers;
  /// Binds a query that stands where `scope` is known.
  std::function<BoundQuery(const Query& query, const Scope& scope)> bind_query;
  std::int64_t now = 0;  // Catalog::now
  /// Of those that what is bound stands in, and so not in the text.
  bool is_in_view = false;
};

/// A join that a subquery becomes.
struct Subquery {
  query::JoinKind kind;
  RelationPtr right;
  ExpressionPtr condition;
  ExpressionPtr mark;
};

/// grouping(a, b): which of them a row is not grouped by.
struct GroupingCall {
  ExpressionPtr column;  // that it becomes
  Expressions arguments;
  Position position;
};

struct FoundAggregates {
  std::vector<AggregateItem> items;
  std::vector<GroupingCall> groupings;
  /// Of their arguments.
  std::vector<Subquery> subqueries;
};

class ExpressionBinder {
 public:
  ExpressionBinder(BindContext& context, const Scope& scope, std::string_view clause)
      : context_(context), scope_(scope), clause_(clause) {}

  /// Aggregates are collected there, and stand in expressions as the columns that they will be;
  /// without, they are an error that names the clause.
  void allow_aggregates(FoundAggregates& found) { aggregates_ = &found; }
  void allow_windows(std::vector<WindowItem>& found, const std::vector<NamedWindow>& named) {
    windows_ = &found;
    named_windows_ = &named;
  }
  /// Names that stand for expressions and come before columns: what SELECT calls its columns.
  using Alias = std::function<ExpressionPtr(const ColumnReference& reference)>;
  void set_aliases(Alias alias) { alias_ = std::move(alias); }
  /// Subqueries that are written in the same way are computed once: what stands for each, by its
  /// text. Of binders with the same scope, whose subqueries are attached to the same relation.
  void share_subqueries(std::map<std::string, ExpressionPtr>& known) { known_ = &known; }

  ExpressionPtr bind(const Expression& expression);
  ExpressionPtr bind_condition(const Expression& expression);
  /// Terms of a WHERE, joined to the relation where they are subqueries, else filtered by.
  RelationPtr bind_where(const Expression& expression, RelationPtr relation);
  std::vector<query::SortItem> bind_order(const std::vector<OrderItem>& items);
  /// The same, where an item may be the number of one of these columns, or all of them.
  std::vector<query::SortItem> bind_order(const std::vector<OrderItem>& items,
                                          const Expressions& columns);

  /// What bind() has found so far.
  std::vector<Subquery> take_subqueries() { return std::exchange(subqueries_, {}); }
  RelationPtr attach_subqueries(RelationPtr relation);

 private:
  ExpressionPtr bind_here(const Expression& expression);
  ExpressionPtr bind_node(const Literal& node, const Expression& whole);
  ExpressionPtr bind_node(const ColumnReference& node, const Expression& whole);
  ExpressionPtr bind_node(const Star& node, const Expression& whole);
  ExpressionPtr bind_node(const Operation& node, const Expression& whole);
  ExpressionPtr bind_node(const Between& node, const Expression& whole);
  ExpressionPtr bind_node(const Like& node, const Expression& whole);
  ExpressionPtr bind_node(const In& node, const Expression& whole);
  ExpressionPtr bind_node(const Quantified& node, const Expression& whole);
  ExpressionPtr bind_node(const Exists& node, const Expression& whole);
  ExpressionPtr bind_node(const ScalarSubquery& node, const Expression& whole);
  ExpressionPtr bind_node(const Row& node, const Expression& whole);
  ExpressionPtr bind_node(const Case& node, const Expression& whole);
  ExpressionPtr bind_node(const Cast& node, const Expression& whole);
  ExpressionPtr bind_node(const Interval& node, const Expression& whole);
  ExpressionPtr bind_node(const FunctionCall& node, const Expression& whole);

  ExpressionPtr bind_one_operand(Operator op, const Expression& operand);
  ExpressionPtr combine(Operator op, ExpressionPtr left, ExpressionPtr right);
  /// `what` needs it, as the message says.
  ExpressionPtr bind_condition(const Expression& expression, std::string_view what);
  Expressions bind_all(const std::vector<Expression>& expressions);
  ExpressionPtr bind_aggregate(const FunctionCall& call, std::string name, Position position);
  /// Of count(DISTINCT a, b), or (a, b).
  Expressions row_arguments(const FunctionCall& call);
  ExpressionPtr bind_grouping(const FunctionCall& call, Position position);
  /// The column of an aggregate of these arguments, which all that are alike share.
  ExpressionPtr aggregate_column(AggregateItem item);
  /// sum(x + c), where c is a constant, by sum(x) and count(x); nothing where it is no such sum.
  ExpressionPtr sum_by_parts(const AggregateItem& item);
  /// As the engine takes them: an order behind them, WITHIN GROUP's value before. May rename it.
  Expressions aggregate_arguments(const FunctionCall& call, std::string& name, Position position);
  Expressions bind_quantile(const FunctionCall& call, const std::string& name, Position position);
  ExpressionPtr bind_window(const FunctionCall& call, std::string name, Position position);
  void bind_frame(const Window& window, WindowItem& item);
  const Window& named_window(const Name& name) const;

  /// Values of the row that is compared with a subquery's.
  Expressions bind_row(const Expression& expression);
  ExpressionPtr compare_with(const Expressions& left, const BoundQuery& right, Operator op,
                             Position position);
  /// Whether a row of the right side meets the condition, as a column.
  ExpressionPtr exists(const RelationPtr& right, ExpressionPtr condition);
  ExpressionPtr any_or_all(const Expressions& left, const BoundQuery& right, Operator op,
                           bool is_all, Position position);
  /// A term that is a join by itself; false if it is none.
  bool bind_where_subquery(const Expression& term, bool negated, RelationPtr& relation);
  /// What stands for a subquery: what make() returns, or returned before for the same text.
  template <class Make>
  ExpressionPtr once(const Expression& subquery, const Make& make);
  [[noreturn]] void fail(Position position, const std::string& message) const;
  /// What was bound, so that errors when it is computed know the place.
  ExpressionPtr at(Position position, const ExpressionPtr& bound) const;

  BindContext& context_;
  const Scope& scope_;
  std::string_view clause_;
  FoundAggregates* aggregates_ = nullptr;
  std::vector<WindowItem>* windows_ = nullptr;
  const std::vector<NamedWindow>* named_windows_ = nullptr;
  Alias alias_;
  std::vector<Subquery> subqueries_;
  std::map<std::string, ExpressionPtr>* known_ = nullptr;
  bool inside_aggregate_ = false;
};

/// The name of the function that an operator is.
std::string_view function_of(Operator op);

/// The one name of an aggregate that has several; other names as they are.
std::string aggregate_name(std::string name);

/// "varchar(10)" as a type; SyntaxError for names that are none.
Type type_of(const TypeName& name, std::string_view text);

}  // namespace grappa::query::sql
