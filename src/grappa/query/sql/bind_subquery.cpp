// Subqueries in expressions and in WHERE, as bind_expression.hpp has them: the joins that they
// become.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "grappa/query/plan/decorrelate.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/select_parts.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/to_text.hpp"

namespace grappa::query::sql {
namespace {

/// There are up to 2^n joins of the rows with n values that may be NULL.
constexpr std::ptrdiff_t kMostMatched = 2;

/// That some values of a row are NULL, and the others equal to those of another one.
struct NullMatch {
  ExpressionPtr nulls;
  Expressions equal;
};

std::vector<NullMatch> null_matches(const Expressions& left, const Expressions& right) {
  std::vector<NullMatch> made{{all_of({}), {}}};
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::vector<NullMatch> with_null;
    for (NullMatch& match : made) {
      if (left[i]->nullable)
        with_null.push_back({all_of({match.nulls, is_null(left[i])}), match.equal});
      match.equal.push_back(call("=", {left[i], right[i]}));
    }
    std::ranges::move(with_null, std::back_inserter(made));
  }
  made.erase(made.begin());  // the one without NULLs
  return made;
}

}  // namespace

Expressions ExpressionBinder::bind_row(const Expression& expression) {
  if (const auto* row = std::get_if<Row>(&expression.node)) return bind_all(row->values);
  return {bind(expression)};
}

ExpressionPtr ExpressionBinder::compare_with(const Expressions& left, const BoundQuery& right,
                                             Operator op, Position position) {
  if (left.size() != right.columns.size())
    fail(position, fmt::format("{} values are compared with a subquery of {} columns", left.size(),
                               right.columns.size()));
  if (left.size() > 1 && op != Operator::kEqual)
    fail(position, "rows of several values can be compared by = and IN only");
  Expressions terms;
  for (std::size_t i = 0; i < left.size(); ++i)
    terms.push_back(call(function_of(op), {left[i], right.columns[i]}));
  return all_of(std::move(terms));
}

ExpressionPtr ExpressionBinder::exists(const RelationPtr& right, ExpressionPtr condition) {
  const ExpressionPtr mark = context_.numbers.make(kBoolean, {}, {}, false);
  subqueries_.push_back({query::JoinKind::kMark, right, std::move(condition), mark});
  return mark;
}

ExpressionPtr ExpressionBinder::any_or_all(const Expressions& left, const BoundQuery& right,
                                           Operator op, bool is_all, Position position) {
  const ExpressionPtr compared = compare_with(left, right, op, position);
  const auto holds = [&](bool negated) {
    return exists(right.relation, negated ? negation(compared) : compared);
  };
  const ExpressionPtr decided = holds(is_all);
  if (!compared->nullable) return is_all ? negation(decided) : decided;
  // Not decided, but a comparison was NULL: a value was, or one of the subquery's, in whatever row.
  Expressions unknown;
  if (op == Operator::kEqual && left.size() == 1) {
    if (left[0]->nullable)
      unknown.push_back(all_of({is_null(left[0]), exists(right.relation, nullptr)}));
    if (right.columns[0]->nullable)
      unknown.push_back(exists(filter(right.relation, is_null(right.columns[0])), nullptr));
  } else {
    unknown.push_back(exists(right.relation, is_null(compared)));
  }
  return case_when({decided, constant(Value::boolean(!is_all)), any_of(std::move(unknown)),
                    constant(Value::null(kBoolean)), constant(Value::boolean(is_all))});
}

ExpressionPtr ExpressionBinder::bind_node(const In& node, const Expression& whole) {
  ExpressionPtr made;
  const Expressions left = bind_row(*node.value);
  if (node.query) {
    made = any_or_all(left, context_.bind_query(*node.query, scope_), Operator::kEqual, false,
                      whole.position);
  } else if (left.size() == 1) {
    Expressions arguments{left[0]};
    for (const Expression& choice : node.list) arguments.push_back(bind(choice));
    made = is_in(std::move(arguments));
  } else {
    Expressions terms;
    for (const Expression& choice : node.list) {
      const Expressions right = bind_row(choice);
      if (right.size() != left.size())
        fail(choice.position, fmt::format("a row of {} values was expected", left.size()));
      Expressions equal;
      for (std::size_t i = 0; i < left.size(); ++i) equal.push_back(call("=", {left[i], right[i]}));
      terms.push_back(all_of(std::move(equal)));
    }
    made = any_of(std::move(terms));
  }
  return node.is_negated ? negation(made) : made;
}

ExpressionPtr ExpressionBinder::bind_node(const Quantified& node, const Expression& whole) {
  const Expressions left = bind_row(*node.value);
  return any_or_all(left, context_.bind_query(*node.query, scope_), node.comparison, node.is_all,
                    whole.position);
}

template <class Make>
ExpressionPtr ExpressionBinder::once(const Expression& subquery, const Make& make) {
  if (known_ == nullptr) return make();
  ExpressionPtr& known = (*known_)[to_text(subquery)];
  if (!known) known = make();
  return known;
}

ExpressionPtr ExpressionBinder::bind_node(const Exists& node, const Expression& whole) {
  return once(whole,
              [&] { return exists(context_.bind_query(*node.query, scope_).relation, nullptr); });
}

ExpressionPtr ExpressionBinder::bind_node(const ScalarSubquery& node, const Expression& whole) {
  return once(whole, [&] {
    const BoundQuery bound = context_.bind_query(*node.query, scope_);
    if (bound.columns.size() != 1)
      fail(whole.position, fmt::format("a subquery that stands for one value has {} columns",
                                       bound.columns.size()));
    // The column is NULL where there is no row.
    const ExpressionPtr value = context_.numbers.make(bound.columns[0]->type, bound.names[0]);
    subqueries_.push_back({query::JoinKind::kSingle,
                           project(bound.relation, {{value, bound.columns[0]}}), nullptr, nullptr});
    return value;
  });
}

RelationPtr ExpressionBinder::attach_subqueries(RelationPtr relation) {
  return attach(take_subqueries(), std::move(relation), context_.numbers);
}

bool ExpressionBinder::bind_where_subquery(const Expression& term, bool negated,
                                           RelationPtr& relation) {
  if (const auto* operation = std::get_if<Operation>(&term.node)) {
    if (operation->operands.size() != 1 || operation->operators[0].op != Operator::kNot)
      return false;
    return bind_where_subquery(operation->operands[0], !negated, relation);
  }
  const auto join_to = [&](bool anti, const RelationPtr& right, const ExpressionPtr& condition) {
    relation = attach_subqueries(std::move(relation));
    relation = dependent_join(anti ? query::JoinKind::kAnti : query::JoinKind::kSemi, relation,
                              right, condition, nullptr, context_.numbers);
  };
  if (const auto* in = std::get_if<In>(&term.node)) {
    if (!in->query) return false;
    const bool anti = in->is_negated != negated;
    const Expressions left = bind_row(*in->value);
    const BoundQuery right = context_.bind_query(*in->query, scope_);
    const ExpressionPtr equal = compare_with(left, right, Operator::kEqual, term.position);
    join_to(anti, right.relation, equal);
    if (!anti || !equal->nullable) return true;
    // NOT IN: no comparison is NULL. That of rows is where no values differ and one is NULL.
    Expressions nulls;
    for (const ExpressionPtr& value : right.columns)
      if (value->nullable) nulls.push_back(is_null(value));
    if (!nulls.empty())
      join_to(true, filter(right.relation, any_of(std::move(nulls))),
              left.size() == 1 ? nullptr : is_null(equal));
    const std::ptrdiff_t nullable = std::ranges::count_if(left, &query::Expression::nullable);
    // What is computed for each row of the left is not worth computing several times.
    const bool is_correlated = !free_columns(*right.relation).empty();
    if (nullable > kMostMatched || (left.size() > 1 && is_correlated)) {
      join_to(true, right.relation, is_null(equal));
      return true;
    }
    // With NULLs on the left it is where the other values are equal, whichever the NULLs are; or,
    // if there are no others, where the right has rows.
    for (const NullMatch& match : null_matches(left, right.columns)) {
      if (!match.equal.empty()) {
        join_to(true, right.relation, all_of({match.nulls, all_of(match.equal)}));
        continue;
      }
      const ExpressionPtr stays =
          any_of({negation(match.nulls), negation(exists(right.relation, nullptr))});
      relation = filter(attach_subqueries(std::move(relation)), stays);
    }
    return true;
  }
  if (const auto* exists = std::get_if<Exists>(&term.node)) {
    join_to(negated, context_.bind_query(*exists->query, scope_).relation, nullptr);
    return true;
  }
  return false;
}

RelationPtr ExpressionBinder::bind_where(const Expression& expression, RelationPtr relation) {
  const auto* operation = std::get_if<Operation>(&expression.node);
  if (operation != nullptr && operation->operators[0].op == Operator::kAnd) {
    // Plain conditions first, then semi joins: the joins of other subqueries then see fewer rows.
    std::vector<const Expression*> later;
    Expressions terms;
    Expressions with_subqueries;
    std::vector<Subquery> others;
    for (const Expression& operand : operation->operands) {
      const bool is_subquery = std::holds_alternative<In>(operand.node) ||
                               std::holds_alternative<Exists>(operand.node) ||
                               std::holds_alternative<Operation>(operand.node);
      const auto* inner = std::get_if<Operation>(&operand.node);
      if (is_subquery && (inner == nullptr || inner->operators[0].op == Operator::kNot)) {
        later.push_back(&operand);
      } else {
        ExpressionPtr term = bind_condition(operand);
        std::vector<Subquery> found = take_subqueries();
        (found.empty() ? terms : with_subqueries).push_back(std::move(term));
        std::ranges::move(found, std::back_inserter(others));
      }
    }
    relation = filter(std::move(relation), all_of(std::move(terms)));
    for (const Expression* const operand : later) relation = bind_where(*operand, relation);
    subqueries_ = std::move(others);
    return filter(attach_subqueries(std::move(relation)), all_of(std::move(with_subqueries)));
  }
  try {
    if (bind_where_subquery(expression, false, relation)) return relation;
  } catch (const SyntaxError&) {
    throw;
  } catch (const UsageError& error) {
    fail(expression.position, error.what());
  }
  const ExpressionPtr condition = bind_condition(expression);
  return filter(attach_subqueries(std::move(relation)), condition);
}

}  // namespace grappa::query::sql
