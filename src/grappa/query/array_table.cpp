#include "grappa/query/array_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "grappa/delegate/delegate.hpp"
#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/column_builder.hpp"
#include "grappa/query/table_builder.hpp"

namespace grappa::query {
namespace {

/// Elements that are the rows of a block: of a Block array by their indices, of others by their
/// places in the part of the core.
struct RunOfElements {
  int core;
  std::int64_t begin;
  std::int64_t end;
};

void add_runs(int core, std::int64_t begin, std::int64_t end, std::vector<RunOfElements>& runs) {
  constexpr auto kMost = static_cast<std::int64_t>(kBlockRows);
  for (; begin < end; begin += kMost) runs.push_back({core, begin, std::min(end, begin + kMost)});
}

/// f(array) for all arrays of the columns.
template <class F>
void for_each_array(const std::vector<ArrayColumn>& columns, const F& f) {
  for (const ArrayColumn& column : columns) {
    std::visit(f, column.values.array);
    if (column.valid) f(*column.valid);
  }
}

/// The rows of a locale are those of which it has the texts, which cannot be fetched.
const ArrayColumn& leading(const std::vector<ArrayColumn>& columns) {
  const auto text =
      std::ranges::find_if(columns, [](const ArrayColumn& of) { return of.type.is_text(); });
  return text == columns.end() ? columns[0] : *text;
}

std::vector<RunOfElements> runs_of_locale(const Team& team,
                                          const std::vector<ArrayColumn>& columns) {
  std::vector<RunOfElements> runs;
  std::visit(
      [&](const auto& lead) {
        if (lead.distribution() != Distribution::kBlock) {
          for (int i = 0; i < team.cores; ++i) {
            const int core = first_core_of(team.locale) + i;
            add_runs(core, 0, delegate::call(core, [lead] { return lead.local_size(); }), runs);
          }
          return;
        }
        // What has to be fetched is in blocks of its own.
        std::set<std::int64_t> borders = {lead.locale_begin(), lead.locale_end()};
        for_each_array(columns, [&](const auto& array) {
          for (const std::int64_t border : {array.locale_begin(), array.locale_end()})
            borders.insert(std::clamp(border, lead.locale_begin(), lead.locale_end()));
        });
        for (auto next = borders.begin(); std::next(next) != borders.end(); ++next)
          add_runs(0, *next, *std::next(next), runs);
      },
      leading(columns).values.array);
  return runs;
}

template <class T>
Bytes values_of(const GlobalArray<T>& array, const RunOfElements& run) {
  if (array.distribution() != Distribution::kBlock) {
    const auto part = delegate::call(
        run.core, [array] { return reinterpret_cast<std::uintptr_t>(array.local().data()); });
    return borrowed_bytes(reinterpret_cast<const T*>(part) + run.begin);
  }
  if (array.locale_begin() <= run.begin && run.end <= array.locale_end())
    return borrowed_bytes(array.locale_part().data() + (run.begin - array.locale_begin()));
  std::string fetched;
  for (std::int64_t begin = run.begin; begin < run.end;) {
    const int core = array.home(begin);
    const std::int64_t end = std::min(run.end, (core + 1) * array.block());
    fetched += delegate::call(core, [array, begin, end] {
      const T* const first = array.locale_part().data() + (begin - array.locale_begin());
      return std::string(reinterpret_cast<const char*>(first),
                         static_cast<std::size_t>(end - begin) * sizeof(T));
    });
    begin = end;
  }
  Bytes values = std::make_unique_for_overwrite<std::byte[]>(fetched.size());
  std::ranges::copy(std::as_bytes(std::span(fetched)), values.get());
  return values;
}

ColumnBlock column_block(const ArrayColumn& column, const RunOfElements& run) {
  ColumnBlock block;
  block.type = column.type;
  block.values =
      std::visit([&](const auto& array) { return values_of(array, run); }, column.values.array);
  if (!column.valid) return block;
  const Bytes valid = values_of(*column.valid, run);
  const auto rows = static_cast<std::size_t>(run.end - run.begin);
  block.valid = std::make_unique<std::uint64_t[]>(words_for_bits(rows));
  for (std::size_t i = 0; i < rows; ++i)
    if (valid[i] != std::byte{0}) set_bit(block.valid.get(), i);
  return block;
}

}  // namespace

void require_one_table(const std::vector<ArrayColumn>& columns) {
  if (columns.empty()) throw UsageError("a table of arrays has one column at least");
  std::optional<std::pair<std::int64_t, Distribution>> shape;
  for_each_array(columns, [&](const auto& array) {
    array.require_live("a table of arrays");
    const std::pair same(array.size(), array.distribution());
    if (shape.value_or(same) != same)
      throw UsageError("the arrays of a table have one size and one distribution");
    shape = same;
  });
  for (const ArrayColumn& column : columns)
    with_element(column.type.physical(), [&]<class T>() {
      if (!std::holds_alternative<GlobalArray<T>>(column.values.array))
        throw UsageError(fmt::format("the array of the column {} has no elements of {}",
                                     column.name, name_of(column.type)));
    });
}

Table table_of_arrays(const Team& team, const std::vector<ArrayColumn>& columns) {
  std::vector<Block> blocks;
  for (const RunOfElements& run : runs_of_locale(team, columns)) {
    Block& block = blocks.emplace_back();
    block.rows = static_cast<std::size_t>(run.end - run.begin);
    for (const ArrayColumn& column : columns) block.columns.push_back(column_block(column, run));
  }
  std::vector<std::vector<PartialFacts>> facts_of(blocks.size());
  io::for_parts(team.parallel, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t part) {
    stop_if_cancelled();
    Block& block = blocks[static_cast<std::size_t>(part)];
    for (ColumnBlock& column : block.columns) {
      PartialFacts& facts = facts_of[static_cast<std::size_t>(part)].emplace_back();
      examine(column, block.rows, &facts.sketch);
      facts.add(column);
    }
  });
  std::vector<PartialFacts> facts(columns.size());
  for (const std::vector<PartialFacts>& of_block : facts_of)
    for (std::size_t c = 0; c < columns.size(); ++c) facts[c].add(of_block[c]);
  std::vector<std::pair<std::string, Type>> named;
  for (const ArrayColumn& column : columns) named.emplace_back(column.name, column.type);
  return table_of_blocks(team, std::move(blocks), facts, named);
}

}  // namespace grappa::query
