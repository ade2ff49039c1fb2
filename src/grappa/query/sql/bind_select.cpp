// SELECT, as query_binder.hpp has it, from WHERE to what it shows.

#include <utility>

#include "grappa/query/plan/decorrelate.hpp"
#include "grappa/query/sql/bind_groups.hpp"
#include "grappa/query/sql/query_binder.hpp"
#include "grappa/query/sql/to_text.hpp"

namespace grappa::query::sql {
namespace {

void add_subqueries(ExpressionBinder& binder, SelectParts& parts) {
  for (Subquery& subquery : binder.take_subqueries())
    parts.subqueries.push_back(std::move(subquery));
}

}  // namespace

BoundQuery QueryBinder::bind_select(const Select& select, const std::vector<OrderItem>& order_by,
                                    const Scope* around) {
  FromSource from = bind_from(select, around);
  RelationPtr relation = from.relation;
  if (select.where) {
    ExpressionBinder binder(context_, from.scope, "WHERE");
    relation = binder.bind_where(*select.where, relation);
  }
  SelectParts parts;
  const auto grouped = [&] {
    return !parts.aggregates.items.empty() || !parts.aggregates.groupings.empty() ||
           !select.group_by.empty() || select.groups_by_all || select.having;
  };
  bind_items(select, from.scope, parts);
  const auto output_name = [&](const ColumnReference& reference) -> ExpressionPtr {
    if (reference.parts.size() != 1) return nullptr;
    for (const SelectItemValue& item : parts.items)
      if (equal_folded(item.name, reference.parts[0].text)) return item.value;
    return nullptr;
  };
  const auto output_name_unless_column = [&](const ColumnReference& reference) -> ExpressionPtr {
    return from.scope.find_here(reference, text()) ? nullptr : output_name(reference);
  };
  const auto clause = [&](std::string_view name, const auto& alias) {
    ExpressionBinder binder(context_, from.scope, name);
    binder.allow_aggregates(parts.aggregates);
    binder.allow_windows(parts.windows, select.windows);
    binder.share_subqueries(parts.known_subqueries);
    binder.set_aliases(alias);
    return binder;
  };
  if (select.having) {
    ExpressionBinder binder = clause("HAVING", output_name_unless_column);
    parts.having = binder.bind_condition(*select.having);
    add_subqueries(binder, parts);
  }
  if (select.qualify) {
    ExpressionBinder binder = clause("QUALIFY", output_name_unless_column);
    parts.qualify = binder.bind_condition(*select.qualify);
    add_subqueries(binder, parts);
  }
  ExpressionBinder of_order = clause("ORDER BY", output_name);
  Expressions shown;
  for (const SelectItemValue& item : parts.items) shown.push_back(item.value);
  parts.order = of_order.bind_order(order_by, shown);
  for (const Expression& on : select.distinct_on) {
    const auto place = position_of(on, shown.size(), text());
    parts.distinct_on.push_back(place ? shown[*place] : of_order.bind(on));
  }
  add_subqueries(of_order, parts);
  if (grouped())
    relation = bind_groups(context_, select, from.scope, output_name_unless_column,
                           std::move(relation), parts);
  relation = attach(parts.subqueries, std::move(relation), numbers());
  if (parts.having) relation = filter(relation, parts.having);
  if (!parts.windows.empty()) relation = window(relation, parts.windows);
  if (parts.qualify) relation = filter(relation, parts.qualify);
  return finish_select(select, relation, parts);
}

void QueryBinder::bind_items(const Select& select, const Scope& scope, SelectParts& parts) {
  ExpressionBinder binder(context_, scope, select.updates ? "UPDATE" : "SELECT");
  if (!select.updates) binder.allow_aggregates(parts.aggregates);
  binder.allow_windows(parts.windows, select.windows);
  binder.share_subqueries(parts.known_subqueries);
  for (const SelectItem& item : select.items) {
    if (const auto* star = std::get_if<Star>(&item.value.node)) {
      std::ranges::move(scope.left_out_of(*star), std::back_inserter(left_out_));
      for (const auto& column : scope.columns_of(*star, item.value.position, text())) {
        ExpressionPtr value = column.column;
        for (const Replacement& replacement : star->replace)
          if (equal_folded(replacement.name.text, column.name))
            value = binder.bind(replacement.value);
        parts.items.push_back({std::move(value), column.name, item.value.position});
      }
    } else {
      parts.items.push_back({binder.bind(item.value),
                             item.alias ? item.alias->text : column_name(item.value),
                             item.value.position});
    }
  }
  add_subqueries(binder, parts);
}

BoundQuery QueryBinder::finish_select(const Select& select, RelationPtr relation,
                                      SelectParts& parts) {
  std::vector<Computed> computed;
  BoundQuery bound;
  const auto shown = [&](const ExpressionPtr& value, const std::string& name) {
    computed.push_back({numbers().like(*value, name), value});
    return computed.back().column;
  };
  for (const SelectItemValue& item : parts.items) {
    bound.columns.push_back(shown(item.value, item.name));
    bound.names.push_back(item.name);
  }
  // What is ordered by may be a column of the result already.
  std::vector<query::SortItem> order;
  for (const query::SortItem& by : parts.order) {
    ExpressionPtr value;
    for (std::size_t i = 0; i < parts.items.size() && !value; ++i)
      if (same(*parts.items[i].value, *by.value)) value = bound.columns[i];
    if (!value) {
      if (by.value->is_constant()) continue;
      if (select.is_distinct && select.distinct_on.empty())
        fail(select.items[0].value.position,
             "with DISTINCT, ORDER BY can only have what SELECT has");
      value = shown(by.value, "");
    }
    order.push_back({value, by.descending, by.nulls_first});
  }
  Expressions on;
  for (const ExpressionPtr& value : parts.distinct_on) on.push_back(shown(value, ""));
  relation = project(std::move(relation), std::move(computed));
  if (!on.empty()) {
    WindowItem number{.column = numbers().make(kInt64, "row_number", {}, false),
                      .function = "row_number",
                      .partition = on,
                      .order = order};
    const ExpressionPtr first = call("=", {number.column, constant(Value::counted(kInt64, 1))});
    relation = filter(window(relation, {number}), first);
  } else if (select.is_distinct) {
    Expressions renamed;
    const Expressions before = relation->columns;
    relation = distinct(relation, numbers(), &renamed);
    const auto now = [&](const query::Expression& of) -> ExpressionPtr {
      for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i]->column == of.column) return renamed[i];
      return nullptr;
    };
    for (ExpressionPtr& of : bound.columns) of = replace_columns(of, now);
    for (query::SortItem& by : order) by.value = replace_columns(by.value, now);
  }
  if (!order.empty()) relation = sort(relation, std::move(order));
  bound.relation = relation;
  return bound;
}

}  // namespace grappa::query::sql
