#include "grappa/query/local_database.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "grappa/io/unnamed_file.hpp"
#include "grappa/query/io/read_columns.hpp"
#include "grappa/query/io/table_reader.hpp"
#include "grappa/query/plan/optimizer.hpp"
#include "grappa/query/series_table.hpp"
#include "grappa/query/sql/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/table_memory.hpp"
#include "grappa/query/table_sample.hpp"

namespace grappa::query {
namespace {

std::int64_t microseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

Database::Local::Local(Team of) : team(std::move(of)) {
  team.progress = &progress;
  catalog.open_file = [this](const TableSource& source) {
    paths_read.insert(paths_read.end(), source.paths.begin(), source.paths.end());
    return files.open(source, [&] { return timed([&] { return open(source); }); });
  };
  catalog.make_series = [this](const std::string& name, std::int64_t first, std::int64_t step,
                               std::int64_t rows) {
    return std::make_shared<const Table>(series_table(team, name, first, step, rows));
  };
}

void Database::Local::limit_memory(const MemoryLimit& limit) {
  memory.emplace(limit.bytes,
                 limit.spill_folder.empty() ? io::temporary_folder() : limit.spill_folder);
  team.memory = &*memory;
}

void Database::Local::require_new(const std::string& key) const {
  if (catalog.tables.contains(key) || catalog.views.contains(key))
    throw UsageError(fmt::format("there is a table {} already", key));
}

void Database::Local::add_table(const std::string& key, const std::vector<MemoryColumn>& columns,
                                std::int64_t rows) {
  require_new(key);
  catalog.tables[key] = shared(table_of_columns(team, columns, rows));
}

void Database::Local::add_table(const std::string& key, const std::vector<ArrayColumn>& columns) {
  require_new(key);
  catalog.tables[key] = shared(table_of_arrays(team, columns));
}

void Database::Local::collect(const std::string& text, Result& result) {
  std::optional<Table> table;
  execute(text, [&](Answer& answer) {
    if (!answer.collect)
      throw UsageError("only the rows of queries are arrays: execute shows those of others");
    table = answer.collect();
  });
  if (table) spread(team, std::move(*table), result);
}

void Database::Local::execute(const std::string& text, const Show& show) {
  for (const sql::Statement& statement : sql::parse_statements(text)) {
    paths_read.clear();
    files.forget_changed();
    catalog.now = team.gather(std::vector{microseconds_since_1970()})[0][0];
    try {
      std::visit([&](const auto& node) { execute_node(node, text, show); }, statement.node);
    } catch (const QueryError& error) {
      if (error.position() < 0) throw;
      const sql::Position position{static_cast<std::uint32_t>(error.position())};
      throw sql::SyntaxError(text, position, error.what());
    }
  }
}

Table Database::Local::charged(Table table) const {
  if (memory) {
    table.charge = MemoryCharge(&team.memory->budget, MemoryUse::kTables);
    table.charge.add(bytes_of(table, team.parallel));
  }
  return table;
}

std::shared_ptr<const Table> Database::Local::shared(Table table) const {
  return std::make_shared<const Table>(charged(std::move(table)));
}

Table Database::Local::complete(Table table) const {
  table.sample = sample_of(team, table);
  return charged(std::move(table));
}

Table Database::Local::open(const TableSource& source) {
  if (source.graph) return charged(load_edges(source));
  Table table = open_table(source, team.parallel, team.exchange, &progress);
  return table.file ? std::move(table) : complete(std::move(table));
}

Table Database::Local::load(const TableSource& source) {
  Table table = open_table(source, team.parallel, team.exchange, &progress);
  if (table.file) read_all_columns(table, team.parallel, team.exchange, &progress);
  return complete(std::move(table));
}

Table Database::Local::load_edges(const TableSource& source) const {
  return table_of_parts(team, [&] {
    if (!read_graph)
      throw UsageError(fmt::format("edges('{}'): this program reads no graphs", source.paths[0]));
    return read_graph(source.paths[0], *source.graph);
  });
}

Database::Local::Planned Database::Local::outline(const sql::Query& query,
                                                  const std::string& text) {
  ColumnNumbers numbers;
  Planned made;
  made.bound = sql::bind(query, text, catalog, numbers);
  made.relation = optimize(made.bound.relation, made.bound.columns, numbers);
  return made;
}

Database::Local::Planned Database::Local::plan(const sql::Query& query, const std::string& text) {
  Planned made = with_columns([&] { return outline(query, text); });
  if (note)
    for (const LeftOut& column : made.bound.left_out)
      note(fmt::format("* leaves out column {}, which {}", column.name, column.reason));
  return made;
}

}  // namespace grappa::query
