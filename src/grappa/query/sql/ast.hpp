#pragma once

// The syntax tree of SQL: what was written, before anybody asks whether the names exist.
//
//   if (const auto* column = std::get_if<ColumnReference>(&value.node)) use(column->parts);
//   const bool same = value == other_value;  // GROUP BY: by what they say, not by where
//   Query view = query;                      // a copy with all that is below
//
// All nodes are values: copied, compared and destroyed with what is below them, recursively. The
// parser bounds how deep that goes (parser.hpp), and what may be long is a list here, not a chain:
// `a + b - c` is one Operation, `q UNION r UNION s` one Query, `t JOIN u JOIN v` one Join. A
// Position is that of the first character of what the node stands for, or of its operator or
// keyword where that says more; equality does not look at it.
//
// What PostgreSQL makes a function call of is one here, too: EXTRACT(year FROM x) is
// extract('year', x); SUBSTRING(x FROM a FOR b) substring(x, a, b); POSITION(a IN b) strpos(b, a);
// TRIM(BOTH y FROM x) btrim(x, y), LEADING ltrim, TRAILING rtrim; OVERLAY(x PLACING y FROM a FOR b)
// overlay(x, y, a, b); CURRENT_DATE current_date(). DATE '…' is a Cast of a string.
// Thread and task safety: values.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "grappa/query/sql/box.hpp"
#include "grappa/query/sql/name.hpp"

namespace grappa::query::sql {

struct Expression;
struct Query;

// ---- Expressions

enum class LiteralKind : std::uint8_t {
  kNull,  // text is empty, as it is for the next two
  kTrue,
  kFalse,
  kInteger,  // digits without a sign, as many as were written
  kDecimal,  // digits with a point: "1.50", ".5", "2."
  kDouble,   // with an exponent: "1e3", "1.5e-3"
  kString    // the text itself, without quotes and escapes; UTF-8, perhaps with zero bytes
};

struct Literal {
  LiteralKind kind = LiteralKind::kNull;
  std::string text;
  bool operator==(const Literal&) const = default;
};

/// ['a', 'b'], or {'a': 'int'}: what some options of files take.
struct OptionList {
  std::vector<std::string> keys;  // of the values, where they have such; else none
  std::vector<Literal> values;
  bool operator==(const OptionList&) const = default;
};

/// a, t.a, s.t.a; at least one part.
struct ColumnReference {
  std::vector<Name> parts;
  bool operator==(const ColumnReference&) const = default;
};

struct Replacement;

/// *, t.*, * EXCLUDE (a, b) REPLACE (x AS c).
struct Star {
  std::vector<Name> qualifier;
  std::vector<Name> exclude;
  std::vector<Replacement> replace;
  bool operator==(const Star&) const = default;
};

enum class Operator : std::uint8_t {
  // From here on of two operands.
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kDistinct,           // IS DISTINCT FROM
  kNotDistinct,        // IS NOT DISTINCT FROM
  kMatches,            // ~, the regular expression is found in the text
  kNotMatches,         // !~
  kMatchesAnyCase,     // ~*
  kNotMatchesAnyCase,  // !~*
  kConcatenate,        // ||
  kBitAnd,
  kBitOr,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kPower,  // ^, from left to right as in PostgreSQL
  // From here on of one.
  kNot,
  kMinus,
  kPlus,
  kBitNot,
  kIsNull,
  kIsNotNull,
  kIsTrue,
  kIsNotTrue,
  kIsFalse,
  kIsNotFalse,
  kIsUnknown,
  kIsNotUnknown
};

struct PlacedOperator {
  Operator op = Operator::kOr;
  Position position;
  bool operator==(const PlacedOperator&) const = default;
};

/// Of one operator of one operand; or of operators of two, one fewer than operands, that are
/// applied from left to right. All are the same, or all additive (+ -), or multiplicative (* / %).
/// There are several only of OR, AND, ^ and those, and of || ~ & | << >> and the like, of any kind.
struct Operation {
  std::vector<PlacedOperator> operators;
  std::vector<Expression> operands;
  bool operator==(const Operation&) const = default;
};

/// value [NOT] BETWEEN [SYMMETRIC] low AND high.
struct Between {
  Box<Expression> value, low, high;
  bool is_negated = false;
  bool is_symmetric = false;
  bool operator==(const Between&) const = default;
};

enum class LikeKind : std::uint8_t { kLike, kLikeAnyCase, kSimilarTo };

/// value [NOT] LIKE pattern [ESCAPE escape].
struct Like {
  LikeKind kind = LikeKind::kLike;
  Box<Expression> value, pattern;
  Box<Expression> escape;  // or none: the backslash
  bool is_negated = false;
  bool operator==(const Like&) const = default;
};

/// value [NOT] IN (list) or (query). The value may be a Row.
struct In {
  Box<Expression> value;
  std::vector<Expression> list;  // not empty where there is no query
  Box<Query> query;
  bool is_negated = false;
  bool operator==(const In&) const = default;
};

/// value < ANY (query), value < ALL (query); SOME is ANY.
struct Quantified {
  Box<Expression> value;
  Operator comparison = Operator::kEqual;  // kEqual ... kGreaterOrEqual
  bool is_all = false;
  Box<Query> query;
  bool operator==(const Quantified&) const = default;
};

struct Exists {
  Box<Query> query;
  bool operator==(const Exists&) const = default;
};

struct ScalarSubquery {
  Box<Query> query;
  bool operator==(const ScalarSubquery&) const = default;
};

/// (a, b), ROW(a, b), ROW().
struct Row {
  std::vector<Expression> values;
  bool operator==(const Row&) const = default;
};

struct CaseBranch;

/// CASE [operand] WHEN … THEN … [ELSE …] END.
struct Case {
  Box<Expression> operand;
  std::vector<CaseBranch> branches;
  Box<Expression> otherwise;
  bool operator==(const Case&) const = default;
};

/// decimal(15, 2): a name in lower case and the numbers behind it. Types of several words are
/// joined by single blanks, "double precision", "timestamp with time zone"; but "varchar" for
/// "character varying" and "time", "timestamp" for those "without time zone".
struct TypeName {
  std::string name;
  std::vector<std::uint32_t> parameters;
  Position position;
  bool operator==(const TypeName&) const = default;
};

/// CAST(value AS type), TRY_CAST, value::type, and type 'text'.
struct Cast {
  Box<Expression> value;
  TypeName type;
  bool is_try = false;  // NULL in place of an error
  bool operator==(const Cast&) const = default;
};

enum class IntervalUnit : std::uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond
};

/// INTERVAL '3' MONTH, INTERVAL 3 DAY, INTERVAL (n + 1) DAY: the value, a number or a string that
/// is one, times the unit. INTERVAL '3 months' is a Cast.
struct Interval {
  Box<Expression> value;
  IntervalUnit unit = IntervalUnit::kDay;
  bool operator==(const Interval&) const = default;
};

struct OrderItem;
struct Window;

/// Of a function, an aggregate or a window function; which of them it is, the name says.
struct FunctionCall {
  Name name;
  bool is_star = false;      // count(*)
  bool is_distinct = false;  // sum(DISTINCT x)
  std::vector<Expression> arguments;
  std::vector<OrderItem> order_by;      // array_agg(x ORDER BY y)
  std::vector<OrderItem> within_group;  // percentile_cont(0.5) WITHIN GROUP (ORDER BY x)
  Box<Expression> filter;               // FILTER (WHERE …)
  bool ignores_nulls = false;           // IGNORE NULLS
  Box<Window> over;
  bool operator==(const FunctionCall&) const = default;
};

struct Expression {
  using Node =
      std::variant<Literal, ColumnReference, Star, Operation, Between, Like, In, Quantified, Exists,
                   ScalarSubquery, Row, Case, Cast, Interval, FunctionCall>;
  Node node;
  Position position;
  bool operator==(const Expression&) const = default;
};

struct Replacement {
  Expression value;
  Name name;
  bool operator==(const Replacement&) const = default;
};

struct CaseBranch {
  Expression condition;  // or what the operand is compared with
  Expression result;
  bool operator==(const CaseBranch&) const = default;
};

/// ORDER BY value [ASC | DESC] [NULLS FIRST | LAST]. ORDER BY ALL is one item, a Star.
struct OrderItem {
  Expression value;
  bool is_descending = false;
  std::optional<bool> nulls_first;  // or none: last when ascending, first when descending
  bool operator==(const OrderItem&) const = default;
};

enum class FrameUnit : std::uint8_t { kRows, kRange, kGroups };
enum class BoundKind : std::uint8_t {
  kUnboundedPreceding,
  kPreceding,
  kCurrentRow,
  kFollowing,
  kUnboundedFollowing
};
enum class FrameExclusion : std::uint8_t { kNoOthers, kCurrentRow, kGroup, kTies };

struct FrameBound {
  BoundKind kind = BoundKind::kCurrentRow;
  Box<Expression> offset;  // kPreceding, kFollowing
  bool operator==(const FrameBound&) const = default;
};

struct Frame {
  FrameUnit unit = FrameUnit::kRange;
  FrameBound begin{BoundKind::kUnboundedPreceding, {}};
  FrameBound end{BoundKind::kCurrentRow, {}};
  FrameExclusion exclusion = FrameExclusion::kNoOthers;
  Position position;
  bool operator==(const Frame&) const = default;
};

/// OVER (base PARTITION BY … ORDER BY … frame), all parts optional; OVER base; what WINDOW names.
struct Window {
  std::optional<Name> base;
  std::vector<Expression> partition_by;
  std::vector<OrderItem> order_by;
  std::optional<Frame> frame;
  Position position;
  bool operator==(const Window&) const = default;
};

// ---- Tables in FROM

/// t, s.t; at least one part.
struct TableName {
  std::vector<Name> parts;
  bool operator==(const TableName&) const = default;
};

/// FROM 'file.csv'.
struct FileName {
  std::string path;
  bool operator==(const FileName&) const = default;
};

/// header = true, also written := and =>.
struct NamedArgument {
  Name name;
  Expression value;
  std::optional<OptionList> list{};  // in the place of the value
  bool operator==(const NamedArgument&) const = default;
};

/// edges('g.mtx'), read_csv('f', header = true).
struct TableFunction {
  Name name;
  std::vector<Expression> arguments;
  std::optional<OptionList> files{};           // ['a.csv', 'b.csv'], in their place
  std::vector<NamedArgument> named_arguments;  // all behind the others
  bool operator==(const TableFunction&) const = default;
};

struct DerivedTable {
  Box<Query> query;
  bool is_lateral = false;
  bool operator==(const DerivedTable&) const = default;
};

struct TableReference;
struct JoinStep;

/// first JOIN … JOIN …, from left to right.
struct Join {
  Box<TableReference> first;
  std::vector<JoinStep> steps;  // not empty
  bool operator==(const Join&) const = default;
};

struct TableReference {
  std::variant<TableName, FileName, TableFunction, DerivedTable, Join> source;
  std::optional<Name> alias;
  std::vector<Name> column_aliases;  // only with an alias; may be fewer than the columns
  Position position;
  bool operator==(const TableReference&) const = default;
};

enum class JoinKind : std::uint8_t { kInner, kLeft, kRight, kFull, kCross, kSemi, kAnti };

/// A condition, names in USING, or NATURAL: exactly one of them, but none of a cross join.
struct JoinStep {
  JoinKind kind = JoinKind::kInner;
  bool is_natural = false;
  TableReference right;
  Box<Expression> condition;
  std::vector<Name> using_columns;
  Position position;
  bool operator==(const JoinStep&) const = default;
};

// ---- Queries

struct SelectItem {
  Expression value;
  std::optional<Name> alias;
  bool operator==(const SelectItem&) const = default;
};

enum class GroupingKind : std::uint8_t { kSet, kRollup, kCube, kGroupingSets };

/// `a` is a set of one expression, `(a, b)` of two, `()` of none. ROLLUP and CUBE have sets as
/// their elements, GROUPING SETS anything.
struct GroupingElement {
  GroupingKind kind = GroupingKind::kSet;
  std::vector<Expression> expressions;    // kSet
  std::vector<GroupingElement> elements;  // others
  Position position;
  bool operator==(const GroupingElement&) const = default;
};

struct NamedWindow {
  Name name;
  Window window;
  bool operator==(const NamedWindow&) const = default;
};

struct Select {
  bool is_distinct = false;
  std::vector<Expression> distinct_on;  // not empty: DISTINCT ON
  std::vector<SelectItem> items;        // FROM t alone has a Star
  std::vector<TableReference> from;     // separated by commas
  Box<Expression> where;
  bool groups_by_all = false;
  std::vector<GroupingElement> group_by;
  Box<Expression> having;
  std::vector<NamedWindow> windows;
  Box<Expression> qualify;
  bool updates = false;  // the rows of an UPDATE: each stays one, and nothing is an aggregate
  bool operator==(const Select&) const = default;
};

/// Rows of equally many values, at least one of each.
struct Values {
  std::vector<std::vector<Expression>> rows;
  bool operator==(const Values&) const = default;
};

/// SELECT …, VALUES …, or a query in parentheses that they were needed for.
struct QueryTerm {
  std::variant<Select, Values, Box<Query>> node;
  Position position;
  bool operator==(const QueryTerm&) const = default;
};

enum class SetOperator : std::uint8_t { kUnion, kIntersect, kExcept };

struct SetOperation {
  SetOperator op = SetOperator::kUnion;
  bool is_all = false;
  Position position;
  bool operator==(const SetOperation&) const = default;
};

struct CommonTable;

/// WITH … term UNION term … ORDER BY … LIMIT …. The operations are one fewer than the terms and are
/// applied from left to right: where INTERSECT binds tighter, it is a query in the place of a term.
struct Query {
  bool is_recursive = false;
  std::vector<CommonTable> with;
  std::vector<QueryTerm> terms;
  std::vector<SetOperation> operations;
  std::vector<OrderItem> order_by;
  Box<Expression> limit, offset;
  Position position;
  bool operator==(const Query&) const = default;
};

/// name (columns) AS (query).
struct CommonTable {
  Name name;
  std::vector<Name> columns;
  Query query;
  bool operator==(const CommonTable&) const = default;
};

// ---- Statements

struct ColumnDefinition {
  Name name;
  TypeName type;
  bool is_not_null = false;
  bool operator==(const ColumnDefinition&) const = default;
};

/// By columns, or by a query, whose columns may get other names.
struct CreateTable {
  TableName name;
  bool replaces = false;  // OR REPLACE
  bool if_not_exists = false;
  std::vector<ColumnDefinition> columns;
  std::vector<Name> column_aliases;
  Box<Query> query;
};

struct CreateView {
  TableName name;
  bool replaces = false;
  bool if_not_exists = false;
  std::vector<Name> column_aliases;
  Query query;
};

struct Insert {
  TableName table;
  std::vector<Name> columns;  // or none: all, in their order
  Query query;
};

/// UPDATE and DELETE.
struct Change {
  TableReference table;  // a TableName
  bool deletes = false;
  std::vector<Replacement> values{};     // of UPDATE
  std::vector<TableReference> others{};  // behind FROM of UPDATE, or USING of DELETE
  Box<Expression> where{};               // or none: of all rows
};

struct Drop {
  bool is_view = false;
  bool if_exists = false;
  std::vector<TableName> names;
};

/// DESCRIBE of what the query gives; DESCRIBE t is that of SELECT * FROM t.
struct Describe {
  Query query;
};

struct ShowTables {};

/// FORMAT csv, header = true.
struct FileOption {
  Name name;
  Literal value;                     // a word is a string, nothing is TRUE
  std::optional<OptionList> list{};  // in its place
};

/// 'path' (FORMAT csv, HEADER).
struct CopiedFile {
  std::string path;
  Position position;
  std::vector<FileOption> options;
};

/// COPY (query) TO 'path'; COPY t is that of SELECT * FROM t.
struct CopyTo {
  Query query;
  CopiedFile file;
};

/// COPY t FROM 'path'.
struct CopyFrom {
  TableName table;
  std::vector<Name> columns;  // or none: all, in their order
  CopiedFile file;
};

struct Explain;

struct Statement {
  std::variant<Query, CreateTable, CreateView, Insert, Change, Drop, Describe, ShowTables, CopyTo,
               CopyFrom, Box<Explain>>
      node;
  Position position;
};

struct Explain {
  bool is_analyze = false;
  Statement statement;
};

}  // namespace grappa::query::sql
