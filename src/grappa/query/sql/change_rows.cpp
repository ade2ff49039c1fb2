#include "grappa/query/sql/change_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "grappa/query/sql/name.hpp"
#include "grappa/query/sql/parser.hpp"

namespace grappa::query::sql {
namespace {

// Columns that are added to rows on their way; nobody gives a column such a name.
constexpr const char* kRow = "number of the row";
constexpr const char* kMet = "is met";

Expression column(std::vector<Name> parts, Position place) {
  return {ColumnReference{std::move(parts)}, place};
}

/// The new value; where the condition is not met, the old one.
Expression value_of(const Replacement& set, const Expression* where, Name table,
                    const query::Type& type) {
  const Position place = set.value.position;
  Expression value{Cast{set.value, parse_type(name_of(type))}, place};
  if (where == nullptr) return value;
  Case chosen;
  chosen.branches.push_back({*where, std::move(value)});
  chosen.otherwise = column({std::move(table), set.name}, set.name.position);
  return {std::move(chosen), place};
}

/// That the rows are not deleted.
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

/// A row with a column that is true.
TableReference met_row(Position place) {
  Select row;
  row.items.push_back({truth(true, place), Name{kMet, place}});
  return derived(std::move(row), {kMet, place});
}

/// The table, joined to all of the others where the condition is met.
TableReference joined(TableReference table, JoinKind kind, std::vector<TableReference> others,
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
  JoinStep step{kind, false, std::move(right), {}, {}, place};
  step.condition = where != nullptr ? *where : truth(true, place);
  Join made{std::move(table), {}};
  made.steps.push_back(std::move(step));
  return {std::move(made), std::nullopt, {}, place};
}

}  // namespace

Query rows_of_change(const Change& change, const std::vector<query::Column>& columns) {
  const Position place = change.table.position;
  const Expression* const where = change.where ? &*change.where : nullptr;
  const Name table = change.table.alias ? *change.table.alias
                                        : std::get<TableName>(change.table.source).parts.back();
  const bool has_others = !change.others.empty();
  const Expression is_met = column({{kMet, place}, {kMet, place}}, place);
  Select select;
  select.updates = !change.deletes;
  Star star;
  for (const Replacement& set : change.values) {
    const auto of = std::ranges::find_if(
        columns, [&](const query::Column& each) { return equal_folded(each.name, set.name.text); });
    star.replace.push_back(
        {value_of(set, has_others ? &is_met : where, table, of->type), set.name});
  }
  if (!has_others) {
    select.from.push_back(change.table);
    if (change.deletes) select.where = where != nullptr ? stays(*where) : truth(false, place);
  } else if (change.deletes) {
    select.from.push_back(joined(change.table, JoinKind::kAnti, change.others, where));
  } else {
    std::vector<TableReference> others = change.others;
    others.push_back(met_row(place));
    select.from.push_back(
        joined(numbered(change.table, table), JoinKind::kLeft, std::move(others), where));
    select.distinct_on.push_back(column({table, {kRow, place}}, place));
    star.qualifier.push_back(table);
    star.exclude.push_back({kRow, place});
  }
  select.items.push_back({{std::move(star), place}, std::nullopt});
  return query_of(std::move(select), place);
}

}  // namespace grappa::query::sql
