#pragma once

// About how many rows a relation has, and how many different values its columns.
//
//   Estimates estimates;
//   double rows = estimates.of(relation).rows;
//
// What a condition lets through of a table is what it lets through of its sample. All else is made
// of what is known of columns (ColumnFacts), with values spread evenly and columns independent of
// one another. Estimates are remembered by relation.

#include <cstdint>
#include <map>
#include <memory>

#include "grappa/query/plan/relation.hpp"
#include "grappa/query/plan/sampled_rows.hpp"

namespace grappa::query {

struct Estimate {
  double rows = 1;
  std::map<ColumnId, double> distinct;
  /// Of the tables in it that are filtered; asked when somebody wants to know.
  std::vector<std::shared_ptr<const SampledRows>> samples;

  double distinct_of(ColumnId column) const;
  /// Knows the columns of the other, too.
  void add_columns(const Estimate& other);
};

class Estimates {
 public:
  const Estimate& of(const RelationPtr& relation);
  /// Of a table, or of what a condition lets through of one; nothing where its sample has none.
  std::shared_ptr<const SampledRows> sample_of(const RelationPtr& relation);
  /// Of a join: rows of its left side that have a partner among so many rows of the right one. Of
  /// several conditions the strictest counts alone: at most so many, rather than about.
  double rows_with_partner(const Relation& join, double right_rows);

  /// How much of the rows of `input` the condition lets through, 0 … 1.
  static double selectivity(const Expression& condition, const Estimate& input);
  /// Of the pairs of both sides.
  static double join_selectivity(const Expression& condition, const Estimate& left,
                                 const Estimate& right);

 private:
  Estimate make(const Relation& relation);
  Estimate of_filter(const Relation& relation);
  Estimate of_join(const Relation& relation);

  std::map<RelationPtr, Estimate> known_;
};

/// A relation has no more rows than these, whatever is in them; up to 2^40.
std::int64_t most_rows(const Relation& relation);

}  // namespace grappa::query
