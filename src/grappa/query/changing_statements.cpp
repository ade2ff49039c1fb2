// Statements that change tables and views, as local_database.hpp has them.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "grappa/query/exec/executor.hpp"
#include "grappa/query/expression/cast.hpp"
#include "grappa/query/local_database.hpp"
#include "grappa/query/plan/optimizer.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/change_rows.hpp"
#include "grappa/query/sql/file_options.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/table_builder.hpp"

namespace grappa::query {
namespace {

/// The names of the columns of what is made of a query. SyntaxError where two are alike.
std::vector<std::string> names_of(const sql::BoundQuery& bound,
                                  const std::vector<sql::Name>& aliases, sql::Position position,
                                  const std::string& text) {
  std::vector<std::string> names = bound.names;
  if (aliases.size() > names.size())
    throw sql::SyntaxError(text, aliases[names.size()].position, "more names than columns");
  for (std::size_t i = 0; i < aliases.size(); ++i) names[i] = aliases[i].text;
  std::set<std::string> known;
  for (const std::string& name : names)
    if (!known.insert(sql::folded(name)).second)
      throw sql::SyntaxError(
          text, position, fmt::format("column {} is there twice; AS gives one another name", name));
  return names;
}

std::shared_ptr<const Table> empty_table(const std::vector<sql::ColumnDefinition>& columns,
                                         const std::string& text) {
  Table table;
  for (const sql::ColumnDefinition& of : columns) {
    if (of.is_not_null)
      throw sql::SyntaxError(text, of.name.position, "NOT NULL is not supported: leave it out");
    const auto is_this = [&](const Column& other) {
      return sql::equal_folded(other.name, of.name.text);
    };
    if (std::ranges::any_of(table.columns, is_this))
      throw sql::SyntaxError(text, of.name.position, of.name.text + " is there twice");
    table.columns.push_back({of.name.text, sql::type_of(of.type, text), {.has_nulls = false}});
  }
  return std::make_shared<const Table>(std::move(table));
}

/// The value as one of the column; NULL where there is none.
ExpressionPtr assigned(const ExpressionPtr& value, const Column& to, sql::Position position,
                       const std::string& text) {
  if (!value) return constant(Value::null(to.type));
  if (!can_cast(value->type, to.type))
    throw sql::SyntaxError(
        text, position,
        fmt::format("{} is of {}, this is of {}", to.name, name_of(to.type), name_of(value->type)));
  return cast(value, to.type);
}

}  // namespace

void Database::Local::execute_node(const sql::CreateTable& node, const std::string& text,
                                   const Show&) {
  if (node.if_not_exists && exists(node.name)) return;
  require_free(node.name, node.replaces, false, text);
  const sql::Name& name = node.name.parts.back();
  if (!node.query) {
    catalog.tables[sql::folded(name.text)] = empty_table(node.columns, text);
    return;
  }
  const Planned planned = plan(*node.query, text);
  const std::vector<std::string> names =
      names_of(planned.bound, node.column_aliases, node.query->position, text);
  Executor executor(team);
  catalog.tables[sql::folded(name.text)] = shared(build_table(
      team, executor.open(planned.relation, planned.bound.columns), names, planned.bound.columns));
}

void Database::Local::execute_node(const sql::CreateView& node, const std::string& text,
                                   const Show&) {
  if (node.if_not_exists && exists(node.name)) return;
  require_free(node.name, node.replaces, true, text);
  // A view of what is not there is told now.
  names_of(outline(node.query, text).bound, node.column_aliases, node.query.position, text);
  catalog.views[sql::folded(node.name.parts.back().text)] = {node.column_aliases, node.query};
}

void Database::Local::execute_node(const sql::Drop& node, const std::string& text, const Show&) {
  for (const sql::TableName& name : node.names) {
    const sql::Name& last = name.parts.back();
    const std::string key = sql::folded(last.text);
    const std::size_t dropped = node.is_view ? catalog.views.erase(key) : catalog.tables.erase(key);
    if (dropped == 0 && !node.if_exists)
      throw sql::SyntaxError(
          text, last.position,
          std::string("there is no ") + (node.is_view ? "view " : "table ") + last.text);
  }
}

void Database::Local::execute_node(const sql::Insert& node, const std::string& text, const Show&) {
  const TablePlace table = table_named(node.table, text);
  const Sources sources = sources_of(node.columns, (*table)->columns, text);
  insert(
      table, sources,
      [&](ColumnNumbers& numbers) { return sql::bind(node.query, text, catalog, numbers); },
      node.query.position, text);
}

void Database::Local::execute_node(const sql::CopyFrom& node, const std::string& text,
                                   const Show&) {
  const TablePlace table = table_named(node.table, text);
  const Sources sources = sources_of(node.columns, (*table)->columns, text);
  TableSource source = sql::read_source(node.file, text);
  source.text.types_in_order.resize(node.columns.empty() ? sources.size() : node.columns.size());
  for (std::size_t c = 0; c < sources.size(); ++c)
    if (sources[c]) source.text.types_in_order[*sources[c]] = (*table)->columns[c].type;
  const auto loaded = std::make_shared<const Table>(timed([&] { return load(source); }));
  const auto add = [&](ColumnNumbers& numbers) {
    sql::BoundQuery added;
    added.relation = scan(loaded, node.file.path, numbers);
    added.columns = added.relation->columns;
    return added;
  };
  insert(table, sources, add, node.file.position, text);
}

void Database::Local::execute_node(const sql::Change& node, const std::string& text, const Show&) {
  const TablePlace table = table_named(std::get<sql::TableName>(node.table.source), text);
  const std::vector<Column>& columns = (*table)->columns;
  std::vector<sql::Name> set;
  for (const sql::Replacement& value : node.values) set.push_back(value.name);
  sources_of(set, columns, text);  // each of them is there, and once
  const NewRows rows = with_columns([&] {
    ColumnNumbers numbers;
    const sql::BoundQuery changed =
        sql::bind(sql::rows_of_change(node, columns), text, catalog, numbers);
    std::vector<Computed> computed;
    NewRows made;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      computed.push_back({numbers.make(columns[i].type, columns[i].name),
                          cast(changed.columns[i], columns[i].type)});
      made.columns.push_back(computed.back().column);
    }
    made.relation = optimize(project(changed.relation, std::move(computed)), made.columns, numbers);
    return made;
  });
  replace(table, rows);
}

void Database::Local::require_free(const sql::TableName& name, bool replaces, bool is_view,
                                   const std::string& text) {
  const sql::Name& last = name.parts.back();
  const std::string key = sql::folded(last.text);
  const bool is_table = catalog.tables.contains(key);
  if ((is_table || catalog.views.contains(key)) && !(replaces && is_table != is_view))
    throw sql::SyntaxError(text, last.position, last.text + " exists");
}

bool Database::Local::exists(const sql::TableName& name) const {
  const std::string key = sql::folded(name.parts.back().text);
  return catalog.tables.contains(key) || catalog.views.contains(key);
}

Database::Local::TablePlace Database::Local::table_named(const sql::TableName& of,
                                                         const std::string& text) {
  const sql::Name& name = of.parts.back();
  const auto table = catalog.tables.find(sql::folded(name.text));
  if (table == catalog.tables.end())
    throw sql::SyntaxError(text, name.position, "there is no table " + name.text);
  return &table->second;
}

void Database::Local::replace(TablePlace table, const NewRows& rows) {
  std::vector<std::string> names;
  for (const Column& of : (*table)->columns) names.push_back(of.name);
  Executor executor(team);
  *table =
      shared(build_table(team, executor.open(rows.relation, rows.columns), names, rows.columns));
}

void Database::Local::insert(TablePlace table, const Sources& sources,
                             const std::function<sql::BoundQuery(ColumnNumbers&)>& add,
                             sql::Position position, const std::string& text) {
  replace(table, with_columns([&] {
            ColumnNumbers numbers;
            return both_rows(*table, sources, add(numbers), numbers, position, text);
          }));
}

Database::Local::NewRows Database::Local::both_rows(const std::shared_ptr<const Table>& table,
                                                    const Sources& sources,
                                                    const sql::BoundQuery& added,
                                                    ColumnNumbers& numbers, sql::Position position,
                                                    const std::string& text) {
  const std::vector<Column>& columns = table->columns;
  const auto expected = static_cast<std::size_t>(
      std::ranges::count_if(sources, [](const auto& source) { return source.has_value(); }));
  if (added.columns.size() != expected)
    throw sql::SyntaxError(
        text, position,
        fmt::format("{} columns were expected, these are {}", expected, added.columns.size()));
  const RelationPtr before = scan(table, "", numbers);
  Relation both{.kind = RelationKind::kUnion};
  both.inputs = {before, added.relation};
  both.given = {before->columns, {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    both.given[1].push_back(
        assigned(sources[i] ? added.columns[*sources[i]] : nullptr, columns[i], position, text));
    both.columns.push_back(numbers.make(columns[i].type, columns[i].name));
  }
  const Expressions given = both.columns;
  return {optimize(std::make_shared<const Relation>(std::move(both)), given, numbers), given};
}

Database::Local::Sources Database::Local::sources_of(const std::vector<sql::Name>& names,
                                                     const std::vector<Column>& columns,
                                                     const std::string& text) {
  Sources sources(columns.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const sql::Name& name = names[i];
    const auto place = std::ranges::find_if(
        columns, [&](const Column& of) { return sql::equal_folded(of.name, name.text); });
    if (place == columns.end())
      throw sql::SyntaxError(text, name.position, "there is no column " + name.text);
    std::optional<std::size_t>& source = sources[static_cast<std::size_t>(place - columns.begin())];
    if (source) throw sql::SyntaxError(text, name.position, name.text + " is there twice");
    source = i;
  }
  if (names.empty())
    for (std::size_t i = 0; i < columns.size(); ++i) sources[i] = i;
  return sources;
}

}  // namespace grappa::query
