#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "grappa/query/expression/function.hpp"
#include "grappa/query/plan/estimate.hpp"
#include "grappa/query/plan/join_graph.hpp"
#include "grappa/query/plan/join_order.hpp"
#include "grappa/query/plan/optimizer.hpp"

namespace grappa::query {
namespace {

using Columns = std::set<ColumnId>;

bool is_equality(const Expression& term) {
  return term.kind == ExpressionKind::kCall &&
         (term.function->name == "=" || term.function->name == "is not distinct from");
}

class OrderJoins {
 public:
  RelationPtr order(const RelationPtr& relation) {
    const auto known = done_.find(relation.get());
    if (known != done_.end()) return known->second;
    RelationPtr made;
    if (relation->kind == RelationKind::kJoin && relation->join == JoinKind::kInner) {
      JoinCluster cluster;
      flatten(relation, cluster);
      made = order_cluster(std::move(cluster));
    } else if (relation->kind == RelationKind::kJoin) {
      made = order_other(*relation);
    } else if (!relation->inputs.empty()) {
      std::vector<RelationPtr> inputs;
      for (const RelationPtr& input : relation->inputs) inputs.push_back(order(input));
      made = with_inputs(*relation, std::move(inputs));
    } else {
      made = relation;
    }
    done_[relation.get()] = made;
    kept_.push_back(relation);
    return made;
  }

 private:
  /// How many leaves the relation may bring to a cluster.
  static std::size_t most_leaves(const Relation& relation) {
    if (relation.kind == RelationKind::kJoin && relation.join == JoinKind::kInner)
      return most_leaves(*relation.inputs[0]) + most_leaves(*relation.inputs[1]);
    const bool is_filter = relation.kind == RelationKind::kFilter ||
                           (relation.kind == RelationKind::kJoin &&
                            (relation.join == JoinKind::kSemi || relation.join == JoinKind::kAnti));
    return is_filter ? most_leaves(*relation.inputs[0]) : 1;
  }

  /// What would be too much for a cluster becomes one of its own, and a leaf of this one.
  void flatten_or_order(const RelationPtr& relation, bool flattens, JoinCluster& cluster) {
    if (flattens)
      flatten(relation, cluster);
    else
      cluster.leaves.push_back(order(relation));
  }

  void flatten(const RelationPtr& relation, JoinCluster& cluster) {
    if (relation->kind == RelationKind::kFilter &&
        relation->inputs[0]->kind == RelationKind::kJoin &&
        relation->inputs[0]->join == JoinKind::kInner) {
      for (const ExpressionPtr& term : conjuncts(relation->condition))
        cluster.terms.push_back(term);
      flatten(relation->inputs[0], cluster);
    } else if (relation->kind == RelationKind::kJoin && relation->join == JoinKind::kInner) {
      for (const ExpressionPtr& term : conjuncts(relation->condition))
        if (!term->is_true()) cluster.terms.push_back(term);
      const std::size_t left = most_leaves(*relation->inputs[0]);
      const std::size_t right = most_leaves(*relation->inputs[1]);
      const std::size_t room = JoinGraph::kMostLeaves - cluster.leaves.size();
      const bool fits = left + right <= room;
      // Else the smaller side may fit beside the other one, which is a leaf.
      flatten_or_order(relation->inputs[0], fits || (left < right && left < room), cluster);
      flatten_or_order(relation->inputs[1], fits || (left >= right && right < room), cluster);
    } else if (relation->kind == RelationKind::kJoin &&
               (relation->join == JoinKind::kSemi || relation->join == JoinKind::kAnti) &&
               relation->inputs[0]->kind == RelationKind::kJoin) {
      flatten_semi(relation, cluster);
    } else {
      cluster.leaves.push_back(order(relation));
    }
  }

  /// A semi join is a filter: it belongs to the leaf whose columns it looks at.
  void flatten_semi(const RelationPtr& relation, JoinCluster& cluster) {
    JoinCluster inside;
    flatten(relation->inputs[0], inside);
    Columns used = columns_of(*relation->condition);
    for (const ColumnId column : columns_of(*relation->inputs[1])) used.erase(column);
    for (RelationPtr& leaf : inside.leaves) {
      const Columns of_leaf = columns_of(*leaf);
      if (!std::ranges::all_of(used, [&](ColumnId c) { return of_leaf.contains(c); })) continue;
      // One that lets most rows pass is better done when few are left.
      const RelationPtr filtered = with_inputs(*relation, {leaf, relation->inputs[1]});
      if (estimates_.of(filtered).rows > 0.5 * estimates_.of(leaf).rows) break;
      leaf = order_other(*filtered, false);
      cluster.leaves.insert(cluster.leaves.end(), inside.leaves.begin(), inside.leaves.end());
      cluster.terms.insert(cluster.terms.end(), inside.terms.begin(), inside.terms.end());
      return;
    }
    const RelationPtr left = order_cluster(std::move(inside));
    cluster.leaves.push_back(
        order_other(*with_inputs(*relation, {left, relation->inputs[1]}), false));
  }

  /// Which side is kept, of a join that is not inner. `orders_left`: it has not been ordered.
  RelationPtr order_other(const Relation& relation, bool orders_left = true) {
    const bool is_semi = relation.join == JoinKind::kSemi || relation.join == JoinKind::kAnti;
    if (orders_left && is_semi && relation.inputs[0]->kind == RelationKind::kJoin &&
        relation.inputs[0]->join == JoinKind::kInner) {
      JoinCluster cluster;
      flatten_semi(std::make_shared<const Relation>(relation), cluster);
      return order_cluster(std::move(cluster));
    }
    const RelationPtr left = orders_left ? order(relation.inputs[0]) : relation.inputs[0];
    RelationPtr right = order(relation.inputs[1]);
    // Whether there is a row at all, one tells.
    if ((is_semi || relation.join == JoinKind::kMark) && relation.condition->is_true())
      right = limit(std::move(right), 0, 1);
    const bool has_key = std::ranges::any_of(conjuncts(relation.condition),
                                             [](const auto& t) { return is_equality(*t); });
    const bool left_is_small = estimates_.of(left).rows * 2 < estimates_.of(right).rows;
    if (has_key && left_is_small) {
      const auto turned = [&](JoinKind kind) {
        return join(kind, right, left, relation.condition);
      };
      if (relation.join == JoinKind::kSemi) return turned(JoinKind::kRightSemi);
      if (relation.join == JoinKind::kAnti) return turned(JoinKind::kRightAnti);
      if (relation.join == JoinKind::kLeft) return turned(JoinKind::kRight);
    }
    if (relation.join == JoinKind::kSingle || relation.join == JoinKind::kLeft) {
      const RelationPtr shared = shared_of(left);
      if (const RelationPtr reduced = reduced_by(right, shared, conjuncts(relation.condition)))
        return join(relation.join, shared, reduced, relation.condition, relation.mark);
    }
    return join(relation.join, left, right, relation.condition, relation.mark);
  }

  static RelationPtr shared_of(const RelationPtr& relation) {
    if (relation->kind == RelationKind::kShared) return relation;
    Relation shared{.kind = RelationKind::kShared, .inputs = {relation}};
    shared.columns = relation->columns;
    return std::make_shared<const Relation>(std::move(shared));
  }

  /// Groups that only few rows ask for: what they are made of is filtered by these first, a semi
  /// join (I. Mumick et al.: "Magic is Relevant", SIGMOD 1990). Nothing where that does not pay.
  RelationPtr reduced_by(const RelationPtr& groups, const RelationPtr& asking,
                         const Expressions& terms) {
    if (groups->kind == RelationKind::kProject) {
      Expressions below;
      for (const ExpressionPtr& term : terms)
        below.push_back(replace_columns(term, [&](const Expression& of) -> ExpressionPtr {
          for (const Computed& one : groups->computed)
            if (one.column->column == of.column) return one.value;
          return nullptr;
        }));
      const RelationPtr input = reduced_by(groups->inputs[0], asking, below);
      return input ? with_inputs(*groups, {input}) : nullptr;
    }
    if (groups->kind != RelationKind::kAggregate) return nullptr;
    const RelationPtr& input = groups->inputs[0];
    if (estimates_.of(asking).rows * 4 > estimates_.of(input).rows) return nullptr;
    Expressions condition;
    const Columns of_asking = columns_of(*asking);
    for (const ExpressionPtr& term : terms) {
      if (!is_equality(*term)) continue;
      for (const Computed& group : groups->computed) {
        for (const std::size_t side : {0, 1}) {
          const ExpressionPtr& inner = term->arguments[side];
          const ExpressionPtr& outer = term->arguments[1 - side];
          if (!inner->is_column() || inner->column != group.column->column) continue;
          const Columns used = columns_of(*outer);
          if (std::ranges::all_of(used, [&](ColumnId c) { return of_asking.contains(c); }))
            condition.push_back(call(term->function->name, {group.value, outer}));
        }
      }
    }
    if (condition.empty()) return nullptr;
    return with_inputs(*groups,
                       {join(JoinKind::kSemi, input, asking, all_of(std::move(condition)))});
  }

  RelationPtr order_cluster(JoinCluster cluster) {
    if (cluster.leaves.size() == 1) return filter(cluster.leaves[0], all_of(cluster.terms));
    return best_order(JoinGraph(std::move(cluster), estimates_));
  }

  Estimates estimates_;
  std::map<const Relation*, RelationPtr> done_;
  std::vector<RelationPtr> kept_;  // so that no other gets the address of one that is done
};

}  // namespace

RelationPtr order_joins(const RelationPtr& relation) { return OrderJoins().order(relation); }

}  // namespace grappa::query
