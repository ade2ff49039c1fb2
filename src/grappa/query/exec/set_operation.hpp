#pragma once

// INTERSECT and EXCEPT, and rows that nobody has seen yet.

#include <memory>
#include <vector>

#include "grappa/query/exec/group_table.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/rows_source.hpp"

namespace grappa::query {

/// The rows that both have, or that only the first has. With `all`, a row that the first has m
/// times and the second n times comes min(m, n) or m - n times; else once. NULLs are equal.
/// `memory`: what they may have, where queries are bounded. Rows that are in files are compared
/// partition by partition.
std::shared_ptr<Source> set_source(const Team& team, const std::shared_ptr<Rows>& first,
                                   const std::shared_ptr<Rows>& second, bool intersects, bool all,
                                   const OperatorMemoryPtr& memory);

/// All that was found so far, to tell what is new.
class NewRows {
 public:
  /// `all`: every row is new.
  NewRows(const std::vector<Type>& types, int cores, bool all, OperatorMemoryPtr memory);
  /// Those that never came before, each once.
  std::shared_ptr<Rows> keep_new(const Rows& rows);

 private:
  std::vector<Type> types_;
  int cores_;
  bool all_;
  OperatorMemoryPtr memory_;
  RowLayout layout_;
  std::size_t is_new_ = 0;  // offset of a byte
  std::unique_ptr<GroupTable> seen_;
};

/// Copies the rows behind those that there are.
void append_rows(Rows& to, const Rows& from);

}  // namespace grappa::query
