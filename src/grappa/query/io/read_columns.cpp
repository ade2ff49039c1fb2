#include "grappa/query/io/read_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/query/consecutive.hpp"
#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/io/column_facts.hpp"
#include "grappa/query/io/failures.hpp"

namespace grappa::query {
namespace {

struct PartOfColumns {
  Failures failures;
  std::vector<PartialFacts> facts;
  static constexpr auto kMembers = std::tuple(&PartOfColumns::failures, &PartOfColumns::facts);
};

/// One of a group.
struct ColumnOfGroup {
  PartialFacts facts;
  std::optional<Failure> failure;
};

}  // namespace

TakeColumnBlock keep_in(Table& table) {
  return [&table](std::size_t block, std::size_t column, ColumnBlock values) {
    table.blocks[block].columns[column] = std::move(values);
  };
}

void read_columns(Table& table, const std::vector<std::size_t>& columns, DistinctCounting counting,
                  const TakeColumnBlock& take, const io::ParallelFor& parallel,
                  const Exchange& exchange, Progress* progress) {
  const TableFile& file = *table.file;
  const bool is_new = counting == DistinctCounting::kWanted;
  std::vector<ColumnOfGroup> parts(columns.size() * file.groups());
  if (progress != nullptr)
    progress->begin(Progress::kLoading, static_cast<std::int64_t>(parts.size()));
  const auto read = [&](std::size_t group, std::size_t column, PartialFacts& facts) {
    const std::unique_ptr<ColumnReader> reader = file.read(group, column, counting);
    for (std::size_t block = file.begin_of(group); block < file.end_of(group); ++block) {
      ColumnBlock values =
          is_new ? reader->next() : read_again(*reader, table, group, block, column);
      if (is_new) {
        facts.add(values);
        table.blocks[block].columns[column].range = values.range;
      }
      take(block, column, std::move(values));
    }
    facts.sketch = reader->sketch();
  };
  PartOfColumns mine;
  try {
    // Column by column, so that some are wholly in memory where not all can be.
    io::for_parts(parallel, static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
      stop_if_cancelled();
      const auto at = static_cast<std::size_t>(i);
      const std::size_t group = at % file.groups();
      try {
        read(group, columns[at / file.groups()], parts[at].facts);
      } catch (const InputError& error) {
        constexpr int kBitsOfGroup = 40;
        parts[at].failure =
            failure_of(error, static_cast<std::uint64_t>(this_locale()) << kBitsOfGroup | group);
      }
      if (progress != nullptr) ++progress->done;
    });
    for (const ColumnOfGroup& part : parts)
      if (part.failure) mine.failures.push_back(*part.failure);
    std::ranges::stable_sort(mine.failures, {}, &Failure::order);
    if (mine.failures.size() > 1) mine.failures.resize(1);
  } catch (const Cancelled&) {
    mine.failures = {{.is_cancelled = true}};
  }
  if (is_new) {
    mine.facts.resize(columns.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      mine.facts[i / file.groups()].add(parts[i].facts);
  }
  const std::vector<PartOfColumns> all = all_gather(exchange, mine);
  std::vector<Failures> failures;
  for (const PartOfColumns& of : all) failures.push_back(of.failures);
  throw_first(failures);
  if (!is_new) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    PartialFacts facts;
    for (const PartOfColumns& of : all) facts.add(of.facts[c]);
    table.columns[columns[c]].facts = facts.facts();
  }
}

void read_all_columns(Table& table, const io::ParallelFor& parallel, const Exchange& exchange,
                      Progress* progress) {
  read_columns(table, consecutive(table.columns.size()), DistinctCounting::kWanted, keep_in(table),
               parallel, exchange, progress);
  table.file = nullptr;
}

}  // namespace grappa::query
