#include <algorithm>
#include <map>
#include <utility>

#include "grappa/query/plan/optimizer.hpp"

namespace grappa::query {
namespace {

using Columns = std::set<ColumnId>;

bool only_of(const Expression& expression, const Columns& columns) {
  const Columns used = columns_of(expression);
  return std::ranges::all_of(used, [&](ColumnId c) { return columns.contains(c); });
}

/// Whether it is not true where these columns are NULL.
bool rejects_nulls(const Expression& term, const Columns& columns) {
  const auto rejects = [&](const ExpressionPtr& a) { return rejects_nulls(*a, columns); };
  switch (term.kind) {
    case ExpressionKind::kNot: {
      const Expression& inner = *term.arguments[0];
      return inner.kind == ExpressionKind::kIsNull ? is_strict(*inner.arguments[0], columns)
                                                   : is_strict(inner, columns);
    }
    case ExpressionKind::kOr:
      return std::ranges::all_of(term.arguments, rejects);
    case ExpressionKind::kAnd:
      return std::ranges::any_of(term.arguments, rejects);
    default:
      return is_strict(term, columns);
  }
}

/// What all alternatives of an OR demand, they demand together: (a AND x) OR (a AND y).
void add_term(const ExpressionPtr& term, Expressions& terms) {
  if (term->kind != ExpressionKind::kOr) {
    terms.push_back(term);
    return;
  }
  Expressions common;
  for (const ExpressionPtr& candidate : conjuncts(term->arguments[0])) {
    const bool in_all = std::ranges::all_of(term->arguments, [&](const ExpressionPtr& alternative) {
      return std::ranges::any_of(conjuncts(alternative),
                                 [&](const auto& other) { return same(*candidate, *other); });
    });
    if (in_all) common.push_back(candidate);
  }
  if (common.empty()) {
    terms.push_back(term);
    return;
  }
  Expressions alternatives;
  for (const ExpressionPtr& alternative : term->arguments) {
    Expressions rest;
    for (const ExpressionPtr& part : conjuncts(alternative))
      if (std::ranges::none_of(common, [&](const auto& c) { return same(*c, *part); }))
        rest.push_back(part);
    alternatives.push_back(all_of(std::move(rest)));
  }
  terms.insert(terms.end(), common.begin(), common.end());
  const ExpressionPtr left = any_of(std::move(alternatives));
  if (!left->is_true()) terms.push_back(left);
}

/// Whether it asks for NULL in a column of these that is not NULL in rows that the condition joins.
bool asks_for_no_partner(const Expression& term, const Columns& columns,
                         const Expressions& condition) {
  if (term.kind != ExpressionKind::kIsNull || !term.arguments[0]->is_column()) return false;
  const ColumnId column = term.arguments[0]->column;
  return columns.contains(column) && std::ranges::any_of(condition, [&](const auto& of) {
           return rejects_nulls(*of, {column});
         });
}

/// Whether the right side is the one that is kept.
bool is_turned(JoinKind kind) { return kind >= JoinKind::kRight; }

/// By shared relation: what each of those that share it asks of its rows.
using Asked = std::map<const Relation*, Expressions>;

class PushDown {
 public:
  /// `asked`, if it is known already: rows that nobody asks for are not made.
  explicit PushDown(Asked asked = {}) : known_(std::move(asked)) {}

  const Asked& asked() const { return asked_; }

  /// The relation, filtered by all of the terms.
  RelationPtr push(const RelationPtr& relation, Expressions terms) {
    switch (relation->kind) {
      case RelationKind::kFilter:
        for (const ExpressionPtr& term : conjuncts(relation->condition)) add_term(term, terms);
        return push(relation->inputs[0], std::move(terms));
      case RelationKind::kProject:
        return push_project(*relation, std::move(terms));
      case RelationKind::kJoin:
        return push_join(*relation, terms);
      case RelationKind::kAggregate:
        return push_aggregate(*relation, terms);
      case RelationKind::kWindow:
        return push_window(*relation, terms);
      case RelationKind::kSort:
        return with_inputs(*relation, {push(relation->inputs[0], std::move(terms))});
      case RelationKind::kUnion:
        return push_union(*relation, terms);
      case RelationKind::kScan:
        return push_scan(relation, std::move(terms));
      default:
        return push_nowhere(relation, std::move(terms));
    }
  }

 private:
  RelationPtr push_nowhere(const RelationPtr& relation, Expressions terms) {
    if (relation->kind == RelationKind::kShared) asked_[relation.get()].push_back(all_of(terms));
    return filter(with_pushed_inputs(relation), all_of(std::move(terms)));
  }

  RelationPtr with_pushed_inputs(const RelationPtr& relation) {
    if (relation->inputs.empty()) return relation;
    // A relation that several share stays one.
    const auto known = shared_.find(relation.get());
    if (known != shared_.end()) return known->second;
    std::vector<RelationPtr> inputs;
    for (const RelationPtr& input : relation->inputs)
      inputs.push_back(push(input, asked_by_all(relation.get())));
    RelationPtr made = with_inputs(*relation, std::move(inputs));
    if (relation->kind == RelationKind::kShared) shared_[relation.get()] = made;
    return made;
  }

  Expressions asked_by_all(const Relation* shared) const {
    const auto found = known_.find(shared);
    if (found == known_.end() ||
        std::ranges::any_of(found->second, [](const auto& term) { return term->is_true(); }))
      return {};
    Expressions terms;
    add_term(any_of(found->second), terms);
    return terms;
  }

  static RelationPtr push_scan(const RelationPtr& relation, Expressions terms) {
    if (terms.empty()) return relation;
    Relation copy = *relation;
    copy.condition = all_of(terms);
    return filter(std::make_shared<const Relation>(std::move(copy)), all_of(std::move(terms)));
  }

  RelationPtr push_project(const Relation& relation, Expressions terms) {
    for (ExpressionPtr& term : terms) {
      term = replace_columns(term, [&](const Expression& of) -> ExpressionPtr {
        for (const Computed& one : relation.computed)
          if (one.column->column == of.column) return one.value;
        return nullptr;
      });
    }
    return with_inputs(relation, {push(relation.inputs[0], std::move(terms))});
  }

  RelationPtr push_aggregate(const Relation& relation, const Expressions& terms) {
    Expressions below;
    Expressions above;
    Columns groups;
    for (const Computed& group : relation.computed) groups.insert(group.column->column);
    for (const ExpressionPtr& term : terms) {
      // Without groups there is a row whatever is filtered below.
      if (groups.empty() || !only_of(*term, groups)) {
        above.push_back(term);
        continue;
      }
      below.push_back(replace_columns(term, [&](const Expression& of) -> ExpressionPtr {
        for (const Computed& group : relation.computed)
          if (group.column->column == of.column) return group.value;
        return nullptr;
      }));
    }
    return filter(with_inputs(relation, {push(relation.inputs[0], std::move(below))}),
                  all_of(std::move(above)));
  }

  RelationPtr push_window(const Relation& relation, const Expressions& terms) {
    Expressions below;
    Expressions above;
    for (const ExpressionPtr& term : terms) {
      // Whole partitions may go.
      const bool goes = std::ranges::all_of(relation.windows, [&](const WindowItem& item) {
        Columns partition;
        for (const ExpressionPtr& value : item.partition)
          if (value->is_column()) partition.insert(value->column);
        return only_of(*term, partition);
      });
      (goes ? below : above).push_back(term);
    }
    return filter(with_inputs(relation, {push(relation.inputs[0], std::move(below))}),
                  all_of(std::move(above)));
  }

  RelationPtr push_union(const Relation& relation, const Expressions& terms) {
    std::vector<RelationPtr> inputs;
    for (std::size_t i = 0; i < relation.inputs.size(); ++i) {
      Expressions of_input;
      for (const ExpressionPtr& term : terms) {
        of_input.push_back(replace_columns(term, [&](const Expression& of) -> ExpressionPtr {
          for (std::size_t c = 0; c < relation.columns.size(); ++c)
            if (relation.columns[c]->column == of.column) return relation.given[i][c];
          return nullptr;
        }));
      }
      inputs.push_back(push(relation.inputs[i], std::move(of_input)));
    }
    return with_inputs(relation, std::move(inputs));
  }

  RelationPtr push_join(const Relation& relation, const Expressions& terms) {
    const RelationPtr& left = relation.inputs[0];
    const RelationPtr& right = relation.inputs[1];
    const Columns of_left = columns_of(*left);
    const Columns of_right = columns_of(*right);
    JoinKind kind = relation.join;
    if (kind == JoinKind::kLeft) {
      const Expressions condition = conjuncts(relation.condition);
      const auto asking = std::ranges::find_if(
          terms, [&](const auto& t) { return asks_for_no_partner(*t, of_right, condition); });
      if (asking != terms.end()) {
        Expressions others = terms;
        others.erase(others.begin() + (asking - terms.begin()));
        return push(without_partner(relation), std::move(others));
      }
    }
    if (kind == JoinKind::kLeft &&
        std::ranges::any_of(terms, [&](const auto& t) { return rejects_nulls(*t, of_right); }))
      kind = JoinKind::kInner;
    Expressions condition;
    for (const ExpressionPtr& term : conjuncts(relation.condition)) add_term(term, condition);
    // A row that the condition does not hold for may go before it is joined, unless it is shown
    // alone.
    const bool drops_left = kind == JoinKind::kInner || kind == JoinKind::kSemi || is_turned(kind);
    const bool drops_right =
        kind != JoinKind::kFull && kind != JoinKind::kRight && kind != JoinKind::kRightAnti;
    Expressions to_left;
    Expressions to_right;
    Expressions here;
    Expressions above;
    if (kind == JoinKind::kInner) {
      condition.insert(condition.end(), terms.begin(), terms.end());
      add_implied(condition, of_left, of_right);
    } else {
      for (const ExpressionPtr& term : terms) {
        if (kind == JoinKind::kFull || !only_of(*term, is_turned(kind) ? of_right : of_left))
          above.push_back(term);
        else
          (is_turned(kind) ? to_right : to_left).push_back(term);
      }
    }
    for (const ExpressionPtr& term : condition) {
      if (drops_left && only_of(*term, of_left))
        to_left.push_back(term);
      else if (drops_right && only_of(*term, of_right))
        to_right.push_back(term);
      else
        here.push_back(term);
    }
    Relation made = *join(kind, push(left, std::move(to_left)), push(right, std::move(to_right)),
                          all_of(std::move(here)), relation.mark);
    made.expected_rows = terms.empty() ? relation.expected_rows : 0;
    return filter(std::make_shared<const Relation>(std::move(made)), all_of(std::move(above)));
  }

  /// Of a left join, the rows of the left side that have no partner.
  static RelationPtr without_partner(const Relation& relation) {
    const RelationPtr& left = relation.inputs[0];
    const RelationPtr& right = relation.inputs[1];
    std::vector<Computed> computed;
    for (const ExpressionPtr& of : left->columns) computed.push_back({of, of});
    for (const ExpressionPtr& of : right->columns)
      computed.push_back({of, constant(Value::null(of->type))});
    return project(join(JoinKind::kAnti, left, right, relation.condition), std::move(computed));
  }

  /// Of (a.x = 1 AND b.y = 2) OR (a.x = 2 AND b.y = 1) follows a.x = 1 OR a.x = 2, for one side.
  static void add_implied(Expressions& terms, const Columns& left, const Columns& right) {
    const std::size_t count = terms.size();
    for (std::size_t i = 0; i < count; ++i) {
      const ExpressionPtr term = terms[i];
      if (term->kind != ExpressionKind::kOr || only_of(*term, left) || only_of(*term, right))
        continue;
      for (const Columns* side : {&left, &right}) {
        Expressions alternatives;
        for (const ExpressionPtr& alternative : term->arguments) {
          Expressions of_side;
          for (const ExpressionPtr& part : conjuncts(alternative))
            if (only_of(*part, *side)) of_side.push_back(part);
          if (of_side.empty()) {
            alternatives.clear();
            break;
          }
          alternatives.push_back(all_of(std::move(of_side)));
        }
        if (alternatives.empty()) continue;
        const ExpressionPtr implied = any_of(std::move(alternatives));
        const bool known =
            std::ranges::any_of(terms, [&](const auto& t) { return same(*t, *implied); });
        if (!known) terms.push_back(implied);
      }
    }
  }

  Asked known_;
  Asked asked_;
  std::map<const Relation*, RelationPtr> shared_;
};

}  // namespace

RelationPtr push_down_filters(const RelationPtr& relation) {
  PushDown first;
  const RelationPtr pushed = first.push(relation, {});
  return first.asked().empty() ? pushed : PushDown(first.asked()).push(relation, {});
}

}  // namespace grappa::query
