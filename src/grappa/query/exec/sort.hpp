#pragma once

// ORDER BY: all rows, or the first of them.
//
//   auto source = sort(team, pipeline, {places, types, {{0, true}}, 10});     // the last ten

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/rows_source.hpp"

namespace grappa::query {

struct SortKey {
  std::size_t column;  // among those that are kept
  bool descending = false;
  bool nulls_first = false;
};

struct Sorting {
  std::vector<std::size_t> columns{};  // places in the batches
  std::vector<Type> types{};
  std::vector<SortKey> keys{};
  /// So many rows are needed.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// < 0, 0, > 0 by the keys.
int compare_rows(const RowLayout& layout, const std::vector<SortKey>& keys, const std::byte* a,
                 const std::byte* b);

/// Rows that are equal by the keys are in any order.
std::shared_ptr<Source> sort(const Team& team, const Pipeline& input, const Sorting& plan);

/// The rows of the pipeline in order, and in `rows`.
std::vector<std::byte*> sorted_rows(const Team& team, const Pipeline& input, const Sorting& plan,
                                    std::shared_ptr<Rows>& rows);

}  // namespace grappa::query
