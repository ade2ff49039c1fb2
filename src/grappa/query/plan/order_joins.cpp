#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "grappa/query/expression/function.hpp"
#include "grappa/query/plan/estimate.hpp"
#include "grappa/query/plan/join_pairs.hpp"
#include "grappa/query/plan/optimizer.hpp"

namespace grappa::query {
namespace {

using Columns = std::set<ColumnId>;
using Mask = RelationSet;

/// Relations that are joined by inner joins, in whatever order.
struct Cluster {
  std::vector<RelationPtr> leaves;
  Expressions terms;
};

/// A term, and which leaves it refers to.
struct Term {
  ExpressionPtr expression;
  Mask leaves = 0;
  double selectivity = 1;
};

/// Columns of different leaves that are all equal: any two of them join their leaves.
struct EqualColumns {
  struct Member {
    std::size_t leaf;
    ExpressionPtr column;
    double distinct;
  };
  std::vector<Member> members;

  Mask leaves() const {
    Mask all = 0;
    for (const Member& member : members) all |= Mask{1} << member.leaf;
    return all;
  }
  const Member* in(Mask leaves) const {
    for (const Member& member : members)
      if ((leaves >> member.leaf & 1) != 0) return &member;
    return nullptr;
  }
};

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
      Cluster cluster;
      flatten(relation, cluster);
      made = order_cluster(cluster);
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
  static constexpr std::size_t kLeavesOfMask = 64;

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
  void flatten_or_order(const RelationPtr& relation, bool flattens, Cluster& cluster) {
    if (flattens)
      flatten(relation, cluster);
    else
      cluster.leaves.push_back(order(relation));
  }

  void flatten(const RelationPtr& relation, Cluster& cluster) {
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
      const std::size_t room = kLeavesOfMask - cluster.leaves.size();
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
  void flatten_semi(const RelationPtr& relation, Cluster& cluster) {
    Cluster inside;
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
    const RelationPtr left = order_cluster(inside);
    cluster.leaves.push_back(
        order_other(*with_inputs(*relation, {left, relation->inputs[1]}), false));
  }

  /// Which side is kept, of a join that is not inner. `orders_left`: it has not been ordered.
  RelationPtr order_other(const Relation& relation, bool orders_left = true) {
    const bool is_semi = relation.join == JoinKind::kSemi || relation.join == JoinKind::kAnti;
    if (orders_left && is_semi && relation.inputs[0]->kind == RelationKind::kJoin &&
        relation.inputs[0]->join == JoinKind::kInner) {
      Cluster cluster;
      flatten_semi(std::make_shared<const Relation>(relation), cluster);
      return order_cluster(cluster);
    }
    const RelationPtr left = orders_left ? order(relation.inputs[0]) : relation.inputs[0];
    const RelationPtr right = order(relation.inputs[1]);
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

  // ---- Inner joins

  static constexpr double kNone = std::numeric_limits<double>::infinity();

  /// How many times as many rows two leaves have together as their columns tell.
  struct Correction {
    Mask leaves;
    double factor;
  };

  /// What joins the leaves of a cluster.
  struct Graph {
    const Cluster* cluster = nullptr;
    std::vector<double> rows{};  // of the leaves
    std::vector<EqualColumns> equal{};
    std::vector<Term> terms{};  // the others
    /// Of leaves that the same columns join (their numbers in `equal`): those that say most first.
    std::map<std::vector<std::size_t>, std::vector<Correction>> corrections{};

    std::vector<std::size_t> columns_of_both(Mask leaves) const {
      std::vector<std::size_t> columns;
      for (std::size_t i = 0; i < equal.size(); ++i)
        if ((equal[i].leaves() & leaves) == leaves) columns.push_back(i);
      return columns;
    }
  };

  static std::size_t leaf_of(const Cluster& cluster, ColumnId column) {
    for (std::size_t i = 0; i < cluster.leaves.size(); ++i)
      for (const ExpressionPtr& of : cluster.leaves[i]->columns)
        if (of->column == column) return i;
    return cluster.leaves.size();
  }

  Graph graph_of(const Cluster& cluster) {
    Graph graph;
    graph.cluster = &cluster;
    Columns used;
    for (const ExpressionPtr& term : cluster.terms) used.merge(columns_of(*term));
    Estimate all;
    for (const RelationPtr& leaf : cluster.leaves) {
      const Estimate& of_leaf = estimates_.of(leaf);
      graph.rows.push_back(of_leaf.rows);
      all.rows = std::max(all.rows, of_leaf.rows);
      for (const ExpressionPtr& of : leaf->columns)
        if (used.contains(of->column)) all.distinct[of->column] = of_leaf.distinct_of(of->column);
    }
    for (const ExpressionPtr& expression : cluster.terms) {
      if (add_equality(*expression, cluster, graph)) continue;
      Term term{.expression = expression};
      for (const ColumnId column : columns_of(*expression)) {
        const std::size_t leaf = leaf_of(cluster, column);
        if (leaf < cluster.leaves.size()) term.leaves |= Mask{1} << leaf;
      }
      term.selectivity = Estimates::selectivity(*expression, all);
      graph.terms.push_back(std::move(term));
    }
    correct_by_rows(graph);
    correct_by_samples(graph);
    const auto says = [](const Correction& of) { return -std::abs(std::log(of.factor)); };
    for (auto& [columns, corrections] : graph.corrections)
      std::ranges::stable_sort(corrections, {}, says);
    return graph;
  }

  bool add_equality(const Expression& term, const Cluster& cluster, Graph& graph) {
    if (term.kind != ExpressionKind::kCall || term.function->name != "=") return false;
    const ExpressionPtr& a = term.arguments[0];
    const ExpressionPtr& b = term.arguments[1];
    if (!a->is_column() || !b->is_column()) return false;
    const auto class_of = [&](const ExpressionPtr& column) {
      for (std::size_t i = 0; i < graph.equal.size(); ++i)
        for (const EqualColumns::Member& member : graph.equal[i].members)
          if (member.column->column == column->column) return i;
      const std::size_t leaf = leaf_of(cluster, column->column);
      const double distinct = estimates_.of(cluster.leaves[leaf]).distinct_of(column->column);
      graph.equal.push_back({{{leaf, column, std::max(1.0, distinct)}}});
      return graph.equal.size() - 1;
    };
    if (leaf_of(cluster, a->column) == leaf_of(cluster, b->column)) return false;
    const std::size_t first = class_of(a);
    const std::size_t second = class_of(b);
    if (first == second) return true;
    auto& members = graph.equal[first].members;
    // Two columns of one leaf stay two terms: only leaves that differ are joined by a class.
    for (const EqualColumns::Member& member : graph.equal[second].members)
      if (graph.equal[first].leaves() >> member.leaf & 1) return false;
    members.insert(members.end(), graph.equal[second].members.begin(),
                   graph.equal[second].members.end());
    graph.equal.erase(graph.equal.begin() + static_cast<std::ptrdiff_t>(second));
    return true;
  }

  /// Several columns are one key, which has no more values than the smaller of two leaves has rows,
  /// however many values its columns have.
  static void correct_by_rows(Graph& graph) {
    const std::size_t count = graph.cluster->leaves.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        const Mask both = Mask{1} << i | Mask{1} << j;
        const std::vector<std::size_t> columns = graph.columns_of_both(both);
        double product = 1;
        for (const std::size_t column : columns)
          product /= std::max(graph.equal[column].in(Mask{1} << i)->distinct,
                              graph.equal[column].in(Mask{1} << j)->distinct);
        const double fewest = std::min(graph.rows[i], graph.rows[j]);
        if (columns.size() > 1 && product < 1 / fewest)
          graph.corrections[columns].push_back({both, 1 / fewest / product});
      }
    }
  }

  /// Values are not spread evenly: a key that many rows of one table have is one that many rows of
  /// another have, and conditions choose such keys, or others. Samples tell how many pairs there
  /// are.
  void correct_by_samples(Graph& graph) {
    std::vector<std::shared_ptr<const SampledRows>> samples;
    for (const RelationPtr& leaf : graph.cluster->leaves)
      samples.push_back(estimates_.sample_of(leaf));
    for (const EqualColumns& equal : graph.equal) {
      std::vector<const SampledValues*> values;
      for (const EqualColumns::Member& member : equal.members)
        values.push_back(is_whole_key(member, graph) || !samples[member.leaf]
                             ? nullptr
                             : samples[member.leaf]->values(member.column->column));
      for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t j = i + 1; j < values.size(); ++j)
          if (values[i] != nullptr && values[j] != nullptr)
            correct(equal.members[i], equal.members[j], values[i]->pairs(*values[j]), graph);
    }
  }

  /// Whether each row of a table has a value of its own: it is the partner of all rows of another.
  static bool is_whole_key(const EqualColumns::Member& member, const Graph& graph) {
    constexpr double kOfRows = 0.9;  // as both are estimates
    return graph.cluster->leaves[member.leaf]->kind == RelationKind::kScan &&
           member.distinct >= kOfRows * graph.rows[member.leaf];
  }

  static void correct(const EqualColumns::Member& a, const EqualColumns::Member& b,
                      const SampledValues::Pairs& pairs, Graph& graph) {
    constexpr double kFewPairs = 4;  // they tell no more than that there are not many
    const Mask both = Mask{1} << a.leaf | Mask{1} << b.leaf;
    const std::vector<std::size_t> columns = graph.columns_of_both(both);
    if (columns.size() > 1) return;
    const double told = graph.rows[a.leaf] * graph.rows[b.leaf] / std::max(a.distinct, b.distinct);
    const double rows =
        pairs.rows >= kFewPairs * pairs.one ? pairs.rows : std::min(told, pairs.rows + pairs.one);
    graph.corrections[columns].push_back({both, rows / told});
  }

  RelationPtr order_cluster(const Cluster& cluster) {
    if (cluster.leaves.size() == 1) return filter(cluster.leaves[0], all_of(cluster.terms));
    const Graph graph = graph_of(cluster);
    const RelationPtr best = by_all_orders(graph);
    return best ? best : by_greed(graph);
  }

  static double rows_of(Mask leaves, const Graph& graph) {
    double rows = 1;
    for (std::size_t i = 0; i < graph.rows.size(); ++i)
      if ((leaves >> i & 1) != 0) rows *= graph.rows[i];
    for (const Term& term : graph.terms)
      if ((term.leaves & ~leaves) == 0) rows *= term.selectivity;
    for (const EqualColumns& equal : graph.equal) {
      // All but the one with the fewest values select.
      double fewest = kNone;
      for (const EqualColumns::Member& member : equal.members) {
        if ((leaves >> member.leaf & 1) == 0) continue;
        rows /= member.distinct;
        fewest = std::min(fewest, member.distinct);
      }
      if (fewest < kNone) rows *= fewest;
    }
    for (const auto& [columns, corrections] : graph.corrections)
      rows *= correction_of(leaves, corrections);
    return std::max(rows, 1.0);
  }

  /// A leaf more is one selection more, and corrected once: of the pairs by which it is joined to
  /// the others, that which says most counts.
  static double correction_of(Mask leaves, const std::vector<Correction>& corrections) {
    double factor = 1;
    std::array<Mask, kLeavesOfMask> joined;  // leaves that corrections connect
    std::size_t count = 0;
    for (const Correction& of : corrections) {
      if ((of.leaves & ~leaves) != 0) continue;
      const auto end = joined.begin() + static_cast<std::ptrdiff_t>(count);
      if (std::any_of(joined.begin(), end, [&](Mask m) { return (of.leaves & ~m) == 0; })) continue;
      factor *= of.factor;
      Mask all = of.leaves;
      const auto rest = std::remove_if(joined.begin(), end, [&](Mask m) {
        const bool meets = (m & of.leaves) != 0;
        all |= meets ? m : 0;
        return meets;
      });
      *rest = all;
      count = static_cast<std::size_t>(rest - joined.begin()) + 1;
    }
    return factor;
  }

  static bool are_connected(Mask a, Mask b, const Graph& graph) {
    return std::ranges::any_of(graph.equal,
                               [&](const EqualColumns& equal) {
                                 return (equal.leaves() & a) != 0 && (equal.leaves() & b) != 0;
                               }) ||
           std::ranges::any_of(graph.terms, [&](const Term& term) {
             return (term.leaves & a) != 0 && (term.leaves & b) != 0 &&
                    (term.leaves & ~(a | b)) == 0;
           });
  }

  /// By leaf, with which others it can be joined: those that something connects it with, and those
  /// that nothing leads to.
  static std::vector<Mask> neighbours_of(const Graph& graph) {
    const std::size_t count = graph.rows.size();
    std::vector<Mask> connected(count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        if (i != j && are_connected(Mask{1} << i, Mask{1} << j, graph))
          connected[i] |= Mask{1} << j;
    std::vector<Mask> neighbours = connected;
    for (std::size_t i = 0; i < count; ++i) {
      Mask reached = Mask{1} << i;
      for (Mask before = 0; before != reached;) {
        before = reached;
        for (std::size_t j = 0; j < count; ++j)
          if ((before >> j & 1) != 0) reached |= connected[j];
      }
      neighbours[i] |= ~reached & ((Mask{1} << count) - 1);
    }
    return neighbours;
  }

  /// How leaves are best joined.
  struct Plan {
    double cost = 0;
    double rows = 0;
    Mask keys = 0;   // numbers of the equal columns that they have
    Mask first = 0;  // of the two sides; 0: a leaf
  };
  class Plans {
   public:
    explicit Plans(std::size_t leaves) : numbers_(std::size_t{1} << leaves) {}
    void add(Mask leaves, const Plan& plan) {
      numbers_[leaves] = static_cast<std::uint32_t>(plans_.size());
      plans_.push_back(plan);
    }
    bool has(Mask leaves) const { return numbers_[leaves] != 0; }
    Plan& of(Mask leaves) { return plans_[numbers_[leaves]]; }

   private:
    std::vector<std::uint32_t> numbers_;
    std::vector<Plan> plans_{Plan{}};  // the first is nobody's
  };

  /// Nothing where there are too many.
  static RelationPtr by_all_orders(const Graph& graph) {
    constexpr std::size_t kMostLeaves = 20;
    constexpr std::size_t kMostPairs = std::size_t{1} << 19;
    const std::size_t count = graph.rows.size();
    if (count > kMostLeaves) return nullptr;
    Plans plans(count);
    for (std::size_t i = 0; i < count; ++i)
      plans.add(Mask{1} << i,
                {.cost = 0, .rows = graph.rows[i], .keys = keys_of(i, graph), .first = 0});
    Mask integers = 0;
    for (std::size_t k = 0; k < graph.equal.size() && k < 64; ++k)
      if (graph.equal[k].members[0].column->type.is_counted()) integers |= Mask{1} << k;
    const bool are_all = JoinPairs(neighbours_of(graph)).for_each(kMostPairs, [&](Mask a, Mask b) {
      if (!plans.has(a | b))
        plans.add(a | b, {.cost = kNone,
                          .rows = rows_of(a | b, graph),
                          .keys = plans.of(a).keys | plans.of(b).keys,
                          .first = 0});
      Plan& plan = plans.of(a | b);
      const double cost = cost_of_join(plans.of(a), plans.of(b), plan.rows, integers);
      if (plan.first == 0 || cost < plan.cost) {  // it may be that no cost is a number
        plan.cost = cost;
        plan.first = a;
      }
    });
    return are_all ? build((Mask{1} << count) - 1, plans, graph) : nullptr;
  }

  static Mask keys_of(std::size_t leaf, const Graph& graph) {
    Mask keys = 0;
    for (std::size_t k = 0; k < graph.equal.size() && k < 64; ++k)
      if ((graph.equal[k].leaves() >> leaf & 1) != 0) keys |= Mask{1} << k;
    return keys;
  }

  /// What comes out, and what is kept: a row in a table costs more than one that looks there. That
  /// costs less where the key is one integer, which is not hashed (hash_join.hpp).
  static double cost_of_join(const Plan& a, const Plan& b, double rows, Mask integers) {
    const Mask keys = a.keys & b.keys;
    const double looking = std::has_single_bit(keys) && (keys & integers) != 0 ? 0.5 : 1.5;
    return a.cost + b.cost + rows + std::max(a.rows, b.rows) * looking +
           std::min(a.rows, b.rows) * 2;
  }

  static RelationPtr build(Mask leaves, Plans& plans, const Graph& graph) {
    const Plan& plan = plans.of(leaves);
    if (plan.first == 0) {
      const auto leaf = static_cast<std::size_t>(std::countr_zero(leaves));
      return with_own_terms(graph.cluster->leaves[leaf], leaves, graph);
    }
    const Mask other = leaves & ~plan.first;
    const RelationPtr a = build(plan.first, plans, graph);
    const RelationPtr b = build(other, plans, graph);
    return join_sides(a, plans.of(plan.first).rows, plan.first, b, plans.of(other).rows, other,
                      graph);
  }

  /// Terms of one leaf alone, where a cluster has such.
  static RelationPtr with_own_terms(const RelationPtr& leaf, Mask mask, const Graph& graph) {
    Expressions own;
    for (const Term& term : graph.terms)
      if (term.leaves == mask) own.push_back(term.expression);
    return filter(leaf, all_of(std::move(own)));
  }

  /// The smaller side is the right one.
  static RelationPtr join_sides(const RelationPtr& a, double a_rows, Mask a_mask,
                                const RelationPtr& b, double b_rows, Mask b_mask,
                                const Graph& graph) {
    Expressions condition;
    const Mask both = a_mask | b_mask;
    for (const EqualColumns& equal : graph.equal) {
      const EqualColumns::Member* const of_a = equal.in(a_mask);
      const EqualColumns::Member* const of_b = equal.in(b_mask);
      if (of_a != nullptr && of_b != nullptr)
        condition.push_back(call("=", {of_a->column, of_b->column}));
    }
    for (const Term& term : graph.terms) {
      const bool inside_one = (term.leaves & ~a_mask) == 0 || (term.leaves & ~b_mask) == 0;
      if ((term.leaves & ~both) == 0 && !inside_one) condition.push_back(term.expression);
      // Of no leaf at all: once.
      if (term.leaves == 0 && std::has_single_bit(a_mask) && (a_mask & 1) != 0)
        condition.push_back(term.expression);
    }
    const ExpressionPtr all = all_of(std::move(condition));
    Relation made =
        a_rows >= b_rows ? *join(JoinKind::kInner, a, b, all) : *join(JoinKind::kInner, b, a, all);
    made.expected_rows = rows_of(both, graph);
    return std::make_shared<const Relation>(std::move(made));
  }

  static RelationPtr by_greed(const Graph& graph) {
    const Cluster& cluster = *graph.cluster;
    struct Side {
      RelationPtr relation;
      Mask leaves;
      double rows;
    };
    std::vector<Side> sides;
    for (std::size_t i = 0; i < cluster.leaves.size(); ++i) {
      const Mask mask = Mask{1} << i;
      sides.push_back({with_own_terms(cluster.leaves[i], mask, graph), mask, graph.rows[i]});
    }
    while (sides.size() > 1) {
      std::size_t first = 0;
      std::size_t second = 1;
      double least = kNone;
      for (std::size_t a = 0; a < sides.size(); ++a) {
        for (std::size_t b = a + 1; b < sides.size(); ++b) {
          const double rows = rows_of(sides[a].leaves | sides[b].leaves, graph);
          const bool connected = are_connected(sides[a].leaves, sides[b].leaves, graph);
          const double cost = connected ? rows : rows * 1e6;
          if (cost < least) {
            least = cost;
            first = a;
            second = b;
          }
        }
      }
      Side& a = sides[first];
      const Side& b = sides[second];
      const double rows = rows_of(a.leaves | b.leaves, graph);
      a.relation = join_sides(a.relation, a.rows, a.leaves, b.relation, b.rows, b.leaves, graph);
      a.leaves |= b.leaves;
      a.rows = rows;
      sides.erase(sides.begin() + static_cast<std::ptrdiff_t>(second));
    }
    return sides[0].relation;
  }

  Estimates estimates_;
  std::map<const Relation*, RelationPtr> done_;
  std::vector<RelationPtr> kept_;  // so that no other gets the address of one that is done
};

}  // namespace

RelationPtr order_joins(const RelationPtr& relation) { return OrderJoins().order(relation); }

}  // namespace grappa::query
