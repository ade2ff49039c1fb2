#pragma once

// How much memory a table takes on its locale.
//
//   charge.add(bytes_of(table, team.parallel));

#include <cstddef>

#include "grappa/io/parallel_for.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// Without what is somebody else's.
std::size_t bytes_of(const ColumnBlock& column, std::size_t rows);
/// Of its blocks.
std::size_t bytes_of(const Table& table, const io::ParallelFor& parallel);

}  // namespace grappa::query
