#pragma once

// A join of two sides in files, partition by partition.
//
//   PartitionedJoin both{memory, join.take_spilled(), std::move(left), spec, probe};
//   auto source = partitioned_join_source(std::move(both), team.cores);
//
// Both sides were divided by the hashes of their keys, so partners are in partitions of the same
// number. Each is the work of one core, which makes a HashJoin of the right rows and lets the left
// ones probe it. A partition that does not fit is divided anew; where that does not help, as its
// keys are one, its right rows are taken as many at a time as fit, and the left ones probe each
// time. (L. D. Shapiro: "Join Processing in Database Systems with Large Main Memories", TODS 1986.)

#include <memory>

#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/exec/partitioned_rows.hpp"
#include "grappa/query/exec/pipeline.hpp"

namespace grappa::query {

struct PartitionedJoin {
  OperatorMemoryPtr memory;
  std::unique_ptr<PartitionedRows> right;
  std::unique_ptr<PartitionedRows> left;
  /// Places are those of the rows in the files.
  JoinSpec spec;
  ProbeSpec probe;
};

/// Its batches have the columns of the left rows, then those of the right ones, or the mark; those
/// of right rows without a partner, too, and of kinds that show right rows only these.
std::shared_ptr<Source> partitioned_join_source(PartitionedJoin join, int cores);

}  // namespace grappa::query
