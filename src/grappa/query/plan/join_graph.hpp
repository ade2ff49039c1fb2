#pragma once

// What joins the relations of a cluster, its leaves, and how many rows some of them give together.
//
//   const JoinGraph graph(std::move(cluster), estimates);
//   const double rows = graph.rows_of(0b101);           // of the first leaf with the third one
//   const bool is_product = !graph.are_connected(0b001, 0b100);
//
// Sets of leaves are bits, so that there are at most kMostLeaves.

#include <cstddef>
#include <map>
#include <vector>

#include "grappa/query/plan/estimate.hpp"
#include "grappa/query/plan/join_pairs.hpp"
#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

/// Relations that are joined by inner joins, in whatever order.
struct JoinCluster {
  std::vector<RelationPtr> leaves;
  Expressions terms;
};

/// Columns of different leaves that are all equal: any two of them join their leaves.
struct EqualColumns {
  struct Member {
    std::size_t leaf;
    ExpressionPtr column;
    double distinct;
  };
  std::vector<Member> members;

  RelationSet leaves() const {
    RelationSet all = 0;
    for (const Member& member : members) all |= RelationSet{1} << member.leaf;
    return all;
  }
  const Member* in(RelationSet leaves) const {
    for (const Member& member : members)
      if ((leaves >> member.leaf & 1) != 0) return &member;
    return nullptr;
  }
};

class JoinGraph {
 public:
  static constexpr std::size_t kMostLeaves = 64;

  /// A term, and which leaves it refers to.
  struct Term {
    ExpressionPtr expression;
    RelationSet leaves = 0;
    double selectivity = 1;
  };

  JoinGraph(JoinCluster cluster, Estimates& estimates);

  const std::vector<RelationPtr>& leaves() const { return leaves_; }
  /// Of a leaf.
  double rows(std::size_t leaf) const { return rows_[leaf]; }
  const std::vector<EqualColumns>& equal_columns() const { return equal_; }
  /// What else there is to hold.
  const std::vector<Term>& terms() const { return terms_; }

  /// Of a join of these leaves.
  double rows_of(RelationSet leaves) const;
  bool are_connected(RelationSet a, RelationSet b) const;
  /// By leaf, with which others it can be joined: those that something connects it with, and those
  /// that nothing leads to.
  std::vector<RelationSet> neighbours() const;

 private:
  /// How many times as many rows two leaves have together as their columns tell.
  struct Correction {
    RelationSet leaves;
    double factor;
  };

  std::size_t leaf_of(ColumnId column) const;
  bool add_equality(const Expression& term, Estimates& estimates);
  std::vector<std::size_t> columns_of_both(RelationSet leaves) const;
  bool is_whole_key(const EqualColumns::Member& member) const;
  void correct_by_rows();
  void correct_by_samples(Estimates& estimates);
  void correct(const EqualColumns::Member& a, const EqualColumns::Member& b,
               const SampledValues::Pairs& pairs);
  static double correction_of(RelationSet leaves, const std::vector<Correction>& corrections);

  std::vector<RelationPtr> leaves_;
  std::vector<double> rows_;
  std::vector<EqualColumns> equal_;
  std::vector<Term> terms_;
  /// Of leaves that the same columns join (their numbers in `equal_`): those that say most first.
  std::map<std::vector<std::size_t>, std::vector<Correction>> corrections_;
};

}  // namespace grappa::query
