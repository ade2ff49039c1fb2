#include "grappa/query/table_memory.hpp"

#include <atomic>

#include "grappa/query/text_ref.hpp"

namespace grappa::query {

std::size_t bytes_of(const ColumnBlock& column, std::size_t rows) {
  const bool has_dictionary = column.codes != nullptr;
  const std::size_t values = has_dictionary ? column.dictionary_size : rows;
  std::size_t bytes = 0;
  if (!column.values.get_deleter().is_borrowed()) bytes += values * size_of(column.type.physical());
  if (has_dictionary) bytes += rows * sizeof(Position);
  if (column.valid != nullptr) bytes += words_for_bits(values) * sizeof(std::uint64_t);
  if (column.texts.empty()) return bytes;
  const auto* const texts = reinterpret_cast<const TextRef*>(column.values.get());
  for (std::size_t i = 0; i < values; ++i)
    if (!texts[i].is_short()) bytes += texts[i].size();
  return bytes;
}

std::size_t bytes_of(const Table& table, const io::ParallelFor& parallel) {
  std::atomic<std::size_t> bytes{0};
  io::for_parts(parallel, static_cast<std::int64_t>(table.blocks.size()), [&](std::int64_t i) {
    const Block& block = table.blocks[static_cast<std::size_t>(i)];
    for (const ColumnBlock& column : block.columns) bytes += bytes_of(column, block.rows);
  });
  return bytes;
}

}  // namespace grappa::query
