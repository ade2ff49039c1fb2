// UNION, INTERSECT and EXCEPT, as query_binder.hpp has them.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "grappa/query/sql/query_binder.hpp"

namespace grappa::query::sql {
namespace {

/// How many of the operations, from the first on, are done by one relation: UNIONs up to the last
/// that leaves equal rows out, or all where none does.
std::size_t length_of_chain(std::span<const SetOperation> operations) {
  const auto is_union = [](const SetOperation& by) { return by.op == SetOperator::kUnion; };
  const auto end = std::ranges::find_if_not(operations, is_union);
  const auto last_distinct = std::find_if(std::reverse_iterator(end), operations.rend(),
                                          [](const SetOperation& by) { return !by.is_all; });
  const auto length =
      (last_distinct == operations.rend() ? end : last_distinct.base()) - operations.begin();
  return std::max<std::size_t>(1, length);
}

}  // namespace

BoundQuery QueryBinder::bind_sets(const Query& query, const Scope* around) {
  const std::span operations(query.operations);
  BoundQuery left = bind_term(query.terms[0], {}, around);
  for (std::size_t i = 0; i < operations.size();) {
    const auto chain = operations.subspan(i, length_of_chain(operations.subspan(i)));
    std::vector<BoundQuery> parts{std::move(left)};
    for (std::size_t k = 0; k < chain.size(); ++k)
      parts.push_back(bind_term(query.terms[++i], {}, around));
    left = combine(parts, chain);
    require_not_too_deep(left.relation, chain.back().position);
  }
  return left;
}

BoundQuery QueryBinder::combine(const std::vector<BoundQuery>& parts,
                                std::span<const SetOperation> chain) {
  const BoundQuery& first = parts.front();
  const SetOperation& last = chain.back();
  Relation made{.kind = last.op == SetOperator::kUnion       ? RelationKind::kUnion
                        : last.op == SetOperator::kIntersect ? RelationKind::kIntersect
                                                             : RelationKind::kExcept};
  made.all = last.is_all;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].columns.size() != first.columns.size())
      fail(chain[k - 1].position, fmt::format("the queries have {} and {} columns",
                                              first.columns.size(), parts[k].columns.size()));
  }
  for (const BoundQuery& part : parts) made.inputs.push_back(part.relation);
  made.given.resize(parts.size());
  for (std::size_t i = 0; i < first.columns.size(); ++i) {
    const Type type = type_of_column(parts, i, chain);
    bool nullable = false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      made.given[k].push_back(cast(parts[k].columns[i], type));
      nullable |= parts[k].columns[i]->nullable;
    }
    made.columns.push_back(numbers().make(type, first.names[i], {}, nullable));
  }
  BoundQuery bound{std::make_shared<const Relation>(made), made.columns, first.names};
  if (last.op == SetOperator::kUnion && !last.is_all) {
    Expressions renamed;
    bound.relation = distinct(bound.relation, numbers(), &renamed);
    bound.columns = renamed;
  }
  return bound;
}

Type QueryBinder::type_of_column(const std::vector<BoundQuery>& parts, std::size_t column,
                                 std::span<const SetOperation> chain) const {
  Type all = parts.front().columns[column]->type;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Type& type = parts[k].columns[column]->type;
    const auto both = common_type(all, type);
    if (!both)
      fail(chain[k - 1].position,
           fmt::format("column {} is of {} and of {}", column + 1, name_of(all), name_of(type)));
    all = *both;
  }
  return all;
}

}  // namespace grappa::query::sql
