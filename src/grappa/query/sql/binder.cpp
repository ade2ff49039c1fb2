#include "grappa/query/sql/binder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "grappa/query/expression/evaluator.hpp"
#include "grappa/query/sql/query_binder.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/to_text.hpp"

namespace grappa::query::sql {
namespace {

constexpr int kMostRelations = 2000;

bool refers_to(const Query& query, const Name& name) {
  // By the text of the query: names in strings only make a fixpoint of what is none.
  const std::string all = folded(to_text(query));
  return all.find(folded(name.text)) != std::string::npos;
}

Value constant_of(ExpressionBinder& binder, const Expression& expression, std::string_view text) {
  try {
    const ExpressionPtr bound = cast(binder.bind(expression), kInt64);
    if (!binder.take_subqueries().empty())
      throw UsageError("a subquery is not supported in LIMIT and OFFSET");
    return evaluate_constant(bound);
  } catch (const SyntaxError&) {
    throw;
  } catch (const UsageError& error) {
    throw SyntaxError(text, expression.position, error.what());
  }
}

}  // namespace

BoundQuery QueryBinder::bind_query(const Query& query, const Scope* around) {
  const std::size_t known = with_.size();
  for (const CommonTable& common : query.with) {
    for (std::size_t i = known; i < with_.size(); ++i)
      if (equal_folded(with_[i].name, common.name.text))
        fail(common.name.position, fmt::format("WITH has {} twice", common.name.text));
    bind_common(common, query.is_recursive, around);
  }
  BoundQuery bound = bind_body(query, around);
  with_.resize(known);
  require_not_too_deep(bound.relation, query.position);
  return bound;
}

void QueryBinder::fail(Position position, const std::string& message) const {
  throw SyntaxError(text(), position, message);
}

void QueryBinder::require_not_too_deep(const RelationPtr& relation, Position position) {
  if (depth_of(relation) <= kMostRelations) return;
  fail(position,
       fmt::format("more than {} joins, sets and other operators, each on top of the one before",
                   kMostRelations));
}

int QueryBinder::depth_of(const RelationPtr& relation) {
  const auto known = depths_.find(relation);
  if (known != depths_.end()) return known->second;
  int below = 0;
  for (const RelationPtr& input : relation->inputs) below = std::max(below, depth_of(input));
  return depths_[relation] = below + 1;
}

void QueryBinder::bind_common(const CommonTable& common, bool recursive, const Scope* around) {
  Named named{.name = common.name.text};
  const bool is_fixpoint = recursive && refers_to(common.query, common.name);
  BoundQuery bound = is_fixpoint ? bind_fixpoint(common, around) : bind_query(common.query, around);
  rename(bound, common.columns);
  Relation shared{.kind = RelationKind::kShared, .inputs = {bound.relation}};
  shared.columns = bound.relation->columns;
  shared.name = common.name.text;
  named.shared = std::make_shared<const Relation>(std::move(shared));
  named.columns = bound.columns;
  named.names = bound.names;
  with_.push_back(std::move(named));
}

void QueryBinder::rename(BoundQuery& bound, const std::vector<Name>& names) const {
  if (names.size() > bound.names.size())
    fail(names[bound.names.size()].position,
         fmt::format("{} names for {} columns", names.size(), bound.names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) bound.names[i] = names[i].text;
}

BoundQuery QueryBinder::bind_fixpoint(const CommonTable& common, const Scope* around) {
  const Query& query = common.query;
  if (query.terms.size() != 2 || query.operations[0].op != SetOperator::kUnion)
    fail(query.position,
         fmt::format("the recursive {} has to be a query, UNION [ALL], and one that "
                     "refers to it",
                     common.name.text));
  BoundQuery first = bind_term(query.terms[0], {}, around);
  rename(first, common.columns);
  // The recursive part sees the columns of the first, of the types that both have.
  Expressions columns;
  for (std::size_t i = 0; i < first.columns.size(); ++i)
    columns.push_back(numbers().make(first.columns[i]->type, first.names[i]));
  Relation recurring{.kind = RelationKind::kRecurring};
  for (const ExpressionPtr& of : columns) recurring.columns.push_back(numbers().like(*of));
  recurring.name = common.name.text;
  Named named{.name = common.name.text,
              .shared = std::make_shared<const Relation>(recurring),
              .columns = recurring.columns,
              .names = first.names};
  with_.push_back(named);
  BoundQuery next = bind_term(query.terms[1], {}, around);
  with_.pop_back();
  if (next.columns.size() != columns.size())
    fail(query.operations[0].position,
         fmt::format("UNION of {} and {} columns", columns.size(), next.columns.size()));
  Relation fixpoint{.kind = RelationKind::kFixpoint};
  fixpoint.name = common.name.text;
  fixpoint.inputs = {first.relation, next.relation, named.shared};
  fixpoint.columns = columns;
  fixpoint.all = query.operations[0].is_all;
  Expressions casted;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Type type = columns[i]->type;
    casted.push_back(cast(next.columns[i], type));
  }
  fixpoint.given = {first.columns, casted};
  return {std::make_shared<const Relation>(std::move(fixpoint)), columns, first.names};
}

BoundQuery QueryBinder::bind_body(const Query& query, const Scope* around) {
  BoundQuery bound;
  if (query.terms.size() == 1) {
    bound = bind_term(query.terms[0], query.order_by, around);
  } else {
    bound = bind_sets(query, around);
    if (!query.order_by.empty()) bound.relation = order_by_output(bound, query.order_by, around);
  }
  bind_limit(query, bound);
  return bound;
}

BoundQuery QueryBinder::bind_term(const QueryTerm& term, const std::vector<OrderItem>& order_by,
                                  const Scope* around) {
  if (const auto* select = std::get_if<Select>(&term.node))
    return bind_select(*select, order_by, around);
  BoundQuery bound;
  if (const auto* rows = std::get_if<Values>(&term.node)) {
    bound = bind_values(*rows, around, term.position);
  } else {
    bound = bind_query(*std::get<Box<Query>>(term.node), around);
  }
  if (!order_by.empty()) bound.relation = order_by_output(bound, order_by, around);
  return bound;
}

BoundQuery QueryBinder::bind_values(const Values& node, const Scope* around, Position position) {
  const Scope scope(around);
  ExpressionBinder binder(context_, scope, "VALUES");
  std::vector<Expressions> rows;
  for (const std::vector<Expression>& row : node.rows) {
    if (row.size() != node.rows[0].size())
      fail(row.empty() ? position : row[0].position,
           fmt::format("a row of {} values was expected", node.rows[0].size()));
    rows.emplace_back();
    for (const Expression& value : row) rows.back().push_back(binder.bind(value));
  }
  BoundQuery bound;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    Type type;
    bool nullable = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto common = common_type(type, rows[r][i]->type);
      if (!common)
        fail(node.rows[r][i].position, fmt::format("{} was expected, this is of type {}",
                                                   name_of(type), name_of(rows[r][i]->type)));
      type = *common;
      nullable |= rows[r][i]->nullable;
    }
    for (Expressions& row : rows) row[i] = cast(row[i], type);
    bound.names.push_back(fmt::format("column{}", i + 1));
    bound.columns.push_back(numbers().make(type, bound.names.back(), {}, nullable));
  }
  bound.relation = binder.attach_subqueries(values(std::move(rows), bound.columns));
  return bound;
}

RelationPtr QueryBinder::order_by_output(const BoundQuery& bound,
                                         const std::vector<OrderItem>& items, const Scope* around) {
  Scope scope(around);
  Scope::NamedTable table;
  for (std::size_t i = 0; i < bound.columns.size(); ++i)
    table.columns.push_back({bound.names[i], bound.columns[i], false});
  scope.add(std::move(table));
  ExpressionBinder binder(context_, scope, "ORDER BY");
  return sort(bound.relation, binder.bind_order(items, bound.columns));
}

void QueryBinder::bind_limit(const Query& query, BoundQuery& bound) {
  if (!query.limit && !query.offset) return;
  const auto number = [&](const Expression& expression) -> std::int64_t {
    const Scope none(nullptr);
    ExpressionBinder binder(context_, none, "LIMIT");
    const Value found = constant_of(binder, expression, text());
    if (found.is_null()) return INT64_MAX;
    if (found.integer() < 0) fail(expression.position, "a number from 0 on was expected");
    return static_cast<std::int64_t>(found.integer());
  };
  const std::int64_t most = query.limit ? number(*query.limit) : INT64_MAX;
  std::int64_t offset = query.offset ? number(*query.offset) : 0;
  if (offset == INT64_MAX) offset = 0;
  bound.relation = limit(bound.relation, offset, most);
}

BoundQuery bind(const Query& query, std::string_view text, const Catalog& catalog,
                ColumnNumbers& numbers) {
  QueryBinder binder(text, catalog, numbers);
  BoundQuery bound = binder.bind_query(query, nullptr);
  bound.left_out = binder.left_out();
  return bound;
}

}  // namespace grappa::query::sql
