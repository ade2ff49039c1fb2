#include "grappa/query/sql/bind_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

/// Groups of a grouping set, by their places in SelectParts::groups.
using GroupSet = std::vector<std::size_t>;
using GroupSets = std::vector<GroupSet>;

constexpr std::size_t kMostOfCube = 12;
constexpr std::size_t kMostOfGrouping = 31;

/// Which columns of a select are groups: each expression, and the column that stands for it.
ExpressionPtr with_groups(const ExpressionPtr& expression, const std::vector<Computed>& groups) {
  return replace_parts(expression, [&](const ExpressionPtr& part) -> ExpressionPtr {
    for (const Computed& group : groups)
      if (same(*part, *group.value)) return group.column;
    return nullptr;
  });
}

class GroupBinder {
 public:
  GroupBinder(BindContext& context, const Select& select, const Scope& scope,
              const ExpressionBinder::Alias& alias, SelectParts& parts)
      : context_(context),
        select_(select),
        parts_(parts),
        binder_(context, scope, "GROUP BY"),
        place_(select.items[0].value.position) {
    binder_.share_subqueries(parts.known_subqueries);
    binder_.set_aliases(alias);
  }

  RelationPtr group(RelationPtr relation) {
    const GroupSets sets = bind_sets();
    // What is grouped by has to be there before, whoever asked for it first.
    relation = attach(take_grouped_subqueries(), std::move(relation), context_.numbers);
    relation = binder_.attach_subqueries(relation);
    refuse_aggregates();
    relation = attach(parts_.aggregates.subqueries, std::move(relation), context_.numbers);
    const RelationPtr grouped = relation;
    inside_ = columns_of(*grouped);
    relation = sets.size() == 1 ? one_set(relation, sets[0]) : union_of(relation, sets);
    regroup_parts();
    regroup_subqueries(*grouped);
    return relation;
  }

 private:
  [[noreturn]] void fail(Position position, const std::string& message) const {
    throw SyntaxError(context_.text, position, message);
  }

  // ---- Which groups

  /// One set of groups for each grouping; the expressions of all in parts_.groups.
  GroupSets bind_sets() {
    GroupSets sets{{}};
    if (select_.groups_by_all) sets[0] = all_without_aggregates();
    for (const GroupingElement& element : select_.group_by) {
      GroupSets product;
      const GroupSets of_element = sets_of(element);
      for (const GroupSet& before : sets) {
        for (const GroupSet& set : of_element) {
          product.push_back(before);
          product.back().insert(product.back().end(), set.begin(), set.end());
        }
      }
      sets = std::move(product);
    }
    return sets;
  }

  /// GROUP BY ALL.
  GroupSet all_without_aggregates() {
    GroupSet set;
    const std::set<ColumnId> aggregated = aggregate_columns();
    for (const SelectItemValue& item : parts_.items) {
      const std::set<ColumnId> used = columns_of(*item.value);
      if (std::ranges::none_of(used, [&](ColumnId column) { return aggregated.contains(column); }))
        set.push_back(place_of_group(item.value));
    }
    return set;
  }

  GroupSets sets_of(const GroupingElement& element) {
    if (element.kind == GroupingKind::kSet) {
      GroupSet set;
      for (const Expression& expression : element.expressions) {
        const auto place = position_of(expression, parts_.items.size(), context_.text);
        set.push_back(
            place_of_group(place ? parts_.items[*place].value : binder_.bind(expression)));
      }
      return {set};
    }
    GroupSets elements;
    for (const GroupingElement& inner : element.elements)
      std::ranges::move(sets_of(inner), std::back_inserter(elements));
    if (element.kind == GroupingKind::kGroupingSets) return elements;
    if (elements.size() > kMostOfCube) fail(element.position, "too many columns in ROLLUP or CUBE");
    const auto join = [&](std::size_t mask) {
      GroupSet set;
      for (std::size_t i = 0; i < elements.size(); ++i)
        if ((mask >> i & 1) != 0) set.insert(set.end(), elements[i].begin(), elements[i].end());
      return set;
    };
    GroupSets sets;
    if (element.kind == GroupingKind::kRollup) {
      for (std::size_t n = elements.size() + 1; n-- > 0;)
        sets.push_back(join((std::size_t{1} << n) - 1));
    } else {
      for (std::size_t mask = std::size_t{1} << elements.size(); mask-- > 0;)
        sets.push_back(join(mask));
    }
    return sets;
  }

  std::optional<std::size_t> find_group(const query::Expression& value) const {
    for (std::size_t i = 0; i < parts_.groups.size(); ++i)
      if (same(*parts_.groups[i].value, value)) return i;
    return std::nullopt;
  }

  std::size_t place_of_group(ExpressionPtr value) {
    if (const auto known = find_group(*value)) return *known;
    parts_.groups.push_back({context_.numbers.like(*value), std::move(value)});
    return parts_.groups.size() - 1;
  }

  /// Of what is known behind the groups only.
  std::set<ColumnId> aggregate_columns() const {
    std::set<ColumnId> columns;
    for (const AggregateItem& item : parts_.aggregates.items) columns.insert(item.column->column);
    for (const GroupingCall& call : parts_.aggregates.groupings)
      columns.insert(call.column->column);
    return columns;
  }

  void refuse_aggregates() const {
    const std::set<ColumnId> known = aggregate_columns();
    for (const Computed& group : parts_.groups)
      for (const ColumnId column : columns_of(*group.value))
        if (known.contains(column))
          fail(select_.group_by.empty() ? Position{} : select_.group_by[0].position,
               "GROUP BY cannot have aggregates");
  }

  /// Those that groups are made of, and what these refer to.
  std::vector<Subquery> take_grouped_subqueries() {
    std::set<ColumnId> needed;
    for (const Computed& group : parts_.groups) add_columns(*group.value, needed);
    std::vector<Subquery> taken;
    for (std::size_t i = parts_.subqueries.size(); i-- > 0;) {
      const Subquery& subquery = parts_.subqueries[i];
      std::set<ColumnId> gives = columns_of(*subquery.right);
      if (subquery.mark) gives = {subquery.mark->column};
      if (std::ranges::none_of(gives, [&](ColumnId c) { return needed.contains(c); })) continue;
      if (subquery.condition) add_columns(*subquery.condition, needed);
      needed.merge(free_columns(*subquery.right));
      taken.insert(taken.begin(), subquery);
      parts_.subqueries.erase(parts_.subqueries.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return taken;
  }

  // ---- Grouping

  RelationPtr one_set(const RelationPtr& relation, const GroupSet& set) {
    RelationPtr made = aggregate(relation, parts_.groups, parts_.aggregates.items);
    if (parts_.aggregates.groupings.empty()) return made;
    std::vector<Computed> computed;
    for (const ExpressionPtr& of : made->columns) computed.push_back({of, of});
    for (const GroupingCall& call : parts_.aggregates.groupings)
      computed.push_back({call.column, bits_of(call, set)});
    return project(std::move(made), std::move(computed));
  }

  RelationPtr union_of(const RelationPtr& relation, const GroupSets& sets) {
    Relation shared{.kind = RelationKind::kShared, .inputs = {relation}};
    shared.columns = relation->columns;
    const RelationPtr input = std::make_shared<const Relation>(std::move(shared));
    Relation made{.kind = RelationKind::kUnion};
    for (const GroupSet& set : sets) {
      Expressions given;
      std::vector<Computed> groups;
      for (std::size_t i = 0; i < parts_.groups.size(); ++i) {
        const Type type = parts_.groups[i].column->type;
        if (std::ranges::find(set, i) == set.end()) {
          given.push_back(constant(Value::null(type)));
        } else {
          const ExpressionPtr& value = parts_.groups[i].value;
          groups.push_back({context_.numbers.like(*value), value});
          given.push_back(groups.back().column);
        }
      }
      std::vector<AggregateItem> items = parts_.aggregates.items;
      for (AggregateItem& item : items) {
        item.column = context_.numbers.like(*item.column);
        given.push_back(item.column);
      }
      for (const GroupingCall& call : parts_.aggregates.groupings)
        given.push_back(bits_of(call, set));
      made.inputs.push_back(aggregate(input, std::move(groups), std::move(items)));
      made.given.push_back(std::move(given));
    }
    for (Computed& g : parts_.groups) {
      // Which expressions refer to from here on.
      g.column = column(g.column->column, g.column->type, g.column->name, {}, true);
      made.columns.push_back(g.column);
    }
    for (const AggregateItem& item : parts_.aggregates.items) made.columns.push_back(item.column);
    for (const GroupingCall& call : parts_.aggregates.groupings)
      made.columns.push_back(call.column);
    return std::make_shared<const Relation>(std::move(made));
  }

  /// What grouping() is in a set: a bit for each argument, the last one the lowest, that is set
  /// where the set does not group by it.
  ExpressionPtr bits_of(const GroupingCall& call, const GroupSet& set) const {
    if (call.arguments.size() > kMostOfGrouping)
      fail(call.position, fmt::format("grouping takes at most {} columns", kMostOfGrouping));
    std::int64_t bits = 0;
    for (const ExpressionPtr& argument : call.arguments) {
      const auto group = find_group(*argument);
      if (!group) fail(call.position, "grouping takes what is in GROUP BY");
      bits = bits * 2 + (std::ranges::find(set, *group) == set.end() ? 1 : 0);
    }
    return constant(Value::counted(call.column->type, bits));
  }

  // ---- From here on the groups are what expressions refer to

  void regroup(ExpressionPtr& value) const { value = with_groups(value, parts_.groups); }
  void regroup_and_check(ExpressionPtr& value, std::optional<Position> position,
                         const std::string& what) const {
    regroup(value);
    check_grouped(*value, position, what);
  }

  void regroup_parts() {
    for (SelectItemValue& item : parts_.items)
      regroup_and_check(item.value, item.position, item.name);
    for (query::SortItem& item : parts_.order) regroup_and_check(item.value, place_, "ORDER BY");
    if (parts_.having) regroup_and_check(parts_.having, select_.having->position, "HAVING");
    if (parts_.qualify) regroup(parts_.qualify);
    for (ExpressionPtr& value : parts_.distinct_on) regroup(value);
    for (WindowItem& item : parts_.windows) {
      if (item.filter) regroup(item.filter);
      for (ExpressionPtr& value : item.arguments) regroup_and_check(value, place_, "");
      for (ExpressionPtr& value : item.partition) regroup_and_check(value, place_, "");
      for (query::SortItem& by : item.order) regroup_and_check(by.value, place_, "");
    }
  }

  void regroup_subqueries(const Relation& grouped) {
    const ReplaceColumn replace = [&](const query::Expression& of) -> ExpressionPtr {
      for (const Computed& g : parts_.groups)
        if (g.value->is_column() && g.value->column == of.column) return g.column;
      return nullptr;
    };
    for (Subquery& subquery : parts_.subqueries) {
      subquery.right = replace_columns(subquery.right, replace);
      if (subquery.condition) regroup(subquery.condition);
      const std::set<ColumnId> free = free_columns(*subquery.right);
      for (const ExpressionPtr& of : grouped.columns)
        if (free.contains(of->column)) check_grouped(*of, place_, "");
    }
  }

  /// Columns of the rows that were grouped are no longer there.
  void check_grouped(const query::Expression& value, std::optional<Position> position,
                     const std::string& what) const {
    if (value.is_column() && inside_.contains(value.column))
      fail(position.value_or(Position{}),
           fmt::format("{} is neither in GROUP BY nor in an aggregate",
                       value.name.empty() ? what : value.name));
    for (const ExpressionPtr& argument : value.arguments) check_grouped(*argument, position, what);
  }

  BindContext& context_;
  const Select& select_;
  SelectParts& parts_;
  ExpressionBinder binder_;
  Position place_;
  std::set<ColumnId> inside_;  // what is grouped
};

}  // namespace

RelationPtr bind_groups(BindContext& context, const Select& select, const Scope& scope,
                        const ExpressionBinder::Alias& alias, RelationPtr relation,
                        SelectParts& parts) {
  return GroupBinder(context, select, scope, alias, parts).group(std::move(relation));
}

}  // namespace grappa::query::sql
