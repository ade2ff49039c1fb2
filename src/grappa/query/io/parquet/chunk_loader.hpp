#pragma once

// A column of a row group, as blocks.
//
//   const LoadedChunk loaded = load_chunk(file, column, group.chunks[column.leaf], group.rows);
//
// Damage where the file has something else. For one core; it keeps what is large on the heap.

#include <cstdint>
#include <string_view>
#include <vector>

#include "grappa/query/io/column_facts.hpp"
#include "grappa/query/io/parquet/schema.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query::parquet {

struct LoadedChunk {
  std::vector<ColumnBlock> blocks;  // of kBlockRows rows, the last of what is left
  PartialFacts facts;
};

/// `column` is not refused.
LoadedChunk load_chunk(std::string_view file, const FileColumn& column, const Chunk& chunk,
                       std::int64_t rows);

}  // namespace grappa::query::parquet
