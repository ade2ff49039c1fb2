#pragma once

// What a window function gives for each row.
//
//   set_window_values(layout, rows, function, texts);

#include <cstddef>
#include <vector>

#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/window_partition.hpp"
#include "grappa/query/text_arena.hpp"

namespace grappa::query {

/// Writes the values into the rows, and leaves these in the order of partitions, and in these of
/// the function. `texts`: where those of values are. Cancelled; QueryError.
void set_window_values(const RowLayout& layout, std::vector<std::byte*>& rows,
                       const BoundWindow& function, TextArena& texts);

}  // namespace grappa::query
