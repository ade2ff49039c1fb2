#include "grappa/query/sql/select_parts.hpp"

#include <fmt/format.h>

#include <charconv>

#include "grappa/query/plan/decorrelate.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {

RelationPtr attach(const std::vector<Subquery>& subqueries, RelationPtr relation,
                   ColumnNumbers& numbers) {
  for (const Subquery& subquery : subqueries)
    relation = dependent_join(subquery.kind, relation, subquery.right, subquery.condition,
                              subquery.mark, numbers);
  return relation;
}

std::optional<std::size_t> position_of(const Expression& expression, std::size_t columns,
                                       std::string_view text) {
  const auto* literal = std::get_if<Literal>(&expression.node);
  if (literal == nullptr || literal->kind != LiteralKind::kInteger) return std::nullopt;
  std::size_t place = 0;
  std::from_chars(literal->text.data(), literal->text.data() + literal->text.size(), place);
  if (place < 1 || place > columns)
    throw SyntaxError(text, expression.position,
                      fmt::format("there is no column {}, there are {}", literal->text, columns));
  return place - 1;
}

}  // namespace grappa::query::sql
