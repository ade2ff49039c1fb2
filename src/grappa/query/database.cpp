#include "grappa/query/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "grappa/io/matching_files.hpp"
#include "grappa/query/local_database.hpp"
#include "grappa/query/sql/to_text.hpp"

namespace grappa::query {
namespace {

/// What another locale does with an answer: it computes its part.
void compute(Answer& answer) {
  if (answer.for_each_batch) answer.for_each_batch([](const Batch&) {});
}

/// What the other locales are told of a table of arrays.
struct TableOfArrays {
  std::string name;
  std::vector<ArrayColumn> columns;
  static constexpr auto kMembers = std::tuple(&TableOfArrays::name, &TableOfArrays::columns);
};

/// What the other locales are told of a table.
struct TableShape {
  std::string name;
  std::vector<std::string> columns;
  std::vector<Type> types;
  static constexpr auto kMembers =
      std::tuple(&TableShape::name, &TableShape::columns, &TableShape::types);
};

}  // namespace

Database::Database() : leaders_([](const Team& team) { return std::make_unique<Local>(team); }) {}

Database::~Database() = default;

void Database::execute(std::string_view text, const std::function<void(Answer& answer)>& show) {
  const std::string same(text);
  leaders_.run(
      same, [&](Local& here) { here.execute(same, show); },
      [](Local& there, const std::string& statements) { there.execute(statements, compute); });
}

std::vector<std::string> Database::files() const {
  std::vector<std::string> paths;
  leaders_.here().files.for_each([&](const TableSource& source, const Table&) {
    for (const std::string& pattern : source.paths)
      std::ranges::move(io::files_there(pattern), std::back_inserter(paths));
  });
  return paths;
}

std::vector<std::string> Database::names() const {
  const Local& mine = leaders_.here();
  std::set<std::string> names;
  const auto add_columns = [&](const Table& table) {
    for (const Column& column : table.columns) names.insert(sql::name_text(column.name));
  };
  for (const auto& [name, table] : mine.catalog.tables) {
    names.insert(sql::name_text(name));
    add_columns(*table);
  }
  for (const auto& [name, view] : mine.catalog.views) names.insert(sql::name_text(name));
  mine.files.for_each([&](const TableSource&, const Table& table) { add_columns(table); });
  return {names.begin(), names.end()};
}

std::vector<std::string> Database::schema(std::string_view name) const {
  const sql::Catalog& catalog = leaders_.here().catalog;
  const auto is_asked = [&](const std::string& key) {
    return name.empty() || sql::equal_folded(key, name);
  };
  std::vector<std::string> made;
  for (const auto& [key, table] : catalog.tables) {
    if (!is_asked(key)) continue;
    std::vector<std::string> columns;
    for (const Column& column : table->columns)
      columns.push_back(sql::name_text(column.name) + " " + name_of(column.type));
    made.push_back(
        fmt::format("CREATE TABLE {} ({});", sql::name_text(key), fmt::join(columns, ", ")));
  }
  for (const auto& [key, view] : catalog.views) {
    if (!is_asked(key)) continue;
    std::vector<std::string> aliases;
    for (const sql::Name& of : view.column_aliases) aliases.push_back(sql::name_text(of.text));
    made.push_back(
        fmt::format("CREATE VIEW {}{} AS {};", sql::name_text(key),
                    aliases.empty() ? "" : fmt::format(" ({})", fmt::join(aliases, ", ")),
                    to_text(view.query)));
  }
  if (made.empty() && !name.empty())
    throw UsageError(fmt::format("there is no table or view {}", name));
  return made;
}

void Database::limit_memory(const MemoryLimit& limit) {
  leaders_.run(
      limit, [&](Local& here) { here.limit_memory(limit); },
      [](Local& there, const MemoryLimit& same) { there.limit_memory(same); });
}

void Database::read_graphs_by(GraphReader reader) {
  leaders_.here().read_graph = std::move(reader);
}

void Database::tell_notes_by(std::function<void(const std::string& text)> note) {
  leaders_.here().note = std::move(note);
}

const Progress& Database::progress() const { return leaders_.here().progress; }

double Database::load_seconds() const { return leaders_.here().load_seconds; }

void Database::add_table(const std::string& name, const std::vector<MemoryColumn>& columns,
                         std::int64_t rows) {
  TableShape shape{.name = sql::folded(name), .columns = {}, .types = {}};
  for (const MemoryColumn& column : columns) {
    shape.columns.push_back(column.name);
    shape.types.push_back(column.type);
  }
  leaders_.run(
      shape, [&](Local& here) { here.add_table(shape.name, columns, rows); },
      [](Local& there, const TableShape& same) {
        std::vector<MemoryColumn> none;
        for (std::size_t i = 0; i < same.columns.size(); ++i)
          none.push_back({.name = same.columns[i], .type = same.types[i]});
        there.add_table(same.name, none, 0);
      });
}

void Database::add_table(const std::string& name, const std::vector<ArrayColumn>& columns) {
  require_one_table(columns);
  const TableOfArrays table{.name = sql::folded(name), .columns = columns};
  leaders_.run(
      table, [&](Local& here) { here.add_table(table.name, table.columns); },
      [](Local& there, const TableOfArrays& same) { there.add_table(same.name, same.columns); });
}

Result result_of(std::string_view text, Database& database) {
  const std::string same(text);
  Result result;
  database.leaders_.run(
      same, [&](Database::Local& here) { here.collect(same, result); },
      [](Database::Local& there, const std::string& statements) {
        Result of_locale;
        there.collect(statements, of_locale);
      });
  return result;
}

Result result_of(std::string_view text) {
  Database database;
  return result_of(text, database);
}

void Database::add_file(const std::string& name, const std::string& path) {
  const auto quoted = [](const std::string& of, char quote) {
    std::string made(1, quote);
    for (const char c : of) made += c == quote ? std::string(2, c) : std::string(1, c);
    return made + quote;
  };
  execute("CREATE VIEW " + quoted(name, '"') + " AS SELECT * FROM " + quoted(path, '\''), {});
}

}  // namespace grappa::query
