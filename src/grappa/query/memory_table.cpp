#include "grappa/query/memory_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/column_builder.hpp"
#include "grappa/query/table_builder.hpp"

namespace grappa::query {
namespace {

template <class T>
T value_of(const MemoryColumn& column, std::size_t row) {
  if constexpr (std::is_same_v<T, TextRef>) {
    const auto* offsets = static_cast<const std::int64_t*>(column.values);
    return TextRef(std::string_view(column.text_bytes + offsets[row],
                                    static_cast<std::size_t>(offsets[row + 1] - offsets[row])));
  } else {
    return static_cast<const T*>(column.values)[row];
  }
}

/// Some rows of a column, and what is known of them.
ColumnBlock block_of(const MemoryColumn& column, std::size_t begin, std::size_t end,
                     PartialFacts& facts) {
  ColumnBuilder builder(column.type, end - begin);
  with_physical(column.type.physical(), [&]<class T>() {
    for (std::size_t row = begin; row < end; ++row) {
      if (column.valid == nullptr || column.valid[row] != 0)
        builder.append(value_of<T>(column, row));
      else
        builder.append_null();
    }
  });
  ColumnBlock block = builder.finish();
  facts.add(block);
  facts.sketch.merge(builder.sketch());
  return block;
}

}  // namespace

Table table_of_columns(const Team& team, const std::vector<MemoryColumn>& columns,
                       std::int64_t rows) {
  const auto all = static_cast<std::size_t>(rows);
  std::vector<Block> blocks((all + kBlockRows - 1) / kBlockRows);
  std::vector<std::vector<PartialFacts>> facts_of(blocks.size());
  io::for_parts(team.parallel, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t part) {
    stop_if_cancelled();
    const auto index = static_cast<std::size_t>(part);
    const std::size_t begin = index * kBlockRows;
    Block& block = blocks[index];
    block.rows = std::min(kBlockRows, all - begin);
    facts_of[index].resize(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c)
      block.columns.push_back(block_of(columns[c], begin, begin + block.rows, facts_of[index][c]));
  });
  std::vector<PartialFacts> facts(columns.size());
  for (const std::vector<PartialFacts>& of_block : facts_of) {
    for (std::size_t c = 0; c < columns.size(); ++c) facts[c].add(of_block[c]);
  }
  std::vector<std::pair<std::string, Type>> named;
  for (const MemoryColumn& column : columns) named.emplace_back(column.name, column.type);
  return table_of_blocks(team, std::move(blocks), facts, named);
}

}  // namespace grappa::query
