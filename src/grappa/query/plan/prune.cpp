#include <algorithm>
#include <map>
#include <utility>

#include "grappa/query/plan/optimizer.hpp"

namespace grappa::query {
namespace {

using Columns = std::set<ColumnId>;

Columns needed_here(const Relation& relation, Columns needed) {
  for_each_expression(relation, [&](const Expression& e) { add_columns(e, needed); });
  return needed;
}

class Prune {
 public:
  /// What all users of what is shared need: counted first, so that it is pruned once.
  void note_shared(const RelationPtr& relation, const Columns& needed) {
    visit(relation, needed, [&](const RelationPtr& shared, const Columns& of) {
      shared_needs_[shared.get()].insert(of.begin(), of.end());
    });
  }

  RelationPtr prune(const RelationPtr& relation, const Columns& needed) {
    switch (relation->kind) {
      case RelationKind::kScan:
        return prune_scan(*relation, needed);
      case RelationKind::kProject:
        return prune_project(*relation, needed);
      case RelationKind::kAggregate:
        return prune_aggregate(*relation, needed);
      case RelationKind::kFilter:
        return prune_filter(*relation, needed);
      case RelationKind::kWindow:
        return prune_window(*relation, needed);
      case RelationKind::kUnion:
        return prune_union(*relation, needed);
      case RelationKind::kJoin:
      case RelationKind::kSort:
      case RelationKind::kLimit:
        return prune_inputs(*relation, needed_here(*relation, needed));
      case RelationKind::kShared:
        return prune_shared(relation);
      default:
        return prune_all_of_inputs(relation);
    }
  }

 private:
  template <class F>
  void visit(const RelationPtr& relation, const Columns& needed, const F& f) {
    if (relation->kind == RelationKind::kShared) f(relation, needed);
    if (relation->kind == RelationKind::kUnion) {
      for (std::size_t i = 0; i < relation->inputs.size(); ++i) {
        Columns given;
        for (const ExpressionPtr& value : relation->given[i]) add_columns(*value, given);
        visit(relation->inputs[i], given, f);
      }
      return;
    }
    const bool needs_all =
        relation->kind == RelationKind::kShared || relation->kind == RelationKind::kIntersect ||
        relation->kind == RelationKind::kExcept || relation->kind == RelationKind::kFixpoint;
    const bool narrows =
        relation->kind == RelationKind::kProject || relation->kind == RelationKind::kAggregate;
    for (const RelationPtr& input : relation->inputs) {
      if (needs_all)
        visit(input, columns_of(*input), f);
      else
        visit(input, needed_here(*relation, narrows ? Columns{} : needed), f);
    }
  }

  static Expressions of_these(const Expressions& columns, const Columns& needed) {
    Expressions kept;
    for (const ExpressionPtr& of : columns)
      if (needed.contains(of->column)) kept.push_back(of);
    return kept;
  }

  RelationPtr prune_scan(const Relation& relation, const Columns& needed) {
    if (relation.condition) {
      // Blocks are left out by columns that are read.
      Expressions terms;
      for (const ExpressionPtr& term : conjuncts(relation.condition)) {
        const Columns used = columns_of(*term);
        if (std::ranges::all_of(used, [&](ColumnId c) { return needed.contains(c); }))
          terms.push_back(term);
      }
      Relation copy = relation;
      copy.condition = all_of(std::move(terms));
      return keep_columns(std::move(copy), needed);
    }
    return keep_columns(relation, needed);
  }
  static RelationPtr keep_columns(Relation relation, const Columns& needed) {
    Expressions columns;
    std::vector<std::size_t> table_columns;
    for (std::size_t i = 0; i < relation.columns.size(); ++i) {
      if (!needed.contains(relation.columns[i]->column)) continue;
      columns.push_back(relation.columns[i]);
      table_columns.push_back(relation.table_columns[i]);
    }
    relation.columns = std::move(columns);
    relation.table_columns = std::move(table_columns);
    return std::make_shared<const Relation>(std::move(relation));
  }

  RelationPtr prune_project(const Relation& relation, const Columns& needed) {
    Relation copy = relation;
    std::erase_if(copy.computed,
                  [&](const Computed& one) { return !needed.contains(one.column->column); });
    copy.columns = of_these(copy.columns, needed);
    return merged(prune_inputs(copy, needed_here(copy, {})));
  }

  /// One that only names the columns of another, and that one, are one.
  static RelationPtr merged(const RelationPtr& relation) {
    const RelationPtr& inner = relation->inputs[0];
    const auto only_names = [](const Relation& of) {
      return std::ranges::all_of(of.computed,
                                 [](const Computed& c) { return c.value->is_column(); });
    };
    if (inner->kind != RelationKind::kProject || (!only_names(*relation) && !only_names(*inner)))
      return relation;
    std::vector<Computed> computed = relation->computed;
    for (Computed& one : computed) {
      one.value = replace_columns(one.value, [&](const Expression& of) -> ExpressionPtr {
        for (const Computed& below : inner->computed)
          if (below.column->column == of.column) return below.value;
        return nullptr;
      });
    }
    return project(inner->inputs[0], std::move(computed));
  }

  RelationPtr prune_aggregate(const Relation& relation, const Columns& needed) {
    Relation copy = relation;
    std::erase_if(copy.aggregates,
                  [&](const AggregateItem& item) { return !needed.contains(item.column->column); });
    Columns kept = needed;
    for (const Computed& group : copy.computed) kept.insert(group.column->column);
    copy.columns = of_these(copy.columns, kept);
    return prune_inputs(copy, needed_here(copy, {}));
  }

  RelationPtr prune_window(const Relation& relation, const Columns& needed) {
    Relation copy = relation;
    std::erase_if(copy.windows,
                  [&](const WindowItem& item) { return !needed.contains(item.column->column); });
    if (copy.windows.empty()) return prune(relation.inputs[0], needed);
    Columns below = needed_here(copy, needed);
    for (const WindowItem& item : copy.windows) below.erase(item.column->column);
    return prune_inputs(copy, below);
  }

  RelationPtr prune_union(const Relation& relation, const Columns& needed) {
    Relation copy = relation;
    copy.columns = of_these(relation.columns, needed);
    for (std::size_t i = 0; i < copy.inputs.size(); ++i) {
      Expressions given;
      Columns below;
      for (std::size_t c = 0; c < relation.columns.size(); ++c) {
        if (!needed.contains(relation.columns[c]->column)) continue;
        given.push_back(relation.given[i][c]);
        add_columns(*given.back(), below);
      }
      copy.given[i] = std::move(given);
      copy.inputs[i] = prune(relation.inputs[i], below);
    }
    return std::make_shared<const Relation>(std::move(copy));
  }

  /// A filter by a mark alone is a semi join.
  RelationPtr prune_filter(const Relation& relation, const Columns& needed) {
    const RelationPtr& input = relation.inputs[0];
    if (input->kind == RelationKind::kJoin && input->join == JoinKind::kMark &&
        !needed.contains(input->mark->column)) {
      const ColumnId mark = input->mark->column;
      Expressions others;
      int uses = 0;
      bool is_anti = false;
      for (const ExpressionPtr& term : conjuncts(relation.condition)) {
        const bool plain = term->is_column() && term->column == mark;
        const bool negated = term->kind == ExpressionKind::kNot &&
                             term->arguments[0]->is_column() && term->arguments[0]->column == mark;
        if (plain || negated) {
          ++uses;
          is_anti = negated;
        } else {
          others.push_back(term);
          uses += columns_of(*term).contains(mark) ? 2 : 0;
        }
      }
      if (uses == 1) {
        const RelationPtr semi = join(is_anti ? JoinKind::kAnti : JoinKind::kSemi, input->inputs[0],
                                      input->inputs[1], input->condition);
        return prune(filter(semi, all_of(std::move(others))), needed);
      }
    }
    return prune_inputs(relation, needed_here(relation, needed));
  }

  RelationPtr prune_inputs(const Relation& relation, const Columns& needed) {
    std::vector<RelationPtr> inputs;
    for (const RelationPtr& input : relation.inputs) inputs.push_back(prune(input, needed));
    return with_inputs(relation, std::move(inputs));
  }

  RelationPtr prune_all_of_inputs(const RelationPtr& relation) {
    if (relation->inputs.empty()) return relation;
    std::vector<RelationPtr> inputs;
    for (const RelationPtr& input : relation->inputs)
      inputs.push_back(prune(input, columns_of(*input)));
    return with_inputs(*relation, std::move(inputs));
  }

  RelationPtr prune_shared(const RelationPtr& relation) {
    const auto known = shared_.find(relation.get());
    if (known != shared_.end()) return known->second;
    const Columns& needed = shared_needs_[relation.get()];
    Relation copy = *relation;
    copy.inputs = {prune(relation->inputs[0], needed)};
    copy.columns = of_these(relation->columns, needed);
    RelationPtr made = std::make_shared<const Relation>(std::move(copy));
    shared_[relation.get()] = made;
    return made;
  }

  std::map<const Relation*, Columns> shared_needs_;
  std::map<const Relation*, RelationPtr> shared_;
};

}  // namespace

RelationPtr prune_columns(const RelationPtr& relation, const std::set<ColumnId>& needed) {
  Prune prune;
  prune.note_shared(relation, needed);
  return prune.prune(relation, needed);
}

}  // namespace grappa::query
