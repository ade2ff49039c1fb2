#pragma once

// What a locale has of a database. All locales execute the same statements at the same time; the
// first one shows what comes out.
//
//   Database::Local local(team);
//   local.execute("select 1", [](Answer& answer) { use(answer); });

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/file_tables.hpp"
#include "grappa/query/plan/relation.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/binder.hpp"
#include "grappa/query/sql/catalog.hpp"

namespace grappa::query {

struct Database::Local {
  using Show = std::function<void(Answer& answer)>;

  explicit Local(Team of);
  void limit_memory(const MemoryLimit& limit);
  void add_table(const std::string& key, const std::vector<MemoryColumn>& columns,
                 std::int64_t rows);
  void add_table(const std::string& key, const std::vector<ArrayColumn>& columns);
  /// What the last query of the text gives.
  void collect(const std::string& text, Result& result);
  void execute(const std::string& text, const Show& show);

  Progress progress;
  std::optional<QueryMemory> memory;
  Team team;
  sql::Catalog catalog;
  FileTables files{team};
  GraphReader read_graph;                             // of the first locale
  std::function<void(const std::string& text)> note;  // of the first locale
  /// That the statement has named, again or not.
  std::vector<std::string> paths_read;
  double load_seconds = 0;

 private:
  // ---- local_database.cpp: tables of files and of rows, and plans

  /// What make() gives; how long it takes counts as loading.
  template <class Make>
  auto timed(const Make& make) {
    const std::uint64_t start = internal::now_ns();
    auto made = make();
    load_seconds += static_cast<double>(internal::now_ns() - start) * 1e-9;
    return made;
  }

  void require_new(const std::string& key) const;
  /// A table that is complete, and counts against the limit.
  Table charged(Table table) const;
  std::shared_ptr<const Table> shared(Table table) const;
  Table complete(Table table) const;
  /// One that has a file is without values as yet.
  Table open(const TableSource& source);
  Table load(const TableSource& source);
  Table load_edges(const TableSource& source) const;

  struct Planned {
    RelationPtr relation;
    sql::BoundQuery bound;
  };
  /// Without looking at rows.
  Planned outline(const sql::Query& query, const std::string& text);
  Planned plan(const sql::Query& query, const std::string& text);
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

  // ---- answering_statements.cpp: those that show or write rows

  void execute_node(const sql::Query& query, const std::string& text, const Show& show);
  void execute_node(const sql::Describe& node, const std::string& text, const Show& show);
  void execute_node(const sql::ShowTables& node, const std::string& text, const Show& show);
  void execute_node(const sql::Box<sql::Explain>& node, const std::string& text, const Show& show);
  void execute_node(const sql::CopyTo& node, const std::string& text, const Show& show);
  /// What was read of the file that the first locale has replaced.
  void forget(const std::string& path);

  // ---- changing_statements.cpp: those that change tables and views

  void execute_node(const sql::CreateTable& node, const std::string& text, const Show& show);
  void execute_node(const sql::CreateView& node, const std::string& text, const Show& show);
  void execute_node(const sql::Drop& node, const std::string& text, const Show& show);
  void execute_node(const sql::Insert& node, const std::string& text, const Show& show);
  void execute_node(const sql::CopyFrom& node, const std::string& text, const Show& show);
  void execute_node(const sql::Change& node, const std::string& text, const Show& show);

  void require_free(const sql::TableName& name, bool replaces, bool is_view,
                    const std::string& text);
  bool exists(const sql::TableName& name) const;
  using TablePlace = std::shared_ptr<const Table>*;
  TablePlace table_named(const sql::TableName& of, const std::string& text);
  /// Of a table, as it is then.
  struct NewRows {
    RelationPtr relation;
    Expressions columns;  // those of the table
  };
  void replace(TablePlace table, const NewRows& rows);
  /// Which of the values that are given each column of a table gets, if any.
  using Sources = std::vector<std::optional<std::size_t>>;
  /// A table does not change: there is a new one, of the rows of the old one and those of the
  /// query.
  void insert(TablePlace table, const Sources& sources,
              const std::function<sql::BoundQuery(ColumnNumbers&)>& add, sql::Position position,
              const std::string& text);
  static NewRows both_rows(const std::shared_ptr<const Table>& table, const Sources& sources,
                           const sql::BoundQuery& added, ColumnNumbers& numbers,
                           sql::Position position, const std::string& text);
  /// By the names that are given, or one after the other.
  static Sources sources_of(const std::vector<sql::Name>& names, const std::vector<Column>& columns,
                            const std::string& text);
};

}  // namespace grappa::query
