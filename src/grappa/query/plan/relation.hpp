#pragma once

// Relational algebra: what a query computes, not yet how.
//
//   RelationPtr adults = filter(people, call(">=", {age, constant(Value::counted(kInt32, 18))}));
//
// A relation does not change and may be part of several. It names the columns that it gives by
// their numbers (expression.hpp); an operator shows those of its inputs under the same numbers, and
// new ones under new numbers.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/expression/expression.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

struct Relation;
using RelationPtr = std::shared_ptr<const Relation>;

enum class RelationKind : std::uint8_t {
  kScan,    // of a table
  kValues,  // constants, row by row
  kFilter,
  kProject,  // computed columns only
  kJoin,
  kAggregate,  // groups, then aggregates; without aggregates: DISTINCT
  kWindow,     // all columns, then what window functions give
  kSort,
  kLimit,
  kUnion,      // of two or more, duplicates too; the columns are new
  kIntersect,  // of equal columns, duplicates as often as in both
  kExcept,
  kShared,     // a relation that is computed once for all who refer to it
  kFixpoint,   // WITH RECURSIVE
  kRecurring,  // what the last round of the kFixpoint around it has found
};

/// A column that is computed.
struct Computed {
  ExpressionPtr column{};  // its number, type and name
  ExpressionPtr value{};
};

struct AggregateItem {
  ExpressionPtr column{};
  std::string function{};
  Expressions arguments{};
  bool distinct = false;
  ExpressionPtr filter{};  // or nothing
};

struct SortItem {
  ExpressionPtr value{};
  bool descending = false;
  bool nulls_first = false;
};

enum class FrameUnit : std::uint8_t { kRows, kRange, kGroups };
/// The end of a frame: so many rows, values or groups before (negative) or behind the current one.
struct FrameEnd {
  bool unbounded = false;
  ExpressionPtr offset{};  // nothing: the current row
  bool preceding = false;
  bool is_value = false;  // the offset is no distance, but where the frame ends
};
struct WindowItem {
  ExpressionPtr column{};
  std::string function{};
  Expressions arguments{};
  Expressions partition{};
  std::vector<SortItem> order{};
  FrameUnit unit = FrameUnit::kRange;
  FrameEnd begin{};
  FrameEnd end{};
  bool ignores_nulls = false;
  ExpressionPtr filter{};
};

struct Relation {
  RelationKind kind{};
  std::vector<RelationPtr> inputs{};
  /// What it gives: expressions of the kind kColumn.
  Expressions columns{};

  std::shared_ptr<const Table> table{};  // kScan
  std::string name{};                    // of the table, as the query calls it
  std::vector<std::size_t> table_columns{};
  std::vector<Expressions> rows{};   // kValues
  ExpressionPtr condition{};         // kFilter, kJoin; kScan: by which blocks are left out
  std::vector<Computed> computed{};  // kProject; kAggregate: the groups
  JoinKind join = JoinKind::kInner;
  ExpressionPtr mark{};      // the column of a kMark
  double expected_rows = 0;  // kJoin: about so many, where its order was chosen by them; or 0
  std::vector<AggregateItem> aggregates{};
  std::vector<WindowItem> windows{};
  std::vector<SortItem> order{};   // kSort
  std::int64_t limit = INT64_MAX;  // kLimit; kSort: so many rows are needed
  std::int64_t offset = 0;
  bool all = false;                  // kIntersect, kExcept, kFixpoint: duplicates count
  std::vector<Expressions> given{};  // kUnion …: what each input gives for the columns
};

/// Numbers of columns, of one query.
class ColumnNumbers {
 public:
  ExpressionPtr make(Type type, std::string name = {}, std::optional<Range> range = {},
                     bool nullable = true) {
    return column(next_++, type, std::move(name), range, nullable);
  }
  /// As an expression, with a number of its own.
  ExpressionPtr like(const Expression& expression, const std::string& name = {}) {
    return make(expression.type, name.empty() ? expression.name : name, expression.range,
                expression.nullable);
  }

 private:
  ColumnId next_ = 0;
};

RelationPtr scan(std::shared_ptr<const Table> table, std::string name, ColumnNumbers& numbers);
RelationPtr values(std::vector<Expressions> rows, Expressions columns);
/// One row without columns.
RelationPtr single_row();
/// The input itself where the condition says nothing.
RelationPtr filter(RelationPtr input, ExpressionPtr condition);
RelationPtr project(RelationPtr input, std::vector<Computed> computed);
/// `mark` is the column of a kMark.
RelationPtr join(JoinKind kind, RelationPtr left, RelationPtr right, ExpressionPtr condition,
                 ExpressionPtr mark = nullptr);
RelationPtr aggregate(RelationPtr input, std::vector<Computed> groups,
                      std::vector<AggregateItem> aggregates);
/// Rows that differ.
RelationPtr distinct(RelationPtr input, ColumnNumbers& numbers, Expressions* renamed);
RelationPtr window(RelationPtr input, std::vector<WindowItem> windows);
RelationPtr sort(RelationPtr input, std::vector<SortItem> order);
RelationPtr limit(RelationPtr input, std::int64_t offset, std::int64_t most);

/// The same operator over other inputs.
RelationPtr with_inputs(const Relation& relation, std::vector<RelationPtr> inputs);
std::set<ColumnId> columns_of(const Relation& relation);
/// Columns that it refers to and that nothing in it gives.
std::set<ColumnId> free_columns(const Relation& relation);
/// With other columns in all its expressions.
RelationPtr replace_columns(const RelationPtr& relation, const ReplaceColumn& replace);
/// f(expression) for those of the operator itself.
void for_each_expression(const Relation& relation, const std::function<void(const Expression&)>& f);
/// Of the tables that it scans, in this locale's part.
std::int64_t rows_to_scan(const RelationPtr& relation);
/// As a tree, for EXPLAIN; `note` gives what stands behind a line.
using RelationNote = std::function<std::string(const RelationPtr& relation)>;
std::string tree_of(const RelationPtr& relation, const RelationNote& note = {}, int indent = 0);
std::string_view name_of(RelationKind kind);
std::string_view name_of(JoinKind kind);

}  // namespace grappa::query
