#include <algorithm>
#include <map>
#include <utility>

#include "grappa/query/plan/optimizer.hpp"

namespace grappa::query {
namespace {

bool same_values(const Expressions& a, const Expressions& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return same(*x, *y); });
}

/// Aggregates over the same different values.
struct DistinctSet {
  Expressions arguments;
  ExpressionPtr filter;
  std::vector<AggregateItem> items;
};

class ExpandDistinct {
 public:
  explicit ExpandDistinct(ColumnNumbers& numbers) : numbers_(numbers) {}

  RelationPtr expand(const RelationPtr& relation) {
    const auto known = done_.find(relation);
    if (known != done_.end()) return known->second;
    std::vector<RelationPtr> inputs;
    bool changed = false;
    for (const RelationPtr& input : relation->inputs) {
      inputs.push_back(expand(input));
      changed |= inputs.back() != input;
    }
    RelationPtr made = changed ? with_inputs(*relation, std::move(inputs)) : relation;
    const bool has_distinct = std::ranges::any_of(
        made->aggregates, [](const AggregateItem& item) { return item.distinct; });
    if (has_distinct) made = expand_here(*made);
    done_[relation] = made;
    return made;
  }

 private:
  RelationPtr expand_here(const Relation& relation) {
    std::vector<AggregateItem> plain;
    std::vector<DistinctSet> sets;
    for (const AggregateItem& item : relation.aggregates) {
      if (!item.distinct)
        plain.push_back(item);
      else
        set_for(item, sets).items.push_back(item);
    }
    if (plain.empty() && sets.size() == 1 && !sets[0].filter)
      return aggregate_set(relation.inputs[0], relation.computed, sets[0]);
    // Each set by itself, joined by the groups. Those of the rows without a filter are all groups.
    Relation shared{.kind = RelationKind::kShared, .inputs = {relation.inputs[0]}};
    shared.columns = relation.inputs[0]->columns;
    const RelationPtr input = std::make_shared<const Relation>(std::move(shared));
    RelationPtr all = aggregate(input, relation.computed, std::move(plain));
    std::vector<Computed> shown;
    for (const ExpressionPtr& of : all->columns) shown.push_back({of, of});
    for (const DistinctSet& set : sets) all = join_set(all, input, relation.computed, set, shown);
    return project(all, std::move(shown));
  }

  static DistinctSet& set_for(const AggregateItem& item, std::vector<DistinctSet>& sets) {
    for (DistinctSet& set : sets) {
      const bool same_filter = set.filter == item.filter ||
                               (set.filter && item.filter && same(*set.filter, *item.filter));
      if (same_filter && same_values(set.arguments, item.arguments)) return set;
    }
    sets.push_back({item.arguments, item.filter, {}});
    return sets.back();
  }

  /// Groups of the different values first, then of the groups.
  RelationPtr aggregate_set(const RelationPtr& input, const std::vector<Computed>& groups,
                            const DistinctSet& set) {
    std::vector<Computed> inner;
    std::vector<Computed> outer;
    for (const Computed& group : groups) {
      inner.push_back({numbers_.like(*group.column), group.value});
      outer.push_back({group.column, inner.back().column});
    }
    Expressions arguments;
    for (const ExpressionPtr& argument : set.arguments) {
      inner.push_back({numbers_.like(*argument), argument});
      arguments.push_back(inner.back().column);
    }
    std::vector<AggregateItem> items = set.items;
    for (AggregateItem& item : items) {
      // Of rows of several values: each is one.
      item.arguments = arguments.size() > 1 && item.function == "count" ? Expressions() : arguments;
      item.distinct = false;
      item.filter = nullptr;
    }
    return aggregate(aggregate(filter(input, set.filter), std::move(inner), {}), std::move(outer),
                     std::move(items));
  }

  RelationPtr join_set(const RelationPtr& all, const RelationPtr& input,
                       const std::vector<Computed>& groups, const DistinctSet& set,
                       std::vector<Computed>& shown) {
    std::vector<Computed> again;
    Expressions equal;
    for (const Computed& group : groups) {
      again.push_back({numbers_.like(*group.column), group.value});
      equal.push_back(call("is not distinct from", {group.column, again.back().column}));
    }
    DistinctSet inside = set;
    for (AggregateItem& item : inside.items) {
      const ExpressionPtr column = numbers_.like(*item.column);
      const bool is_count = item.function == "count";
      shown.push_back({item.column, is_count
                                        ? coalesce({column, constant(Value::counted(kInt64, 0))})
                                        : column});
      item.column = column;
    }
    const JoinKind kind = set.filter ? JoinKind::kLeft : JoinKind::kInner;
    return join(kind, all, aggregate_set(input, again, inside), all_of(std::move(equal)));
  }

  ColumnNumbers& numbers_;
  std::map<RelationPtr, RelationPtr> done_;
};

}  // namespace

RelationPtr expand_distinct(const RelationPtr& relation, ColumnNumbers& numbers) {
  return ExpandDistinct(numbers).expand(relation);
}

}  // namespace grappa::query
