#include "grappa/query/plan/decorrelate.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::query {
namespace {

/// By the number of an outer column: what has its value on the right side.
using Stand = std::map<ColumnId, ExpressionPtr>;

struct Pushed {
  RelationPtr relation;
  Stand stand;
};

ReplaceColumn replacing(const Stand& stand) {
  return [&stand](const Expression& of) -> ExpressionPtr {
    const auto found = stand.find(of.column);
    return found == stand.end() ? nullptr : found->second;
  };
}

/// Whether all that it gives is NULL where it gives no row, so that a join that finds none is
/// right.
bool null_if_empty(const Relation& relation) {
  if (relation.kind == RelationKind::kAggregate) {
    return relation.computed.empty() &&
           std::ranges::none_of(relation.aggregates,
                                [](const auto& item) { return item.function == "count"; });
  }
  if (relation.kind == RelationKind::kProject) {
    const std::set<ColumnId> below = columns_of(*relation.inputs[0]);
    return null_if_empty(*relation.inputs[0]) &&
           std::ranges::all_of(relation.computed,
                               [&](const Computed& c) { return is_strict(*c.value, below); });
  }
  return false;
}

/// The relation without the conditions that refer to outer columns, which are added to `terms`; it
/// gives the columns that these need. Nothing where other parts of it refer to outer columns.
RelationPtr without_outer_terms(const RelationPtr& relation, const std::set<ColumnId>& outer,
                                Expressions& terms) {
  const auto is_outer = [&](const Expression& expression) {
    const std::set<ColumnId> used = columns_of(expression);
    return std::ranges::any_of(used, [&](ColumnId c) { return outer.contains(c); });
  };
  const std::set<ColumnId> free = free_columns(*relation);
  if (std::ranges::none_of(free, [&](ColumnId c) { return outer.contains(c); })) return relation;
  const bool is_inner_join =
      relation->kind == RelationKind::kJoin && relation->join == JoinKind::kInner;
  if (relation->kind == RelationKind::kFilter || is_inner_join) {
    Expressions stay;
    for (const ExpressionPtr& term : conjuncts(relation->condition))
      (is_outer(*term) ? terms : stay).push_back(term);
    std::vector<RelationPtr> inputs;
    for (const RelationPtr& input : relation->inputs) {
      inputs.push_back(without_outer_terms(input, outer, terms));
      if (!inputs.back()) return nullptr;
    }
    if (is_inner_join) return join(JoinKind::kInner, inputs[0], inputs[1], all_of(std::move(stay)));
    return filter(inputs[0], all_of(std::move(stay)));
  }
  if (relation->kind == RelationKind::kProject) {
    if (std::ranges::any_of(relation->computed,
                            [&](const Computed& one) { return is_outer(*one.value); }))
      return nullptr;
    const RelationPtr input = without_outer_terms(relation->inputs[0], outer, terms);
    if (!input) return nullptr;
    std::vector<Computed> computed = relation->computed;
    std::set<ColumnId> needed;
    for (const ExpressionPtr& term : terms) add_columns(*term, needed);
    const std::set<ColumnId> given = columns_of(*relation);
    for (const ExpressionPtr& of : input->columns)
      if (needed.contains(of->column) && !given.contains(of->column)) computed.push_back({of, of});
    return project(input, std::move(computed));
  }
  return nullptr;
}

class Unnesting {
 public:
  Unnesting(const RelationPtr& left, std::set<ColumnId> outer, ColumnNumbers& numbers)
      : left_(left), outer_(std::move(outer)), numbers_(numbers) {}

  /// `may_miss`: that there is no row for a value is the same as one of NULLs.
  Pushed push(const RelationPtr& relation, bool may_miss) {
    const std::set<ColumnId> free = free_here(*relation);
    if (free.empty()) return with_domain(relation);
    switch (relation->kind) {
      case RelationKind::kFilter:
        return push_filter(*relation, may_miss);
      case RelationKind::kProject:
        return push_project(*relation, may_miss);
      case RelationKind::kAggregate:
        return push_aggregate(*relation, may_miss);
      case RelationKind::kJoin:
        return push_join(*relation);
      case RelationKind::kWindow:
        return push_window(*relation);
      case RelationKind::kSort:
      case RelationKind::kShared:
        return push(relation->inputs[0], may_miss);
      case RelationKind::kLimit:
        return push_limit(*relation);
      case RelationKind::kUnion:
      case RelationKind::kIntersect:
      case RelationKind::kExcept:
        return push_set(*relation);
      case RelationKind::kValues:
        return push_values(*relation);
      default:
        throw UsageError("a recursive query cannot refer to columns of the query around it");
    }
  }

 private:
  std::set<ColumnId> free_here(const Relation& relation) const {
    std::set<ColumnId> free;
    for (const ColumnId column : free_columns(relation))
      if (outer_.contains(column)) free.insert(column);
    return free;
  }

  /// Together with each different value of the outer columns.
  Pushed with_domain(const RelationPtr& relation) {
    Stand stand;
    const RelationPtr domain = make_domain(stand);
    return {join(JoinKind::kInner, relation, domain, nullptr), stand};
  }

  RelationPtr make_domain(Stand& stand) {
    std::vector<Computed> groups;
    for (const ExpressionPtr& of : left_->columns) {
      if (!outer_.contains(of->column)) continue;
      groups.push_back({numbers_.like(*of), of});
      stand[of->column] = groups.back().column;
    }
    return aggregate(left_, std::move(groups), {});
  }

  Pushed push_filter(const Relation& relation, bool may_miss) {
    const RelationPtr& input = relation.inputs[0];
    if (free_here(*input).empty()) {
      // An equality gives each of the columns a place on this side.
      Stand stand;
      Expressions others;
      for (const ExpressionPtr& term : conjuncts(relation.condition))
        if (!take_equality(*term, *input, stand)) others.push_back(term);
      if (stand.size() == outer_.size()) {
        for (ExpressionPtr& term : others) term = replace_columns(term, replacing(stand));
        // What equals something is not NULL.
        for (const auto& [column, value] : stand)
          if (value->nullable) others.push_back(negation(is_null(value)));
        return {filter(input, all_of(std::move(others))), stand};
      }
    }
    Pushed below = push(input, may_miss);
    return {filter(below.relation, replace_columns(relation.condition, replacing(below.stand))),
            below.stand};
  }

  bool take_equality(const Expression& term, const Relation& input, Stand& stand) const {
    if (term.kind != ExpressionKind::kCall || term.function->name != "=") return false;
    for (const int side : {0, 1}) {
      const ExpressionPtr& outer = term.arguments[static_cast<std::size_t>(side)];
      const ExpressionPtr& inner = term.arguments[static_cast<std::size_t>(1 - side)];
      if (!outer->is_column() || !outer_.contains(outer->column)) continue;
      if (stand.contains(outer->column)) continue;
      const std::set<ColumnId> below = columns_of(input);
      if (!inner->is_column() || !below.contains(inner->column)) continue;
      stand[outer->column] = inner;
      return true;
    }
    return false;
  }

  Pushed push_project(const Relation& relation, bool may_miss) {
    // A column that takes the place of an outer one is given, too.
    Pushed below = push(relation.inputs[0], may_miss);
    std::vector<Computed> computed = relation.computed;
    for (Computed& one : computed) one.value = replace_columns(one.value, replacing(below.stand));
    Stand stand;
    for (const auto& [column, value] : below.stand) {
      computed.push_back({numbers_.like(*value), value});
      stand[column] = computed.back().column;
    }
    return {project(below.relation, std::move(computed)), stand};
  }

  Pushed push_aggregate(const Relation& relation, bool may_miss) {
    Pushed below = push(relation.inputs[0], false);
    const ReplaceColumn replace = replacing(below.stand);
    std::vector<Computed> groups = relation.computed;
    for (Computed& group : groups) group.value = replace_columns(group.value, replace);
    Stand stand;
    for (const auto& [column, value] : below.stand) {
      groups.push_back({numbers_.like(*value), value});
      stand[column] = groups.back().column;
    }
    std::vector<AggregateItem> aggregates = relation.aggregates;
    for (AggregateItem& item : aggregates) {
      for (ExpressionPtr& argument : item.arguments) argument = replace_columns(argument, replace);
      if (item.filter) item.filter = replace_columns(item.filter, replace);
    }
    const bool one_row = relation.computed.empty();
    if (!one_row || (may_miss && null_if_empty(relation)))
      return {aggregate(below.relation, std::move(groups), std::move(aggregates)), stand};
    // There is a row where nothing was aggregated, too: NULLs, and counts of 0.
    std::map<ColumnId, bool> counts;
    std::vector<Computed> shown;
    for (AggregateItem& item : aggregates) {
      const ExpressionPtr inside = numbers_.like(*item.column);
      const bool is_count = item.function == "count";
      shown.push_back({item.column, is_count
                                        ? coalesce({inside, constant(Value::counted(kInt64, 0))})
                                        : inside});
      item.column = inside;
    }
    const RelationPtr grouped = aggregate(below.relation, std::move(groups), std::move(aggregates));
    Stand of_domain;
    const RelationPtr domain = make_domain(of_domain);
    Expressions equal;
    for (const auto& [column, value] : of_domain) {
      equal.push_back(call("is not distinct from", {value, stand[column]}));
      shown.push_back({numbers_.like(*value), value});
      of_domain[column] = shown.back().column;
    }
    return {
        project(join(JoinKind::kLeft, domain, grouped, all_of(std::move(equal))), std::move(shown)),
        of_domain};
  }

  Pushed push_join(const Relation& relation) {
    const RelationPtr& left = relation.inputs[0];
    const RelationPtr& right = relation.inputs[1];
    const bool left_free = !free_here(*left).empty();
    const bool right_free = !free_here(*right).empty();
    const bool inner = relation.join == JoinKind::kInner;
    Expressions terms = conjuncts(relation.condition);
    if (inner && !left_free && !right_free) {
      // Only the condition refers to them.
      const RelationPtr product = join(JoinKind::kInner, left, right, nullptr);
      return push(filter(product, relation.condition), false);
    }
    if (inner && !(left_free && right_free)) {
      Pushed side = push(left_free ? left : right, false);
      const ExpressionPtr condition = replace_columns(relation.condition, replacing(side.stand));
      return {left_free ? join(relation.join, side.relation, right, condition)
                        : join(relation.join, left, side.relation, condition),
              side.stand};
    }
    Pushed first = push(left, false);
    if (!right_free && relation.join != JoinKind::kFull) {
      const ExpressionPtr condition = replace_columns(relation.condition, replacing(first.stand));
      return {join(relation.join, first.relation, right, condition, relation.mark), first.stand};
    }
    Pushed second = push(right, false);
    const ExpressionPtr condition = replace_columns(relation.condition, replacing(first.stand));
    Expressions equal{condition};
    for (const auto& [column, value] : first.stand)
      equal.push_back(call("is not distinct from", {value, second.stand[column]}));
    const RelationPtr joined = join(relation.join, first.relation, second.relation,
                                    all_of(std::move(equal)), relation.mark);
    if (relation.join != JoinKind::kFull) return {joined, first.stand};
    std::vector<Computed> computed;
    Stand stand;
    for (const ExpressionPtr& of : joined->columns) computed.push_back({of, of});
    for (const auto& [column, value] : first.stand) {
      const ExpressionPtr either = coalesce({value, second.stand[column]});
      computed.push_back({numbers_.like(*either), either});
      stand[column] = computed.back().column;
    }
    return {project(joined, std::move(computed)), stand};
  }

  Pushed push_window(const Relation& relation) {
    Pushed below = push(relation.inputs[0], false);
    const ReplaceColumn replace = replacing(below.stand);
    std::vector<WindowItem> windows = relation.windows;
    for (WindowItem& item : windows) {
      for (ExpressionPtr& argument : item.arguments) argument = replace_columns(argument, replace);
      for (ExpressionPtr& value : item.partition) value = replace_columns(value, replace);
      for (SortItem& by : item.order) by.value = replace_columns(by.value, replace);
      for (FrameEnd* const end : {&item.begin, &item.end})
        if (end->offset) end->offset = replace_columns(end->offset, replace);
      if (item.filter) item.filter = replace_columns(item.filter, replace);
      for (const auto& [column, value] : below.stand) item.partition.push_back(value);
    }
    return {window(below.relation, std::move(windows)), below.stand};
  }

  /// The first rows for each value: those with the least numbers.
  Pushed push_limit(const Relation& relation) {
    const RelationPtr& input = relation.inputs[0];
    std::vector<SortItem> order;
    if (input->kind == RelationKind::kSort) order = input->order;
    Pushed below = push(input, false);
    WindowItem number{.column = numbers_.make(kInt64, "row_number", {}, false),
                      .function = "row_number"};
    for (SortItem& by : order) by.value = replace_columns(by.value, replacing(below.stand));
    number.order = std::move(order);
    for (const auto& [column, value] : below.stand) number.partition.push_back(value);
    const ExpressionPtr row = number.column;
    const RelationPtr numbered = window(below.relation, {number});
    Expressions terms{call(">", {row, constant(Value::counted(kInt64, relation.offset))})};
    if (relation.limit < INT64_MAX - relation.offset)
      terms.push_back(
          call("<=", {row, constant(Value::counted(kInt64, relation.offset + relation.limit))}));
    return {filter(numbered, all_of(std::move(terms))), below.stand};
  }

  Pushed push_set(const Relation& relation) {
    Relation copy = relation;
    Stand stand;
    for (std::size_t i = 0; i < copy.inputs.size(); ++i) {
      Pushed below = push(copy.inputs[i], false);
      copy.inputs[i] = below.relation;
      for (ExpressionPtr& value : copy.given[i])
        value = replace_columns(value, replacing(below.stand));
      for (const auto& [column, value] : below.stand) {
        copy.given[i].push_back(value);
        if (i > 0) continue;
        copy.columns.push_back(numbers_.like(*value));
        stand[column] = copy.columns.back();
      }
    }
    return {std::make_shared<const Relation>(std::move(copy)), stand};
  }

  Pushed push_values(const Relation& relation) {
    Stand stand;
    const RelationPtr domain = make_domain(stand);
    if (relation.rows.size() != 1)
      throw UsageError("VALUES of several rows cannot refer to columns of the query around them");
    std::vector<Computed> computed;
    for (std::size_t i = 0; i < relation.columns.size(); ++i)
      computed.push_back(
          {relation.columns[i], replace_columns(relation.rows[0][i], replacing(stand))});
    for (const auto& [column, value] : stand) {
      computed.push_back({numbers_.like(*value), value});
      stand[column] = computed.back().column;
    }
    return {project(domain, std::move(computed)), stand};
  }

  RelationPtr left_;
  std::set<ColumnId> outer_;
  ColumnNumbers& numbers_;
};

}  // namespace

RelationPtr dependent_join(JoinKind kind, const RelationPtr& left, const RelationPtr& right,
                           const ExpressionPtr& condition, const ExpressionPtr& mark,
                           ColumnNumbers& numbers) {
  std::set<ColumnId> outer;
  const std::set<ColumnId> given = columns_of(*left);
  for (const ColumnId column : free_columns(*right))
    if (given.contains(column)) outer.insert(column);
  if (outer.empty()) return join(kind, left, right, condition, mark);
  // Where it is only filtered by them, that is a condition of the join.
  Expressions lifted;
  if (const RelationPtr plain = without_outer_terms(right, outer, lifted)) {
    if (condition) lifted.push_back(condition);
    return join(kind, left, plain, all_of(std::move(lifted)), mark);
  }
  Unnesting unnesting(left, outer, numbers);
  const bool may_miss = kind == JoinKind::kSingle && null_if_empty(*right);
  const Pushed pushed = unnesting.push(right, may_miss);
  Expressions terms;
  if (condition) terms.push_back(condition);
  for (const ExpressionPtr& of : left->columns) {
    const auto found = pushed.stand.find(of->column);
    if (found == pushed.stand.end()) continue;
    const bool plain = !of->nullable || !found->second->nullable;
    terms.push_back(call(plain ? "=" : "is not distinct from", {of, found->second}));
  }
  return join(kind, left, pushed.relation, all_of(std::move(terms)), mark);
}

}  // namespace grappa::query
