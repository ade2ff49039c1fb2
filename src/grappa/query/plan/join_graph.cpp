#include "grappa/query/plan/join_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "grappa/query/expression/function.hpp"

namespace grappa::query {

JoinGraph::JoinGraph(JoinCluster cluster, Estimates& estimates)
    : leaves_(std::move(cluster.leaves)) {
  std::set<ColumnId> used;
  for (const ExpressionPtr& term : cluster.terms) used.merge(columns_of(*term));
  Estimate all;
  for (const RelationPtr& leaf : leaves_) {
    const Estimate& of_leaf = estimates.of(leaf);
    rows_.push_back(of_leaf.rows);
    all.rows = std::max(all.rows, of_leaf.rows);
    for (const ExpressionPtr& of : leaf->columns)
      if (used.contains(of->column)) all.distinct[of->column] = of_leaf.distinct_of(of->column);
  }
  for (const ExpressionPtr& expression : cluster.terms) {
    if (add_equality(*expression, estimates)) continue;
    Term term{.expression = expression};
    for (const ColumnId column : columns_of(*expression)) {
      const std::size_t leaf = leaf_of(column);
      if (leaf < leaves_.size()) term.leaves |= RelationSet{1} << leaf;
    }
    term.selectivity = Estimates::selectivity(*expression, all);
    terms_.push_back(std::move(term));
  }
  correct_by_rows();
  correct_by_samples(estimates);
  const auto says = [](const Correction& of) { return -std::abs(std::log(of.factor)); };
  for (auto& [columns, corrections] : corrections_) std::ranges::stable_sort(corrections, {}, says);
}

std::size_t JoinGraph::leaf_of(ColumnId column) const {
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    for (const ExpressionPtr& of : leaves_[i]->columns)
      if (of->column == column) return i;
  return leaves_.size();
}

bool JoinGraph::add_equality(const Expression& term, Estimates& estimates) {
  if (term.kind != ExpressionKind::kCall || term.function->name != "=") return false;
  const ExpressionPtr& a = term.arguments[0];
  const ExpressionPtr& b = term.arguments[1];
  if (!a->is_column() || !b->is_column()) return false;
  const auto class_of = [&](const ExpressionPtr& column) {
    for (std::size_t i = 0; i < equal_.size(); ++i)
      for (const EqualColumns::Member& member : equal_[i].members)
        if (member.column->column == column->column) return i;
    const std::size_t leaf = leaf_of(column->column);
    const double distinct = estimates.of(leaves_[leaf]).distinct_of(column->column);
    equal_.push_back({{{leaf, column, std::max(1.0, distinct)}}});
    return equal_.size() - 1;
  };
  if (leaf_of(a->column) == leaf_of(b->column)) return false;
  const std::size_t first = class_of(a);
  const std::size_t second = class_of(b);
  if (first == second) return true;
  auto& members = equal_[first].members;
  // Two columns of one leaf stay two terms: only leaves that differ are joined by a class.
  for (const EqualColumns::Member& member : equal_[second].members)
    if (equal_[first].leaves() >> member.leaf & 1) return false;
  members.insert(members.end(), equal_[second].members.begin(), equal_[second].members.end());
  equal_.erase(equal_.begin() + static_cast<std::ptrdiff_t>(second));
  return true;
}

std::vector<std::size_t> JoinGraph::columns_of_both(RelationSet leaves) const {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < equal_.size(); ++i)
    if ((equal_[i].leaves() & leaves) == leaves) columns.push_back(i);
  return columns;
}

/// Several columns are one key, which has no more values than the smaller of two leaves has rows,
/// however many values its columns have.
void JoinGraph::correct_by_rows() {
  const std::size_t count = leaves_.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const RelationSet both = RelationSet{1} << i | RelationSet{1} << j;
      const std::vector<std::size_t> columns = columns_of_both(both);
      double product = 1;
      for (const std::size_t column : columns)
        product /= std::max(equal_[column].in(RelationSet{1} << i)->distinct,
                            equal_[column].in(RelationSet{1} << j)->distinct);
      const double fewest = std::min(rows_[i], rows_[j]);
      if (columns.size() > 1 && product < 1 / fewest)
        corrections_[columns].push_back({both, 1 / fewest / product});
    }
  }
}

/// Values are not spread evenly: a key that many rows of one table have is one that many rows of
/// another have, and conditions choose such keys, or others. Samples tell how many pairs there
/// are.
void JoinGraph::correct_by_samples(Estimates& estimates) {
  std::vector<std::shared_ptr<const SampledRows>> samples;
  for (const RelationPtr& leaf : leaves_) samples.push_back(estimates.sample_of(leaf));
  for (const EqualColumns& equal : equal_) {
    std::vector<const SampledValues*> values;
    for (const EqualColumns::Member& member : equal.members)
      values.push_back(is_whole_key(member) || !samples[member.leaf]
                           ? nullptr
                           : samples[member.leaf]->values(member.column->column));
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = i + 1; j < values.size(); ++j)
        if (values[i] != nullptr && values[j] != nullptr)
          correct(equal.members[i], equal.members[j], values[i]->pairs(*values[j]));
  }
}

/// Whether each row of a table has a value of its own: it is the partner of all rows of another.
bool JoinGraph::is_whole_key(const EqualColumns::Member& member) const {
  constexpr double kOfRows = 0.9;  // as both are estimates
  return leaves_[member.leaf]->kind == RelationKind::kScan &&
         member.distinct >= kOfRows * rows_[member.leaf];
}

void JoinGraph::correct(const EqualColumns::Member& a, const EqualColumns::Member& b,
                        const SampledValues::Pairs& pairs) {
  constexpr double kFewPairs = 4;  // they tell no more than that there are not many
  const RelationSet both = RelationSet{1} << a.leaf | RelationSet{1} << b.leaf;
  const std::vector<std::size_t> columns = columns_of_both(both);
  if (columns.size() > 1) return;
  const double told = rows_[a.leaf] * rows_[b.leaf] / std::max(a.distinct, b.distinct);
  const double rows =
      pairs.rows >= kFewPairs * pairs.one ? pairs.rows : std::min(told, pairs.rows + pairs.one);
  corrections_[columns].push_back({both, rows / told});
}

double JoinGraph::rows_of(RelationSet leaves) const {
  double rows = 1;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if ((leaves >> i & 1) != 0) rows *= rows_[i];
  for (const Term& term : terms_)
    if ((term.leaves & ~leaves) == 0) rows *= term.selectivity;
  for (const EqualColumns& equal : equal_) {
    // All but the one with the fewest values select.
    double fewest = std::numeric_limits<double>::infinity();
    for (const EqualColumns::Member& member : equal.members) {
      if ((leaves >> member.leaf & 1) == 0) continue;
      rows /= member.distinct;
      fewest = std::min(fewest, member.distinct);
    }
    if (std::isfinite(fewest)) rows *= fewest;
  }
  for (const auto& [columns, corrections] : corrections_)
    rows *= correction_of(leaves, corrections);
  return std::max(rows, 1.0);
}

/// A leaf more is one selection more, and corrected once: of the pairs by which it is joined to
/// the others, that which says most counts.
double JoinGraph::correction_of(RelationSet leaves, const std::vector<Correction>& corrections) {
  double factor = 1;
  std::array<RelationSet, kMostLeaves> joined;  // leaves that corrections connect
  std::size_t count = 0;
  for (const Correction& of : corrections) {
    if ((of.leaves & ~leaves) != 0) continue;
    const auto end = joined.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::any_of(joined.begin(), end, [&](RelationSet m) { return (of.leaves & ~m) == 0; }))
      continue;
    factor *= of.factor;
    RelationSet all = of.leaves;
    const auto rest = std::remove_if(joined.begin(), end, [&](RelationSet m) {
      const bool meets = (m & of.leaves) != 0;
      all |= meets ? m : 0;
      return meets;
    });
    *rest = all;
    count = static_cast<std::size_t>(rest - joined.begin()) + 1;
  }
  return factor;
}

bool JoinGraph::are_connected(RelationSet a, RelationSet b) const {
  return std::ranges::any_of(equal_,
                             [&](const EqualColumns& equal) {
                               return (equal.leaves() & a) != 0 && (equal.leaves() & b) != 0;
                             }) ||
         std::ranges::any_of(terms_, [&](const Term& term) {
           return (term.leaves & a) != 0 && (term.leaves & b) != 0 && (term.leaves & ~(a | b)) == 0;
         });
}

std::vector<RelationSet> JoinGraph::neighbours() const {
  const std::size_t count = rows_.size();
  std::vector<RelationSet> connected(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      if (i != j && are_connected(RelationSet{1} << i, RelationSet{1} << j))
        connected[i] |= RelationSet{1} << j;
  std::vector<RelationSet> neighbours = connected;
  for (std::size_t i = 0; i < count; ++i) {
    RelationSet reached = RelationSet{1} << i;
    for (RelationSet before = 0; before != reached;) {
      before = reached;
      for (std::size_t j = 0; j < count; ++j)
        if ((before >> j & 1) != 0) reached |= connected[j];
    }
    neighbours[i] |= ~reached & ((RelationSet{1} << count) - 1);
  }
  return neighbours;
}

}  // namespace grappa::query
