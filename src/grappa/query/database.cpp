#include "grappa/query/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/io/output_check.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/query/exec/executor.hpp"
#include "grappa/query/exec/profile.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/expression/cast.hpp"
#include "grappa/query/file_tables.hpp"
#include "grappa/query/io/read_columns.hpp"
#include "grappa/query/io/row_format.hpp"
#include "grappa/query/io/table_reader.hpp"
#include "grappa/query/plan/estimate.hpp"
#include "grappa/query/plan/optimizer.hpp"
#include "grappa/query/series_table.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/binder.hpp"
#include "grappa/query/sql/change_rows.hpp"
#include "grappa/query/sql/file_options.hpp"
#include "grappa/query/sql/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/to_text.hpp"
#include "grappa/query/table_builder.hpp"
#include "grappa/query/table_memory.hpp"
#include "grappa/query/table_sample.hpp"

namespace grappa::query {
namespace {

using Show = std::function<void(Answer& answer)>;

/// An answer of texts, such as a plan.
void show_texts(std::vector<std::string> names, const std::vector<std::vector<std::string>>& rows,
                const Show& show) {
  Answer answer;
  answer.types.assign(names.size(), kText);
  answer.names = std::move(names);
  answer.for_each_batch = [&](const std::function<void(const Batch&)>& take) {
    for (std::size_t begin = 0; begin < rows.size(); begin += kBatchRows) {
      const std::size_t count = std::min(kBatchRows, rows.size() - begin);
      std::vector<std::vector<TextRef>> columns(answer.names.size());
      Batch batch;
      batch.rows = batch.count = count;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t i = 0; i < count; ++i) columns[c].emplace_back(rows[begin + i][c]);
        batch.columns.push_back({.type = kText, .values = columns[c].data()});
      }
      take(batch);
    }
  };
  if (show) show(answer);
}

bool is_one_of(const std::string& path, const std::string& pattern) {
  std::error_code ignored;
  return std::ranges::any_of(io::files_there(pattern), [&](const std::string& file) {
    return std::filesystem::equivalent(file, path, ignored);
  });
}

}  // namespace

/// What a locale has.
struct Database::Local {
  Progress progress;
  std::optional<QueryMemory> memory;
  Team team;
  sql::Catalog catalog;
  FileTables files{team};
  GraphReader read_graph;  // of the first locale
  /// That the statement has named, again or not.
  std::vector<std::string> paths_read;
  double load_seconds = 0;

  /// What make() gives; how long it takes counts as loading.
  template <class Make>
  auto timed(const Make& make) {
    const std::uint64_t start = internal::now_ns();
    auto made = make();
    load_seconds += static_cast<double>(internal::now_ns() - start) * 1e-9;
    return made;
  }

  explicit Local(Team of) : team(std::move(of)) {
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

  void limit_memory(const MemoryLimit& limit) {
    memory.emplace(limit.bytes,
                   limit.spill_folder.empty() ? temporary_folder() : limit.spill_folder);
    team.memory = &*memory;
  }
  /// A table that is complete, and counts against the limit.
  Table charged(Table table) const {
    if (memory) {
      table.charge = MemoryCharge(&team.memory->budget, MemoryUse::kTables);
      table.charge.add(bytes_of(table, team.parallel));
    }
    return table;
  }
  std::shared_ptr<const Table> shared(Table table) const {
    return std::make_shared<const Table>(charged(std::move(table)));
  }

  /// One that has a file is without values as yet.
  Table open(const TableSource& source) {
    if (source.graph) return charged(load_edges(source));
    Table table = open_table(source, team.parallel, team.exchange, &progress);
    return table.file ? std::move(table) : complete(std::move(table));
  }
  Table load(const TableSource& source) {
    Table table = open_table(source, team.parallel, team.exchange, &progress);
    if (table.file) read_all_columns(table, team.parallel, team.exchange, &progress);
    return complete(std::move(table));
  }
  Table complete(Table table) const {
    table.sample = sample_of(team, table);
    return charged(std::move(table));
  }
  Table load_edges(const TableSource& source) const {
    return table_of_parts(team, [&] {
      if (!read_graph)
        throw UsageError(fmt::format("edges('{}'): this program reads no graphs", source.paths[0]));
      return read_graph(source.paths[0], *source.graph);
    });
  }

  void execute(const std::string& text, const Show& show) {
    for (const sql::Statement& statement : sql::parse_statements(text)) {
      paths_read.clear();
      files.forget_changed();
      try {
        std::visit([&](const auto& node) { execute_node(node, text, show); }, statement.node);
      } catch (const QueryError& error) {
        if (error.position() < 0) throw;
        const sql::Position position{static_cast<std::uint32_t>(error.position())};
        throw sql::SyntaxError(text, position, error.what());
      }
    }
  }

  // ---- Queries

  struct Planned {
    RelationPtr relation;
    sql::BoundQuery bound;
  };
  /// Without looking at rows.
  Planned outline(const sql::Query& query, const std::string& text) {
    ColumnNumbers numbers;
    Planned made;
    made.bound = sql::bind(query, text, catalog, numbers);
    made.relation = optimize(made.bound.relation, made.bound.columns, numbers);
    return made;
  }
  /// What make() plans, when the columns that it scans were read.
  template <class Make>
  auto with_columns(const Make& make) {
    for (;;) {
      auto made = make();
      if (timed([&] { return files.load_for(made.relation); })) continue;
      progress.begin(Progress::kScanning, rows_to_scan(made.relation));
      return made;
    }
  }
  Planned plan(const sql::Query& query, const std::string& text) {
    return with_columns([&] { return outline(query, text); });
  }

  void execute_node(const sql::Query& query, const std::string& text, const Show& show) {
    const Planned planned = plan(query, text);
    Answer answer;
    answer.names = planned.bound.names;
    answer.types = types_of(planned.bound.columns);
    bool computed = false;
    answer.for_each_batch = [&](const std::function<void(const Batch&)>& take) {
      computed = true;
      Executor(team).push(planned.relation, planned.bound.columns, take);
    };
    if (show) show(answer);
    // The other locales do not know whether anybody asks.
    if (!computed && team.locales > 1) answer.for_each_batch([](const Batch&) {});
  }

  void execute_node(const sql::Describe& node, const std::string& text, const Show& show) {
    const Planned planned = outline(node.query, text);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < planned.bound.names.size(); ++i)
      rows.push_back({planned.bound.names[i], name_of(planned.bound.columns[i]->type)});
    show_texts({"column_name", "column_type"}, rows, show);
  }

  void execute_node(const sql::ShowTables&, const std::string&, const Show& show) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, table] : catalog.tables) rows.push_back({name});
    for (const auto& [name, view] : catalog.views) rows.push_back({name});
    std::ranges::sort(rows);
    show_texts({"name"}, rows, show);
  }

  void execute_node(const sql::Box<sql::Explain>& node, const std::string& text, const Show& show) {
    const auto* query = std::get_if<sql::Query>(&node->statement.node);
    if (query == nullptr)
      throw sql::SyntaxError(text, node->statement.position, "EXPLAIN takes a query");
    const Planned planned = plan(*query, text);
    Estimates estimates;
    Profile profile;
    if (node->is_analyze) {
      Team watched = team;
      watched.sent_bytes = &profile.sent_counter();
      Executor(watched, &profile).push(planned.relation, planned.bound.columns, [](const Batch&) {
      });
    }
    const std::string tree = tree_of(planned.relation, [&](const RelationPtr& relation) {
      std::string note = fmt::format("  [about {:.0f} rows", estimates.of(relation).rows);
      if (node->is_analyze)
        note += fmt::format("; {} rows, {:.4f} s{}{}", team.sum(profile.rows(*relation)),
                            profile.seconds(*relation),
                            bytes_note(team.sum(profile.spilled(*relation)), "spilled"),
                            bytes_note(team.sum(profile.sent(*relation)), "sent"));
      return note + "]";
    });
    std::vector<std::vector<std::string>> rows;
    for (std::size_t at = 0; at < tree.size();) {
      const std::size_t end = tree.find('\n', at);
      rows.push_back({tree.substr(at, end - at)});
      at = end + 1;
    }
    show_texts({"plan"}, rows, show);
  }

  static std::string bytes_note(std::int64_t bytes, std::string_view what) {
    if (bytes == 0) return {};
    return fmt::format("; {} {}", internal::format_bytes(static_cast<std::uint64_t>(bytes)), what);
  }

  // ---- Tables and views

  void add_table(const std::string& key, const std::vector<MemoryColumn>& columns,
                 std::int64_t rows) {
    if (catalog.tables.contains(key) || catalog.views.contains(key))
      throw UsageError(fmt::format("there is a table {} already", key));
    catalog.tables[key] = shared(table_of_columns(team, columns, rows));
  }

  void require_free(const sql::TableName& name, bool replaces, bool is_view,
                    const std::string& text) {
    const sql::Name& last = name.parts.back();
    const std::string key = sql::folded(last.text);
    const bool is_table = catalog.tables.contains(key);
    if ((is_table || catalog.views.contains(key)) && !(replaces && is_table != is_view))
      throw sql::SyntaxError(text, last.position, last.text + " exists");
  }
  bool exists(const sql::TableName& name) const {
    const std::string key = sql::folded(name.parts.back().text);
    return catalog.tables.contains(key) || catalog.views.contains(key);
  }

  void execute_node(const sql::CreateTable& node, const std::string& text, const Show&) {
    if (node.if_not_exists && exists(node.name)) return;
    require_free(node.name, node.replaces, false, text);
    const sql::Name& name = node.name.parts.back();
    if (!node.query) {
      catalog.tables[sql::folded(name.text)] = empty_table(node.columns, text);
      return;
    }
    const Planned planned = plan(*node.query, text);
    std::vector<std::string> names = planned.bound.names;
    if (node.column_aliases.size() > names.size())
      throw sql::SyntaxError(text, node.column_aliases[names.size()].position,
                             "more names than columns");
    for (std::size_t i = 0; i < node.column_aliases.size(); ++i)
      names[i] = node.column_aliases[i].text;
    Executor executor(team);
    catalog.tables[sql::folded(name.text)] =
        shared(build_table(team, executor.open(planned.relation, planned.bound.columns), names,
                           planned.bound.columns));
  }

  static std::shared_ptr<const Table> empty_table(const std::vector<sql::ColumnDefinition>& columns,
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

  using Sources = std::vector<std::optional<std::size_t>>;
  using TablePlace = std::shared_ptr<const Table>*;
  TablePlace table_named(const sql::TableName& of, const std::string& text) {
    const sql::Name& name = of.parts.back();
    const auto table = catalog.tables.find(sql::folded(name.text));
    if (table == catalog.tables.end())
      throw sql::SyntaxError(text, name.position, "there is no table " + name.text);
    return &table->second;
  }

  void execute_node(const sql::Insert& node, const std::string& text, const Show&) {
    const TablePlace table = table_named(node.table, text);
    const Sources sources = sources_of(node.columns, (*table)->columns, text);
    insert(
        table, sources,
        [&](ColumnNumbers& numbers) { return sql::bind(node.query, text, catalog, numbers); },
        node.query.position, text);
  }

  /// Of a table, as it is then.
  struct NewRows {
    RelationPtr relation;
    Expressions columns;  // those of the table
  };

  /// There is a new table, of the rows that come in the place of the old ones.
  void execute_node(const sql::Change& node, const std::string& text, const Show&) {
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
      made.relation =
          optimize(project(changed.relation, std::move(computed)), made.columns, numbers);
      return made;
    });
    replace(table, rows);
  }

  void replace(TablePlace table, const NewRows& rows) {
    std::vector<std::string> names;
    for (const Column& of : (*table)->columns) names.push_back(of.name);
    Executor executor(team);
    *table =
        shared(build_table(team, executor.open(rows.relation, rows.columns), names, rows.columns));
  }

  /// A table does not change: there is a new one, of the rows of the old one and those of the
  /// query.
  void insert(TablePlace table, const Sources& sources,
              const std::function<sql::BoundQuery(ColumnNumbers&)>& add, sql::Position position,
              const std::string& text) {
    replace(table, with_columns([&] {
              ColumnNumbers numbers;
              return both_rows(*table, sources, add(numbers), numbers, position, text);
            }));
  }
  static NewRows both_rows(const std::shared_ptr<const Table>& table, const Sources& sources,
                           const sql::BoundQuery& added, ColumnNumbers& numbers,
                           sql::Position position, const std::string& text) {
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

  /// Which of the values that are given each column of the table gets, if any: by their names, or
  /// one after the other.
  static Sources sources_of(const std::vector<sql::Name>& names, const std::vector<Column>& columns,
                            const std::string& text) {
    Sources sources(columns.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const sql::Name& name = names[i];
      const auto place = std::ranges::find_if(
          columns, [&](const Column& of) { return sql::equal_folded(of.name, name.text); });
      if (place == columns.end())
        throw sql::SyntaxError(text, name.position, "there is no column " + name.text);
      std::optional<std::size_t>& source =
          sources[static_cast<std::size_t>(place - columns.begin())];
      if (source) throw sql::SyntaxError(text, name.position, name.text + " is there twice");
      source = i;
    }
    if (names.empty())
      for (std::size_t i = 0; i < columns.size(); ++i) sources[i] = i;
    return sources;
  }

  /// The value as one of the column; NULL where there is none.
  static ExpressionPtr assigned(const ExpressionPtr& value, const Column& to,
                                sql::Position position, const std::string& text) {
    if (!value) return constant(Value::null(to.type));
    if (!can_cast(value->type, to.type))
      throw sql::SyntaxError(text, position,
                             fmt::format("{} is of {}, this is of {}", to.name, name_of(to.type),
                                         name_of(value->type)));
    return cast(value, to.type);
  }

  void execute_node(const sql::CreateView& node, const std::string& text, const Show&) {
    if (node.if_not_exists && exists(node.name)) return;
    require_free(node.name, node.replaces, true, text);
    // A view of what is not there is told now.
    outline(node.query, text);
    catalog.views[sql::folded(node.name.parts.back().text)] = {node.column_aliases, node.query};
  }

  void execute_node(const sql::Drop& node, const std::string& text, const Show&) {
    for (const sql::TableName& name : node.names) {
      const sql::Name& last = name.parts.back();
      const std::string key = sql::folded(last.text);
      const std::size_t dropped =
          node.is_view ? catalog.views.erase(key) : catalog.tables.erase(key);
      if (dropped == 0 && !node.if_exists)
        throw sql::SyntaxError(
            text, last.position,
            std::string("there is no ") + (node.is_view ? "view " : "table ") + last.text);
    }
  }

  // ---- Files

  /// The first locale writes.
  void execute_node(const sql::CopyTo& node, const std::string& text, const Show&) {
    const std::string& path = node.file.path;
    const RowFormat format = sql::written_format(node.file, text);
    const Planned planned = plan(node.query, text);
    std::unique_ptr<io::OutputFile> file;
    std::unique_ptr<RowWriter> writer;
    if (team.locale == 0) {
      std::vector<std::string> inputs;
      for (const std::string& read : paths_read)
        std::ranges::move(io::files_there(read), std::back_inserter(inputs));
      io::check_outputs({{"COPY", path}}, inputs);
      file = std::make_unique<io::OutputFile>(path);
      writer =
          row_writer(format, [&](std::string_view bytes) { file->write(bytes); }, team.parallel);
      writer->begin(planned.bound.names, types_of(planned.bound.columns));
    }
    Executor(team).push(planned.relation, planned.bound.columns, [&](const Batch& batch) {
      if (writer != nullptr) writer->rows(batch);
    });
    if (writer != nullptr) writer->end();
    // Whoever has failed says so before the file is there.
    team.meet([](std::span<const std::byte>) {});
    if (file != nullptr) file->commit();
    forget(path);
  }

  /// What was read of the file that the first locale has replaced.
  void forget(const std::string& path) {
    files.forget_if([&](const TableSource& source) {
      return std::ranges::any_of(source.paths,
                                 [&](const std::string& read) { return is_one_of(path, read); });
    });
  }

  /// Values are read as those of their columns.
  void execute_node(const sql::CopyFrom& node, const std::string& text, const Show&) {
    const TablePlace table = table_named(node.table, text);
    const Sources sources = sources_of(node.columns, (*table)->columns, text);
    TableSource source = sql::read_source(node.file, text);
    source.csv.types_in_order.resize(node.columns.empty() ? sources.size() : node.columns.size());
    for (std::size_t c = 0; c < sources.size(); ++c)
      if (sources[c]) source.csv.types_in_order[*sources[c]] = (*table)->columns[c].type;
    const auto loaded = std::make_shared<const Table>(timed([&] { return load(source); }));
    const auto add = [&](ColumnNumbers& numbers) {
      sql::BoundQuery added;
      added.relation = scan(loaded, node.file.path, numbers);
      added.columns = added.relation->columns;
      return added;
    };
    insert(table, sources, add, node.file.position, text);
  }
};

namespace {

/// What another locale does with an answer: it computes its part.
void compute(Answer& answer) {
  if (answer.for_each_batch) answer.for_each_batch([](const Batch&) {});
}

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

void Database::add_file(const std::string& name, const std::string& path) {
  const auto quoted = [](const std::string& of, char quote) {
    std::string made(1, quote);
    for (const char c : of) made += c == quote ? std::string(2, c) : std::string(1, c);
    return made + quote;
  };
  execute("CREATE VIEW " + quoted(name, '"') + " AS SELECT * FROM " + quoted(path, '\''), {});
}

}  // namespace grappa::query
