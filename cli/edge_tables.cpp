#include "cli/edge_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/log.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/load/internal/ask_locales.hpp"
#include "grappa/graph/load/internal/pack_names.hpp"
#include "grappa/graph/load/load_parts.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/query/column_builder.hpp"
#include "grappa/query/table_parts.hpp"

namespace grappa::cli {
namespace {

using query::ColumnBlock;
using query::kBlockRows;
using query::TablePart;

/// A generator may draw an edge twice, which no file of its graph has: one locale makes it alone.
graph::EdgeParts generated(const graph::LoadOptions& options) {
  graph::EdgeList list = graph::load_edge_list(options);
  if (list.needs_simplify) graph::simplify(list, io::runtime_parallel_for());
  return graph::parts_of(std::move(list));
}

/// A column of edges [begin, end).
template <class T, class Value>
ColumnBlock column_of(const query::Type& type, std::size_t begin, std::size_t end,
                      const Value& value, query::PartialFacts& facts) {
  query::ColumnBuilder builder(type, end - begin);
  for (std::size_t i = begin; i < end; ++i) builder.append(T(value(i)));
  ColumnBlock block = builder.finish();
  facts.add(block);
  facts.sketch.merge(builder.sketch());
  return block;
}

/// Makes the blocks of one locale.
class BlockMaker {
 public:
  BlockMaker(const graph::EdgeList& list, const graph::VertexNames& names, bool has_weights)
      : list_(list), names_(names), has_weights_(has_weights) {}

  TablePart make(const io::ParallelFor& parallel) const {
    const std::size_t edges = list_.edges.size();
    const std::size_t count = (edges + kBlockRows - 1) / kBlockRows;
    TablePart part;
    part.blocks.resize(count);
    std::vector<std::vector<query::PartialFacts>> facts(count);
    io::for_parts(parallel, static_cast<std::int64_t>(count), [&](std::int64_t i) {
      const auto block = static_cast<std::size_t>(i);
      const std::size_t begin = block * kBlockRows;
      facts[block].resize(columns());
      part.blocks[block] = block_of(begin, std::min(begin + kBlockRows, edges), facts[block]);
    });
    part.facts.resize(columns());
    for (const auto& of_block : facts)
      for (std::size_t c = 0; c < columns(); ++c) part.facts[c].add(of_block[c]);
    return part;
  }

 private:
  std::size_t columns() const { return has_weights_ ? 3 : 2; }

  query::Block block_of(std::size_t begin, std::size_t end,
                        std::vector<query::PartialFacts>& facts) const {
    query::Block block{.rows = end - begin, .columns = {}};
    const auto add_ends = [&](auto end_of, query::PartialFacts& of) {
      if (names_.is_integer()) {
        block.columns.push_back(column_of<std::int64_t>(
            query::kInt64, begin, end,
            [&](std::size_t i) { return names_.integer(end_of(list_.edges[i])); }, of));
      } else {
        block.columns.push_back(column_of<query::TextRef>(
            query::kText, begin, end,
            [&](std::size_t i) { return names_.text(end_of(list_.edges[i])); }, of));
      }
    };
    add_ends([](const graph::Edge& edge) { return edge.source; }, facts[0]);
    add_ends([](const graph::Edge& edge) { return edge.target; }, facts[1]);
    if (has_weights_)
      block.columns.push_back(column_of<double>(
          query::kDouble, begin, end, [&](std::size_t i) { return list_.weights[i]; }, facts[2]));
    return block;
  }

  const graph::EdgeList& list_;
  const graph::VertexNames& names_;
  bool has_weights_;
};

query::TableParts edge_table(const std::string& path, const query::GraphFile& file, bool quiet) {
  const bool is_generated = file.format.empty() && graph::is_generator(path);
  graph::LoadOptions options{.path = path, .directed = file.directed};
  options.want_weights = !is_generated;
  if (!file.format.empty()) options.format = graph::parse_format(file.format);
  graph::EdgeParts list = is_generated ? generated(options) : graph::load_edge_parts(options);
  if (!list.note.empty() && !quiet) internal::log_info("{}: {}", path, list.note);

  const bool has_weights = list.facts().weights.has_value();
  const query::Type of_ends = list.names.is_integer() ? query::kInt64 : query::kText;
  query::TableParts table{.columns = {{"source", of_ends}, {"target", of_ends}},
                          .parts = LocaleState<TablePart>::create()};
  if (has_weights) table.columns.emplace_back("weight", query::kDouble);
  const Owned<Exchange> exchange = Exchange::create();
  const Owned<io::CoreTeam> team = io::CoreTeam::create();
  exchange->broadcast(graph::pack_names(list.names, 0, list.names.size()));
  graph::ask_locales(*exchange, [exchange = *exchange, team = *team, edges = *list.part,
                                 part = *table.parts, has_weights] {
    const graph::VertexNames names = graph::unpack_names(exchange.take<std::byte>(0));
    *part = BlockMaker(*edges, names, has_weights).make(team.parallel_for());
    *edges = {};
    return true;
  });
  return table;
}

}  // namespace

void read_graphs(query::Database& database, bool quiet) {
  database.read_graphs_by([quiet](const std::string& path, const query::GraphFile& file) {
    return edge_table(path, file, quiet);
  });
}

}  // namespace grappa::cli
