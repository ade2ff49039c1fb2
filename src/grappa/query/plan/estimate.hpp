#pragma once

// About how many rows a relation has, and how many different values its columns.
//
//   Estimates estimates;
//   double rows = estimates.of(relation).rows;
//
// From what is known of tables (ColumnFacts), with values spread evenly and columns independent of
// one another. Estimates are remembered by relation.

#include <cstdint>
#include <map>
#include <memory>

#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

struct Estimate {
  double rows = 1;
  std::map<ColumnId, double> distinct;

  double distinct_of(ColumnId column) const {
    const auto found = distinct.find(column);
    return found == distinct.end() ? rows : std::min(found->second, rows);
  }
};

class Estimates {
 public:
  const Estimate& of(const RelationPtr& relation);
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
  Estimate of_join(const Relation& relation);

  std::map<RelationPtr, Estimate> known_;
};

/// A relation has no more rows than these, whatever is in them; up to 2^40.
std::int64_t most_rows(const Relation& relation);

}  // namespace grappa::query
