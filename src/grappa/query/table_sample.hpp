#pragma once

// A sample of a table's rows, by which the optimizer estimates what a condition lets through.
//
//   triples.sample = sample_of(team, triples);
//
// Up to 16 Ki rows: all of a table that has no more; of others one of each stretch of rows,
// anywhere in it, so that neither the beginning nor a pattern of the rows counts more. Locales plan
// for themselves and must come to the same plan, so all of them have the rows of all. Of texts
// there is the beginning: estimates are not worth more memory.

#include <cstddef>
#include <vector>

#include "grappa/query/exec/team.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// Of a table that is in memory. By the leaders of all locales.
Block sample_of(const Team& team, const Table& table);

/// The same of some columns, whose blocks are there one after the other: any core adds them.
class SampledColumns {
 public:
  /// By the leaders of all locales, as is add_to().
  SampledColumns(const Team& team, const Table& table, std::vector<std::size_t> columns);
  /// Once for each block and column.
  void add(std::size_t block, std::size_t column, const ColumnBlock& values);
  /// When all were added.
  void add_to(Block& sample);

 private:
  const Team& team_;
  std::vector<std::size_t> columns_;
  std::vector<Type> types_;
  /// By block of this locale.
  std::vector<std::vector<Position>> rows_;
  std::vector<Block> parts_;
};

}  // namespace grappa::query
