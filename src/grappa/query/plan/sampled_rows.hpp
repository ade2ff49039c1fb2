#pragma once

// What a condition lets through of a table, as its sample tells (table_sample.hpp).
//
//   if (const auto sampled = sampled_rows(*relation, condition))
//     use(sampled->rows());
//
// A sample sees what facts of single columns do not: conditions that depend on one another, and how
// many values of a column go with what is asked for.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

/// How often each value comes in a sample; without NULL.
class SampledValues {
 public:
  /// `fraction`: how much of the table the sample is.
  SampledValues(const std::vector<std::uint64_t>& hashes, double fraction);

  /// How many the table has: the estimate of A. Chao and C.-W. Lin ("Nonparametric lower bounds for
  /// species richness and shared species richness under sampling without replacement", Biometrics
  /// 2012).
  double distinct() const;
  /// Pairs of a row of each that have the same value.
  struct Pairs {
    double rows;  // of the tables, about
    double one;   // so many are one of the samples
  };
  Pairs pairs(const SampledValues& other) const;

 private:
  struct Slot {
    std::uint64_t hash;
    std::uint64_t rows;  // none: it is empty
  };
  std::size_t slot_of(std::uint64_t hash) const;

  std::vector<Slot> slots_;
  std::size_t different_ = 0;
  std::size_t rows_;
  double fraction_;
};

class SampledRows {
 public:
  /// `selected`: of each batch of the sample, the positions of the rows that pass.
  SampledRows(const Relation& scan, std::vector<std::vector<Position>> selected);

  /// Of the table, about so many pass. Where none of the sample does, fewer than half of what one
  /// of them stands for.
  double rows() const;
  bool has_none() const { return hits_ == 0; }
  /// Of a column of the scan, among those that pass. Nothing for other columns, and where none of
  /// the sample passes.
  const SampledValues* values(ColumnId column) const;
  std::optional<double> distinct(ColumnId column) const;

 private:
  std::optional<std::size_t> sampled_column(ColumnId column) const;
  std::vector<std::uint64_t> hashes(std::size_t table_column) const;
  double fraction() const;

  std::shared_ptr<const Table> table_;
  std::map<ColumnId, std::size_t> table_columns_;
  std::vector<std::vector<Position>> selected_;  // by batch of the sample
  std::size_t hits_ = 0;
  mutable std::map<ColumnId, std::optional<SampledValues>> values_;  // that were asked for
};

/// Nothing where the table has no sample, or the condition fails for a row of it. Without a
/// condition all of them.
std::shared_ptr<const SampledRows> sampled_rows(const Relation& scan,
                                                const ExpressionPtr& condition);

}  // namespace grappa::query
