#pragma once

// Columns of a table that is read from a file.
//
//   // on the first core of every locale:
//   read_columns(table, {0, 3}, DistinctCounting::kWanted, keep_in(table), parallel, exchange);
//   use(table.columns[3].facts);
//
// Each column of each group of blocks is the work of a core. Errors, the same on every locale:
// InputError; Cancelled. Collective; supersteps of the exchange; switches tasks.

#include <cstddef>
#include <functional>
#include <vector>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/table_file.hpp"

namespace grappa::query {

/// What becomes of the values. Called by any core, once for each block.
using TakeColumnBlock =
    std::function<void(std::size_t block, std::size_t column, ColumnBlock values)>;
TakeColumnBlock keep_in(Table& table);

/// Of columns that were not read before, which is when different values are counted, the facts and
/// the ranges of blocks are known then.
void read_columns(Table& table, const std::vector<std::size_t>& columns, DistinctCounting counting,
                  const TakeColumnBlock& take, const io::ParallelFor& parallel,
                  const Exchange& exchange, Progress* progress = nullptr);

/// Reads all of them, and is done with the file.
void read_all_columns(Table& table, const io::ParallelFor& parallel, const Exchange& exchange,
                      Progress* progress = nullptr);

}  // namespace grappa::query
