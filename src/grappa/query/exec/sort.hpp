#pragma once

// ORDER BY: all rows, or the first of them.
//
//   auto source = sort(team, pipeline, {places, types, {{0, true}}, 10});     // the last ten

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_order.hpp"

namespace grappa::query {

struct Sorting {
  std::vector<std::size_t> columns{};  // places in the batches
  std::vector<Type> types{};
  std::vector<SortKey> keys{};
  /// So many rows are needed.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// Rows that are equal by the keys are in any order. `memory`: what they may have, where queries
/// are bounded; what is more becomes runs in a file (sorted_runs.hpp).
std::shared_ptr<Source> sort(const Team& team, const Pipeline& input, const Sorting& plan,
                             OperatorMemoryPtr memory = nullptr);

}  // namespace grappa::query
