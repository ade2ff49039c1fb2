#pragma once

// For tests: Parquet files, as bytes.
//
//   const std::string file = file_of({"id"}, {kInt64}, 3, [](ColumnBuilder& column, std::size_t c,
//                                                            std::size_t row) { … });

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grappa/query/column_builder.hpp"
#include "grappa/query/io/parquet/footer_writer.hpp"

namespace grappa::query::parquet::test {

/// A row group of each block.
inline std::string file_of_blocks(const std::vector<std::string>& names,
                                  const std::vector<Type>& types, const std::vector<Block>& blocks,
                                  Codec codec) {
  std::string bytes(kMagic);
  std::vector<SchemaElement> columns;
  for (std::size_t c = 0; c < names.size(); ++c) columns.push_back(stored_as(names[c], types[c]));
  std::vector<WrittenGroup> groups;
  std::vector<std::int64_t> places;
  for (const Block& block : blocks) {
    groups.push_back(write_group(block, codec));
    places.push_back(static_cast<std::int64_t>(bytes.size()));
    bytes += groups.back().bytes;
  }
  return bytes + footer_of(columns, groups, places, codec);
}

/// append(builder, column, row) appends a value; row groups of `group_rows`.
template <class Append>
std::string file_of(const std::vector<std::string>& names, const std::vector<Type>& types,
                    std::size_t rows, const Append& append, Codec codec = Codec::kSnappy,
                    std::size_t group_rows = 100) {
  std::vector<Block> blocks;
  for (std::size_t begin = 0; begin < rows; begin += group_rows) {
    Block& block = blocks.emplace_back();
    block.rows = std::min(group_rows, rows - begin);
    for (std::size_t c = 0; c < types.size(); ++c) {
      ColumnBuilder builder(types[c]);
      for (std::size_t row = begin; row < begin + block.rows; ++row) append(builder, c, row);
      block.columns.push_back(builder.finish());
    }
  }
  return file_of_blocks(names, types, blocks, codec);
}

}  // namespace grappa::query::parquet::test
