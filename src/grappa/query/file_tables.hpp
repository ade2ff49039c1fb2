#pragma once

// The tables in files that statements have named, and which of their columns are in memory.
//
//   FileTables tables(team);
//   const auto table = tables.open({.paths = {"lineitem.parquet"}}, read_schema);
//   while (tables.load_for(relation)) relation = plan_again();
//
// A column is read when a statement first needs it: what is known of it then makes another plan.
// Where memory is bounded, half of it is for columns, and those that were not needed for long make
// room; what has none is read by each scan (exec/scan.hpp). By the leaders of all locales, which
// all decide the same.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grappa/query/exec/team.hpp"
#include "grappa/query/io/table_reader.hpp"
#include "grappa/query/memory_budget.hpp"
#include "grappa/query/plan/relation.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

class FileTables {
 public:
  explicit FileTables(const Team& team) : team_(team) {}

  /// Known already, or what make() gives.
  std::shared_ptr<const Table> open(const TableSource& source, const std::function<Table()>& make);
  /// Forgets tables whose files have changed. Before a statement.
  void forget_changed();
  /// Forgets those for which the first locale says so.
  void forget_if(const std::function<bool(const TableSource&)>& is_gone);
  /// Loads what the relation scans, as far as there is memory for it. Whether something is known
  /// now that was not when the relation was made.
  bool load_for(const RelationPtr& relation);

  /// f(source, table)
  template <class F>
  void for_each(F&& f) const {
    for (const OpenTable& open : open_) f(open.source, *open.table);
  }

 private:
  /// A column of a table that has a file.
  struct State {
    bool is_known = false;      // read once
    bool is_in_memory = false;  // on all locales
    std::uint64_t bytes = 0;    // of the locale that has most of it; at first, a guess
    std::uint64_t used = 0;     // by which statement
    MemoryCharge charge{};
  };
  struct OpenTable {
    TableSource source;
    std::shared_ptr<Table> table;
    std::vector<State> columns;
  };
  struct Place {
    std::size_t table;
    std::size_t column;
  };

  State& state(const Place& of) { return open_[of.table].columns[of.column]; }
  MemoryBudget* budget() const { return team_.memory == nullptr ? nullptr : &team_.memory->budget; }
  /// That the relation scans, and that are not in memory.
  std::vector<Place> missing_for(const RelationPtr& relation);
  /// Which of them there is, or will be, memory for.
  std::vector<Place> fitting(std::vector<Place> missing);
  /// What columns may have now, and what they have.
  std::uint64_t bytes_for_columns() const;
  std::uint64_t bytes_in_memory() const;
  /// A column that the statement does not need. False where there is none.
  bool drop_oldest();
  void drop(OpenTable& open, std::size_t column);
  void read(OpenTable& open, const std::vector<std::size_t>& columns, DistinctCounting counting);

  const Team& team_;
  std::vector<OpenTable> open_;
  std::uint64_t most_bytes_ = UINT64_MAX;
  std::uint64_t statement_ = 0;
};

}  // namespace grappa::query
