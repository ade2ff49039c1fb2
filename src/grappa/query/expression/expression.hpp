#pragma once

// Expressions over the columns of a relation, with types that are decided.
//
//   ExpressionPtr sum = call("+", {column(3, kInt64), constant(Value::counted(kInt64, 1))});
//
// An expression does not change and may be part of several. Columns have numbers that are unique in
// a query: whichever operator makes one, it keeps its number all the way up, so expressions move
// between operators as they are.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grappa/query/expression/value.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

using ColumnId = int;

struct Function;
struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;
using Expressions = std::vector<ExpressionPtr>;

enum class ExpressionKind : std::uint8_t {
  kColumn,
  kConstant,
  kCall,  // of a function
  kCast,  // of one argument; NULL instead of an error where it is `tolerant`
  kAnd,   // of any number of arguments
  kOr,
  kNot,
  kIsNull,
  kCase,      // condition, value, condition, value, …, otherwise
  kCoalesce,  // the first that is not NULL
  kIn,        // the first among the others, which are constants
};

struct Expression {
  ExpressionKind kind{};
  Type type{};
  bool tolerant = false;
  ColumnId column = -1;
  Value value{};
  const Function* function = nullptr;
  Expressions arguments{};
  /// Of what is counted: where its values lie, when that is known.
  std::optional<Range> range{};
  /// Whether it may be NULL.
  bool nullable = true;
  std::string name{};          // of a column, as the query calls it
  std::int64_t position = -1;  // in the text of the statement, in bytes; -1: not known

  bool is_constant() const { return kind == ExpressionKind::kConstant; }
  bool is_column() const { return kind == ExpressionKind::kColumn; }
  bool is_true() const { return is_constant() && value.is_true(); }
};

ExpressionPtr column(ColumnId id, Type type, std::string name = {}, std::optional<Range> range = {},
                     bool nullable = true);
ExpressionPtr constant(Value value);

/// A call of the function of that name for these arguments, which are cast to what it takes.
/// UsageError if there is none.
ExpressionPtr call(std::string_view name, Expressions arguments);
/// The arguments themselves if they are of that type already.
ExpressionPtr cast(ExpressionPtr argument, Type type, bool tolerant = false);
/// The same at this position, as are its parts that have none.
ExpressionPtr located(const ExpressionPtr& expression, std::int64_t position);
/// Flattened; without terms that say nothing.
ExpressionPtr all_of(Expressions terms);
ExpressionPtr any_of(Expressions terms);
ExpressionPtr negation(ExpressionPtr argument);
ExpressionPtr is_null(ExpressionPtr argument);
/// condition, value, …, otherwise; values of one type.
ExpressionPtr case_when(Expressions arguments);
ExpressionPtr coalesce(Expressions arguments);
ExpressionPtr is_in(Expressions arguments);

/// Adds the columns that it refers to.
void add_columns(const Expression& expression, std::set<ColumnId>& columns);
std::set<ColumnId> columns_of(const Expression& expression);
/// The same with other columns, where replace(column) returns something.
using ReplaceColumn = std::function<ExpressionPtr(const Expression& column)>;
ExpressionPtr replace_columns(const ExpressionPtr& expression, const ReplaceColumn& replace);
/// The same with other parts, where replace(part) returns something.
using ReplacePart = std::function<ExpressionPtr(const ExpressionPtr& part)>;
ExpressionPtr replace_parts(const ExpressionPtr& expression, const ReplacePart& replace);
bool same(const Expression& a, const Expression& b);
/// As SQL, for EXPLAIN and errors.
std::string text_of(const Expression& expression);
/// The terms of a conjunction, or the expression itself.
Expressions conjuncts(const ExpressionPtr& expression);
/// Whether it is NULL where all of these columns are.
bool is_strict(const Expression& expression, const std::set<ColumnId>& columns);

}  // namespace grappa::query
