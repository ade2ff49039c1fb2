#include "grappa/query/table_builder.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "grappa/query/block_builder.hpp"
#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/io/column_facts.hpp"
#include "grappa/query/table_sample.hpp"

namespace grappa::query {
namespace {

/// Where nothing says what NULLs are, they are texts.
std::vector<Type> stored_types(const Expressions& columns) {
  std::vector<Type> types = types_of(columns);
  for (Type& type : types)
    if (type.id == TypeId::kNull) type = kText;
  return types;
}

/// What a core has made.
struct Made {
  std::vector<Block> blocks;
  std::vector<PartialFacts> facts;
};

class BuildBlocks final : public Stage {
 public:
  BuildBlocks(const std::vector<std::size_t>& places, const Expressions& columns, Made& made)
      : places_(places), made_(made), builder_(stored_types(columns)) {
    made_.facts.resize(columns.size());
  }

  void push(Batch& batch) override {
    builder_.append(batch, places_, [this](Block block) { keep(std::move(block)); });
  }
  void finish() override {
    if (builder_.rows() > 0) keep(builder_.finish());
    for (std::size_t c = 0; c < made_.facts.size(); ++c)
      made_.facts[c].sketch.merge(builder_.sketch(c));
  }

 private:
  void keep(Block block) {
    for (std::size_t c = 0; c < block.columns.size(); ++c) made_.facts[c].add(block.columns[c]);
    made_.blocks.push_back(std::move(block));
  }

  const std::vector<std::size_t>& places_;
  Made& made_;
  BlockBuilder builder_;
};

/// What locales tell one another.
struct Part {
  std::int64_t rows = 0;
  std::vector<PartialFacts> facts;
  static constexpr auto kMembers = std::tuple(&Part::rows, &Part::facts);
};

}  // namespace

Table build_table(const Team& team, const Executor::Open& rows,
                  const std::vector<std::string>& names, const Expressions& columns) {
  std::vector<Made> made(static_cast<std::size_t>(team.cores));
  run(team, rows.pipeline, [&](int core) {
    return std::make_unique<BuildBlocks>(rows.places, columns,
                                         made[static_cast<std::size_t>(core)]);
  });
  std::vector<Block> blocks;
  std::vector<PartialFacts> facts(columns.size());
  for (Made& of_core : made) {
    for (std::size_t c = 0; c < of_core.facts.size(); ++c) facts[c].add(of_core.facts[c]);
    std::ranges::move(of_core.blocks, std::back_inserter(blocks));
  }
  const std::vector<Type> types = stored_types(columns);
  std::vector<std::pair<std::string, Type>> named;
  for (std::size_t c = 0; c < columns.size(); ++c) named.emplace_back(names[c], types[c]);
  return table_of_blocks(team, std::move(blocks), facts, named);
}

Table table_of_blocks(const Team& team, std::vector<Block> blocks,
                      const std::vector<PartialFacts>& facts,
                      const std::vector<std::pair<std::string, Type>>& columns) {
  Part mine{.facts = facts};
  for (const Block& block : blocks) mine.rows += static_cast<std::int64_t>(block.rows);
  Table table;
  table.blocks = std::move(blocks);
  // Whoever has failed says so first.
  team.meet([](std::span<const std::byte>) {});
  std::vector<PartialFacts> all(columns.size());
  for (const Part& part : all_gather(team.exchange, mine)) {
    table.rows += part.rows;
    for (std::size_t c = 0; c < columns.size(); ++c) all[c].add(part.facts[c]);
  }
  for (std::size_t c = 0; c < columns.size(); ++c)
    table.columns.push_back({columns[c].first, columns[c].second, all[c].facts()});
  table.sample = sample_of(team, table);
  return table;
}

}  // namespace grappa::query
