#pragma once

// A database: tables in the memory of all locales, and SQL over them.
//
//   query::Database database;
//   database.add_file("people", "people.csv");
//   database.execute("select name from people where age > 40", [](query::Answer& answer) {
//     answer.for_each_batch([&](const query::Batch& batch) { use(answer.names, batch); });
//   });
//
// Made and used by the task that was given to run, which it makes switch; every locale has its part
// of each table, and executes each statement. Errors of a statement (SyntaxError and other
// UsageErrors, InputError; Cancelled, parallel/cancellation.hpp) leave the database as it was.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "grappa/query/exec/leaders.hpp"
#include "grappa/query/memory_table.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/result.hpp"
#include "grappa/query/table_parts.hpp"
#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

/// What a statement gives. Of one that gives no rows there are no columns.
struct Answer {
  std::vector<std::string> names;
  std::vector<Type> types;
  /// Calls take(batch) for all rows, in their order. Once.
  std::function<void(const std::function<void(const Batch&)>& take)> for_each_batch;
  /// In its place: the rows of each locale, by all of them. Of queries.
  std::function<Table()> collect;
};

/// How much memory each locale may use, for its tables and for what queries keep. Queries write
/// what is more to temporary files in the folder.
struct MemoryLimit {
  std::size_t bytes = 0;
  std::string spill_folder{};  // empty: $TMPDIR, or /tmp
  static constexpr auto kMembers = std::tuple(&MemoryLimit::bytes, &MemoryLimit::spill_folder);
};

class Database {
 public:
  Database();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// From now on; before there are tables. Without it there is no limit.
  void limit_memory(const MemoryLimit& limit);
  /// A table of that name with what is in the files (a path, or a pattern of paths).
  void add_file(const std::string& name, const std::string& path);
  /// The same with what is in these arrays.
  void add_table(const std::string& name, const std::vector<MemoryColumn>& columns,
                 std::int64_t rows);
  /// The same of these arrays, which are not copied: they, and what is in them, stay as long as
  /// the database has the table (array_table.hpp).
  void add_table(const std::string& name, const std::vector<ArrayColumn>& columns);
  /// What edges('g.mtx') in FROM reads graphs with; without it, it is an error. The table has the
  /// columns source, target and maybe weight.
  void read_graphs_by(GraphReader reader);
  /// What is told of a statement that is no error: that a star leaves out columns of a file which
  /// no table can have. Without it, nothing is.
  void tell_notes_by(std::function<void(const std::string& text)> note);
  /// Executes all statements of the text; `show` is called for the answer of each, before the next
  /// begins.
  void execute(std::string_view text, const std::function<void(Answer& answer)>& show = {});
  /// What loading files has taken so far, on the first locale.
  double load_seconds() const;

  /// The files that were read, also those that a pattern has named.
  std::vector<std::string> files() const;
  /// What a statement can name, sorted: tables, views, and the columns of tables and of files that
  /// were read.
  std::vector<std::string> names() const;
  /// The statements that make its tables, without their rows, and its views: all, or those of this
  /// name. UsageError where there is none.
  std::vector<std::string> schema(std::string_view name = {}) const;
  /// How far the statement that is being executed has come, on the first locale.
  const Progress& progress() const;

  struct Local;

 private:
  friend Result result_of(std::string_view text, Database& database);

  Leaders<Local> leaders_;
};

}  // namespace grappa::query
