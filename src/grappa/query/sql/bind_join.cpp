#include "grappa/query/sql/bind_join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "grappa/query/plan/decorrelate.hpp"
#include "grappa/query/sql/select_parts.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

bool is_inner(JoinKind kind) { return kind == JoinKind::kInner || kind == JoinKind::kCross; }

}  // namespace

void require_new_names(const Scope& known, const Scope& added, const TableReference& reference,
                       std::string_view text) {
  for (const Scope::NamedTable& table : added.tables()) {
    const auto is_same = [&](const Scope::NamedTable& other) {
      return !table.name.empty() && equal_folded(other.name, table.name);
    };
    if (std::ranges::any_of(known.tables(), is_same))
      throw SyntaxError(
          text, reference.alias ? reference.alias->position : reference.position,
          fmt::format("two tables are called {}: give one of them an alias", table.name));
  }
}

void JoinBinder::fail(Position position, const std::string& message) const {
  throw SyntaxError(context_.text, position, message);
}

Scope JoinBinder::scope_of(const FromSource& left, const FromSource& right) const {
  Scope both(around_);
  both.add_all(left.scope);
  both.add_all(right.scope);
  return both;
}

FromSource JoinBinder::join(FromSource left, FromSource right, const JoinStep& step) {
  const std::vector<Name> shared = shared_columns(left, right, step);
  Expressions terms;
  for (const Name& name : shared) {
    const ColumnReference reference{{name}};
    const ExpressionPtr a = left.scope.find_here(reference, context_.text);
    const ExpressionPtr b = right.scope.find_here(reference, context_.text);
    if (!a || !b) fail(name.position, fmt::format("{} is not a column of both", name.text));
    terms.push_back(call("=", {a, b}));
  }
  FromSource made{nullptr, Scope(around_)};
  made.scope.add_all(left.scope);
  const bool shows_right = step.kind != JoinKind::kSemi && step.kind != JoinKind::kAnti;
  if (shows_right) made.scope.add_all(right.scope);
  made.relation = step.condition
                      ? join_on(left, right, step, std::move(terms))
                      : join_relations(step.kind, left.relation, right.relation, all_of(terms));
  if (shows_right && !shared.empty()) merge_shared(made, left, right, step.kind, shared);
  // Columns of the side that may be missing may be NULL now.
  const RelationPtr& relation = made.relation;
  made.scope.replace([&](const query::Expression& of) -> ExpressionPtr {
    for (const ExpressionPtr& given : relation->columns)
      if (given->column == of.column) return given;
    return nullptr;
  });
  return made;
}

std::vector<Name> JoinBinder::shared_columns(const FromSource& left, const FromSource& right,
                                             const JoinStep& step) const {
  std::vector<Name> shared = step.using_columns;
  if (step.is_natural) {
    for (const auto& column : left.scope.columns_of(Star{}, step.position, context_.text))
      if (right.scope.find_here({{{column.name, step.position}}}, context_.text))
        shared.push_back({column.name, step.position});
  }
  return shared;
}

RelationPtr JoinBinder::join_on(FromSource& left, FromSource& right, const JoinStep& step,
                                Expressions terms) {
  const Scope both = scope_of(left, right);
  ExpressionBinder binder(context_, both, "ON");
  ExpressionPtr condition = binder.bind_condition(*step.condition);
  const std::vector<Subquery> subqueries = binder.take_subqueries();
  // Of an inner join they choose among the rows of both sides, as WHERE does.
  if (!subqueries.empty() && is_inner(step.kind))
    return binder.bind_where(
        *step.condition, join_relations(step.kind, left.relation, right.relation, all_of(terms)));
  std::vector<Subquery> of_both;
  for (const Subquery& subquery : subqueries) {
    std::set<ColumnId> needed = free_columns(*subquery.right);
    if (subquery.condition) add_columns(*subquery.condition, needed);
    const auto refers_to = [&](const FromSource& side) {
      const std::set<ColumnId> columns = columns_of(*side.relation);
      return std::ranges::any_of(needed, [&](ColumnId column) { return columns.contains(column); });
    };
    const bool of_left = refers_to(left);
    // One may refer to what another one gives.
    if (!of_both.empty() || (of_left && refers_to(right))) {
      of_both.push_back(subquery);
      continue;
    }
    FromSource& side = of_left ? left : right;
    side.relation = attach({subquery}, side.relation, context_.numbers);
  }
  terms.push_back(std::move(condition));
  ExpressionPtr all = all_of(std::move(terms));
  if (!of_both.empty()) {
    if (step.kind == JoinKind::kFull)
      fail(step.condition->position,
           "a subquery in ON of a full join may refer to one side of it, not to both");
    // For each row of one side they choose among those of the other, as LATERAL does.
    FromSource& chosen = step.kind == JoinKind::kRight ? left : right;
    chosen.relation = filter(attach(of_both, chosen.relation, context_.numbers), all);
    all = nullptr;
  }
  return join_relations(step.kind, left.relation, right.relation, all);
}

RelationPtr JoinBinder::join_relations(JoinKind kind, const RelationPtr& left,
                                       const RelationPtr& right, const ExpressionPtr& condition) {
  const auto dependent = [&](query::JoinKind made) {
    return dependent_join(made, left, right, condition, nullptr, context_.numbers);
  };
  switch (kind) {
    case JoinKind::kInner:
    case JoinKind::kCross:
      return dependent(query::JoinKind::kInner);
    case JoinKind::kLeft:
      return dependent(query::JoinKind::kLeft);
    case JoinKind::kRight:
      return dependent_join(query::JoinKind::kLeft, right, left, condition, nullptr,
                            context_.numbers);
    case JoinKind::kFull:
      return query::join(query::JoinKind::kFull, left, right, condition);
    case JoinKind::kSemi:
      return dependent(query::JoinKind::kSemi);
    case JoinKind::kAnti:
      return dependent(query::JoinKind::kAnti);
  }
  __builtin_unreachable();
}

void JoinBinder::merge_shared(FromSource& made, const FromSource& left, const FromSource& right,
                              JoinKind kind, const std::vector<Name>& shared) {
  std::vector<Computed> computed;
  for (const ExpressionPtr& of : made.relation->columns) computed.push_back({of, of});
  const auto is_shared = [&](const Scope::NamedColumn& column) {
    return std::ranges::any_of(
        shared, [&](const Name& name) { return equal_folded(column.name, name.text); });
  };
  Scope::NamedTable merged;
  for (const auto& column : left.scope.columns_of(Star{}, {}, context_.text)) {
    if (!is_shared(column)) continue;
    const ColumnReference reference{{{column.name, {}}}};
    ExpressionPtr value =
        (kind == JoinKind::kRight ? right : left).scope.find_here(reference, context_.text);
    if (kind == JoinKind::kFull) {
      const ExpressionPtr either =
          coalesce({value, right.scope.find_here(reference, context_.text)});
      value = context_.numbers.make(either->type, column.name);
      computed.push_back({value, either});
    }
    merged.columns.push_back({column.name, std::move(value), false});
  }
  for (auto& table : made.scope.tables())
    for (auto& column : table.columns) column.is_hidden |= is_shared(column);
  if (kind == JoinKind::kFull) made.relation = project(made.relation, std::move(computed));
  made.scope.tables().insert(made.scope.tables().begin(), std::move(merged));
}

}  // namespace grappa::query::sql
