#include "grappa/query/series_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/global_memory.hpp"

namespace grappa::query {
namespace {

Range range_of(std::int64_t first, std::int64_t step, std::int64_t rows) {
  const Int128 last = Int128{first} + Int128{step} * (rows - 1);
  return {.least = std::min<Int128>(first, last), .greatest = std::max<Int128>(first, last)};
}

Block block_of(std::int64_t first, std::int64_t step, std::size_t rows) {
  ColumnBlock column;
  column.type = kInt64;
  column.values = std::make_unique<std::byte[]>(rows * sizeof(std::int64_t));
  auto* const values = reinterpret_cast<std::int64_t*>(column.values.get());
  for (std::size_t i = 0; i < rows; ++i) values[i] = first + step * static_cast<std::int64_t>(i);
  column.range = range_of(first, step, static_cast<std::int64_t>(rows));
  Block block;
  block.rows = rows;
  block.columns.push_back(std::move(column));
  return block;
}

}  // namespace

Table series_table(const Team& team, const std::string& name, std::int64_t first, std::int64_t step,
                   std::int64_t rows) {
  constexpr std::int64_t kMost = std::int64_t{1} << 58;  // whose bytes can be said
  const auto share = static_cast<std::uint64_t>(std::min(kMost, rows / team.locales + 1));
  internal::require_on_locale(share * sizeof(std::int64_t), "generate_series");
  constexpr auto kRows = static_cast<std::int64_t>(kBlockRows);
  const std::int64_t blocks = (rows + kRows - 1) / kRows;
  const std::int64_t begin = blocks / team.locales * team.locale +
                             std::min<std::int64_t>(blocks % team.locales, team.locale);
  const std::int64_t mine = blocks / team.locales + (team.locale < blocks % team.locales ? 1 : 0);
  Table table;
  table.rows = rows;
  table.blocks.resize(static_cast<std::size_t>(mine));
  io::for_parts(team.parallel, mine, [&](std::int64_t part) {
    stop_if_cancelled();
    const std::int64_t before = (begin + part) * kRows;
    table.blocks[static_cast<std::size_t>(part)] = block_of(
        first + step * before, step, static_cast<std::size_t>(std::min(kRows, rows - before)));
  });
  ColumnFacts facts;
  facts.has_nulls = false;
  facts.distinct = static_cast<double>(rows);
  if (rows > 0) facts.range = range_of(first, step, rows);
  table.columns.push_back({name, kInt64, facts});
  return table;
}

}  // namespace grappa::query
