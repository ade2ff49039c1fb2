#pragma once

// A column of a row group, block by block.
//
//   const auto reader = read_chunk(file, column, group.chunks[column.leaf], group.rows, counting);
//   for (; rows > 0; rows -= kBlockRows) use(reader->next());     // the last has what is left
//
// Damage where the file has something else. For one core; it keeps what is large on the heap.

#include <cstdint>
#include <memory>
#include <string_view>

#include "grappa/query/io/parquet/schema.hpp"
#include "grappa/query/table_file.hpp"

namespace grappa::query::parquet {

/// `column` is not refused; it is there as long as the reader.
std::unique_ptr<ColumnReader> read_chunk(std::string_view file, const FileColumn& column,
                                         const Chunk& chunk, std::int64_t rows,
                                         DistinctCounting counting);

}  // namespace grappa::query::parquet
