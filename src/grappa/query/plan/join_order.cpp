#include "grappa/query/plan/join_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "grappa/query/expression/function.hpp"
#include "grappa/query/plan/join_pairs.hpp"

namespace grappa::query {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

/// How leaves are best joined.
struct Plan {
  double cost = 0;
  double rows = 0;
  RelationSet keys = 0;   // numbers of the equal columns that they have
  RelationSet first = 0;  // of the two sides; 0: a leaf
};
class Plans {
 public:
  explicit Plans(std::size_t leaves) : numbers_(std::size_t{1} << leaves) {}
  void add(RelationSet leaves, const Plan& plan) {
    numbers_[leaves] = static_cast<std::uint32_t>(plans_.size());
    plans_.push_back(plan);
  }
  bool has(RelationSet leaves) const { return numbers_[leaves] != 0; }
  Plan& of(RelationSet leaves) { return plans_[numbers_[leaves]]; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<Plan> plans_{Plan{}};  // the first is nobody's
};

RelationSet keys_of(std::size_t leaf, const JoinGraph& graph) {
  RelationSet keys = 0;
  for (std::size_t k = 0; k < graph.equal_columns().size() && k < 64; ++k)
    if ((graph.equal_columns()[k].leaves() >> leaf & 1) != 0) keys |= RelationSet{1} << k;
  return keys;
}

/// What comes out, and what is kept: a row in a table costs more than one that looks there. That
/// costs less where the key is one integer, which is not hashed (hash_join.hpp).
double cost_of_join(const Plan& a, const Plan& b, double rows, RelationSet integers) {
  const RelationSet keys = a.keys & b.keys;
  const double looking = std::has_single_bit(keys) && (keys & integers) != 0 ? 0.5 : 1.5;
  return a.cost + b.cost + rows + std::max(a.rows, b.rows) * looking + std::min(a.rows, b.rows) * 2;
}

/// Terms of one leaf alone, where a cluster has such.
RelationPtr with_own_terms(const RelationPtr& leaf, RelationSet mask, const JoinGraph& graph) {
  Expressions own;
  for (const JoinGraph::Term& term : graph.terms())
    if (term.leaves == mask) own.push_back(term.expression);
  return filter(leaf, all_of(std::move(own)));
}

/// The smaller side is the right one.
RelationPtr join_sides(const RelationPtr& a, double a_rows, RelationSet a_mask,
                       const RelationPtr& b, double b_rows, RelationSet b_mask,
                       const JoinGraph& graph) {
  Expressions condition;
  const RelationSet both = a_mask | b_mask;
  for (const EqualColumns& equal : graph.equal_columns()) {
    const EqualColumns::Member* const of_a = equal.in(a_mask);
    const EqualColumns::Member* const of_b = equal.in(b_mask);
    if (of_a != nullptr && of_b != nullptr)
      condition.push_back(call("=", {of_a->column, of_b->column}));
  }
  for (const JoinGraph::Term& term : graph.terms()) {
    const bool inside_one = (term.leaves & ~a_mask) == 0 || (term.leaves & ~b_mask) == 0;
    if ((term.leaves & ~both) == 0 && !inside_one) condition.push_back(term.expression);
    // Of no leaf at all: once.
    if (term.leaves == 0 && std::has_single_bit(a_mask) && (a_mask & 1) != 0)
      condition.push_back(term.expression);
  }
  const ExpressionPtr all = all_of(std::move(condition));
  Relation made =
      a_rows >= b_rows ? *join(JoinKind::kInner, a, b, all) : *join(JoinKind::kInner, b, a, all);
  made.expected_rows = graph.rows_of(both);
  return std::make_shared<const Relation>(std::move(made));
}

RelationPtr build(RelationSet leaves, Plans& plans, const JoinGraph& graph) {
  const Plan& plan = plans.of(leaves);
  if (plan.first == 0) {
    const auto leaf = static_cast<std::size_t>(std::countr_zero(leaves));
    return with_own_terms(graph.leaves()[leaf], leaves, graph);
  }
  const RelationSet other = leaves & ~plan.first;
  const RelationPtr a = build(plan.first, plans, graph);
  const RelationPtr b = build(other, plans, graph);
  return join_sides(a, plans.of(plan.first).rows, plan.first, b, plans.of(other).rows, other,
                    graph);
}

/// Nothing where there are too many.
RelationPtr by_all_orders(const JoinGraph& graph) {
  constexpr std::size_t kMostLeaves = 20;
  constexpr std::size_t kMostPairs = std::size_t{1} << 19;
  const std::size_t count = graph.leaves().size();
  if (count > kMostLeaves) return nullptr;
  Plans plans(count);
  for (std::size_t i = 0; i < count; ++i)
    plans.add(RelationSet{1} << i,
              {.cost = 0, .rows = graph.rows(i), .keys = keys_of(i, graph), .first = 0});
  const std::vector<EqualColumns>& equal = graph.equal_columns();
  RelationSet integers = 0;
  for (std::size_t k = 0; k < equal.size() && k < 64; ++k)
    if (equal[k].members[0].column->type.is_counted()) integers |= RelationSet{1} << k;
  const bool are_all =
      JoinPairs(graph.neighbours()).for_each(kMostPairs, [&](RelationSet a, RelationSet b) {
        if (!plans.has(a | b))
          plans.add(a | b, {.cost = kNone,
                            .rows = graph.rows_of(a | b),
                            .keys = plans.of(a).keys | plans.of(b).keys,
                            .first = 0});
        Plan& plan = plans.of(a | b);
        const double cost = cost_of_join(plans.of(a), plans.of(b), plan.rows, integers);
        if (plan.first == 0 || cost < plan.cost) {  // it may be that no cost is a number
          plan.cost = cost;
          plan.first = a;
        }
      });
  return are_all ? build((RelationSet{1} << count) - 1, plans, graph) : nullptr;
}

RelationPtr by_greed(const JoinGraph& graph) {
  struct Side {
    RelationPtr relation;
    RelationSet leaves;
    double rows;
  };
  std::vector<Side> sides;
  for (std::size_t i = 0; i < graph.leaves().size(); ++i) {
    const RelationSet mask = RelationSet{1} << i;
    sides.push_back({with_own_terms(graph.leaves()[i], mask, graph), mask, graph.rows(i)});
  }
  while (sides.size() > 1) {
    std::size_t first = 0;
    std::size_t second = 1;
    double least = kNone;
    for (std::size_t a = 0; a < sides.size(); ++a) {
      for (std::size_t b = a + 1; b < sides.size(); ++b) {
        const double rows = graph.rows_of(sides[a].leaves | sides[b].leaves);
        const bool connected = graph.are_connected(sides[a].leaves, sides[b].leaves);
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
    const double rows = graph.rows_of(a.leaves | b.leaves);
    a.relation = join_sides(a.relation, a.rows, a.leaves, b.relation, b.rows, b.leaves, graph);
    a.leaves |= b.leaves;
    a.rows = rows;
    sides.erase(sides.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return sides[0].relation;
}

}  // namespace

RelationPtr best_order(const JoinGraph& graph) {
  const RelationPtr best = by_all_orders(graph);
  return best ? best : by_greed(graph);
}

}  // namespace grappa::query
