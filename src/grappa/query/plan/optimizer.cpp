#include "grappa/query/plan/optimizer.hpp"

#include <map>
#include <utility>

namespace grappa::query {
namespace {

void count_shared(const RelationPtr& relation, std::map<const Relation*, int>& users) {
  if (relation->kind == RelationKind::kShared && users[relation.get()]++ > 0) return;
  for (const RelationPtr& input : relation->inputs) count_shared(input, users);
}

RelationPtr without_shared(const RelationPtr& relation, const std::map<const Relation*, int>& users,
                           std::map<const Relation*, RelationPtr>& made) {
  const auto known = made.find(relation.get());
  if (known != made.end()) return known->second;
  std::vector<RelationPtr> inputs;
  bool changed = false;
  for (const RelationPtr& input : relation->inputs) {
    inputs.push_back(without_shared(input, users, made));
    changed |= inputs.back() != input;
  }
  RelationPtr result = relation;
  if (relation->kind == RelationKind::kShared && users.at(relation.get()) == 1) {
    result = inputs[0];
  } else if (changed) {
    result = with_inputs(*relation, std::move(inputs));
  }
  made[relation.get()] = result;
  return result;
}

}  // namespace

RelationPtr unshare(const RelationPtr& relation) {
  std::map<const Relation*, int> users;
  count_shared(relation, users);
  std::map<const Relation*, RelationPtr> made;
  return without_shared(relation, users, made);
}

RelationPtr optimize(RelationPtr relation, const Expressions& needed, ColumnNumbers& numbers) {
  std::set<ColumnId> columns;
  for (const ExpressionPtr& of : needed) columns.insert(of->column);
  relation = unshare(relation);
  relation = expand_distinct(relation, numbers);
  relation = push_down_filters(relation);
  relation = order_joins(relation);
  relation = push_down_filters(relation);
  return prune_columns(relation, columns);
}

}  // namespace grappa::query
