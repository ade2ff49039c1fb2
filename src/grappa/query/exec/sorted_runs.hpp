#pragma once

// SortedRuns: rows in order, run by run in a file; and all of them in order.
//
//   SortedRuns runs(memory, layout, cores);
//   runs.add(core, sorted);                            // cores at the same time
//   MergedRows merged(runs, order, most);              // when all are there
//   for (std::span<std::byte* const> rows; !(rows = merged.next()).empty();) use(rows);

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/row_order.hpp"
#include "grappa/query/exec/spilled_rows.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

class SortedRuns {
 public:
  SortedRuns(const OperatorMemoryPtr& memory, const RowLayout& layout, int cores);

  void add(int core, std::span<const SortEntry> sorted);

 private:
  friend class MergedRows;
  struct Run {
    std::size_t begin;  // pieces
    std::size_t end;
  };

  OperatorMemoryPtr memory_;
  const RowLayout& layout_;
  SpilledRows rows_;                    // a core's partition has its number
  std::vector<std::vector<Run>> runs_;  // [cores]
};

/// By one core.
class MergedRows {
 public:
  /// The first `most` of them.
  MergedRows(const SortedRuns& runs, const RowOrder& order, std::size_t most);

  /// The next ones, up to kBatchRows, which are there until the next call.
  std::span<std::byte* const> next();

 private:
  /// What is left of a run: rows of the piece that is in memory, then other pieces.
  struct Rest {
    std::size_t partition;
    std::size_t piece;
    std::size_t end;
    RowStore store;
    RowStore::Piece rows;
    SortEntry first;
  };
  /// False where there is no further row.
  bool step(Rest& rest);

  const SortedRuns& runs_;
  const RowOrder& order_;
  std::size_t left_;
  std::vector<Rest> rests_;
  std::vector<std::size_t> heap_;  // of rests_: the one with the least row in front
  std::vector<std::byte*> rows_;   // of the last call
  std::vector<RowStore> gone_;     // that these are in
};

}  // namespace grappa::query
