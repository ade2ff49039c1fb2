#include "grappa/query/sql/change_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "grappa/query/sql/name.hpp"
#include "grappa/query/sql/parser.hpp"

namespace grappa::query::sql {
namespace {

/// The new value; where the condition is not met, the old one.
Expression value_of(const Replacement& set, const Expression* where, const query::Type& type) {
  const Position place = set.value.position;
  Expression value{Cast{set.value, parse_type(name_of(type))}, place};
  if (where == nullptr) return value;
  Case chosen;
  chosen.branches.push_back({*where, std::move(value)});
  chosen.otherwise = Expression{ColumnReference{{set.name}}, set.name.position};
  return {std::move(chosen), place};
}

/// That the rows are not deleted.
Expression stays(const Expression& where) {
  Operation operation{{{Operator::kIsNotTrue, where.position}}, {}};
  operation.operands.push_back(where);
  return {std::move(operation), where.position};
}

}  // namespace

Query rows_of_change(const Change& change, const std::vector<query::Column>& columns) {
  const Position place = change.table.position;
  const Expression* const where = change.where ? &*change.where : nullptr;
  Star star;
  for (const Replacement& set : change.values) {
    const auto column = std::ranges::find_if(
        columns, [&](const query::Column& of) { return equal_folded(of.name, set.name.text); });
    star.replace.push_back({value_of(set, where, column->type), set.name});
  }
  Select select;
  select.items.push_back({{std::move(star), place}, std::nullopt});
  select.from.push_back(change.table);
  if (change.deletes)
    select.where =
        where != nullptr ? stays(*where) : Expression{Literal{LiteralKind::kFalse, ""}, place};
  Query rows;
  rows.terms.push_back({std::move(select), place});
  rows.position = place;
  return rows;
}

}  // namespace grappa::query::sql
