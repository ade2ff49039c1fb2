#include "grappa/query/sql/change_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "grappa/query/sql/name.hpp"
#include "grappa/query/sql/parser.hpp"

namespace grappa::query::sql {
namespace {

// A column that is added to rows on their way; nobody gives a column such a name.
constexpr const char* kRow = "number of the row";

Expression column(std::vector<Name> parts, Position place) {
  return {ColumnReference{std::move(parts)}, place};
}

/// That the rows are none of those that change.
Expression stays(const Expression& where) {
  Operation operation{{{Operator::kIsNotTrue, where.position}}, {}};
  operation.operands.push_back(where);
  return {std::move(operation), where.position};
}

Expression truth(bool value, Position place) {
  return {Literal{value ? LiteralKind::kTrue : LiteralKind::kFalse, ""}, place};
}

Query query_of(Select select, Position place) {
  Query made;
  made.terms.push_back({std::move(select), place});
  made.position = place;
  return made;
}

TableReference derived(Select select, Name alias) {
  const Position place = alias.position;
  return {DerivedTable{query_of(std::move(select), place), false}, std::move(alias), {}, place};
}

/// The table, with a number for each row.
TableReference numbered(const TableReference& table, Name alias) {
  const Position place = table.position;
  FunctionCall number;
  number.name = {"row_number", place};
  number.over = Window{};
  Select rows;
  rows.items.push_back({{Star{}, place}, std::nullopt});
  rows.items.push_back({{std::move(number), place}, Name{kRow, place}});
  rows.from.push_back(table);
  return derived(std::move(rows), std::move(alias));
}

/// Those of the table that have none of the others for which the condition holds.
TableReference without(TableReference table, std::vector<TableReference> others,
                       const Expression* where) {
  const Position place = table.position;
  TableReference right = std::move(others.front());
  if (others.size() > 1) {
    Join all{std::move(right), {}};
    for (std::size_t i = 1; i < others.size(); ++i) {
      const Position of = others[i].position;
      all.steps.push_back({JoinKind::kCross, false, std::move(others[i]), {}, {}, of});
    }
    right = {std::move(all), std::nullopt, {}, place};
  }
  JoinStep step{JoinKind::kAnti, false, std::move(right), {}, {}, place};
  step.condition = where != nullptr ? *where : truth(true, place);
  Join made{std::move(table), {}};
  made.steps.push_back(std::move(step));
  return {std::move(made), std::nullopt, {}, place};
}

Select unchanged_rows(const Change& change) {
  const Expression* const where = change.where ? &*change.where : nullptr;
  const Position place = change.table.position;
  Select rows;
  if (!change.others.empty()) {
    rows.from.push_back(without(change.table, change.others, where));
  } else {
    rows.from.push_back(change.table);
    rows.where = where != nullptr ? stays(*where) : truth(false, place);
  }
  rows.items.push_back({{Star{}, place}, std::nullopt});
  return rows;
}

Select updated_rows(const Change& change, const std::vector<query::Column>& columns) {
  const Position place = change.table.position;
  Select rows;
  rows.updates = true;
  if (change.where) rows.where = *change.where;
  Star star;
  for (const Replacement& set : change.values) {
    const auto of = std::ranges::find_if(
        columns, [&](const query::Column& each) { return equal_folded(each.name, set.name.text); });
    Cast value{set.value, parse_type(name_of(of->type))};
    star.replace.push_back({{std::move(value), set.value.position}, set.name});
  }
  if (change.others.empty()) {
    rows.from.push_back(change.table);
  } else {
    const Name table = change.table.alias ? *change.table.alias
                                          : std::get<TableName>(change.table.source).parts.back();
    rows.from.push_back(numbered(change.table, table));
    rows.from.insert(rows.from.end(), change.others.begin(), change.others.end());
    rows.distinct_on.push_back(column({table, {kRow, place}}, place));
    star.qualifier.push_back(table);
    star.exclude.push_back({kRow, place});
  }
  rows.items.push_back({{std::move(star), place}, std::nullopt});
  return rows;
}

}  // namespace

Query rows_of_change(const Change& change, const std::vector<query::Column>& columns) {
  const Position place = change.table.position;
  if (change.deletes) return query_of(unchanged_rows(change), place);
  Query all = query_of(updated_rows(change, columns), place);
  if (change.where || !change.others.empty()) {
    all.operations.push_back({SetOperator::kUnion, true, place});
    all.terms.push_back({unchanged_rows(change), place});
  }
  return all;
}

}  // namespace grappa::query::sql
