#pragma once

// The grammar as functions that call one another (recursive descent), one for each kind of thing.
//
//   Grammar grammar(text);
//   std::vector<Statement> statements = grammar.statements();
//
// A function takes the tokens of what it is named for, and fails at the first that does not belong.
// Their definitions: grammar_statements.cpp, grammar_query.cpp, grammar_tables.cpp,
// grammar_expressions.cpp, grammar_calls.cpp, grammar_types.cpp. One thread at a time.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/query/sql/ast.hpp"
#include "grappa/query/sql/precedence.hpp"
#include "grappa/query/sql/token_stream.hpp"

namespace grappa::query::sql {

class Grammar {
 public:
  explicit Grammar(std::string_view text) : tokens_(text) {}

  std::vector<Statement> statements();
  Expression whole_expression();
  TypeName whole_type();
  /// That were taken as tables so far.
  const std::vector<std::string>& files() const { return files_; }

 private:
  /// Held while something is parsed that may contain its like. What is parsed meanwhile is beside,
  /// not below, what has been.
  class Level {
   public:
    explicit Level(Grammar& grammar);
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level();

   private:
    Grammar& grammar_;
    int outer_height_;
  };
  /// Another node is made of what has been parsed in this level.
  void grow();
  void check_levels() const;

  // ---- Statements
  Statement statement();
  Statement create(Position place);
  void expect_table_or_view(std::string_view statement) const;
  Insert insert();
  Change update();
  Change delete_rows();
  TableReference changed_table();
  Drop drop();
  Statement copy(Position place);
  CopiedFile copied_file();
  std::vector<ColumnDefinition> column_definitions();
  std::vector<FileOption> file_options();
  TableName table_name(std::string_view what);
  Query query_or_table();
  Query rows_of(TableReference table, const std::vector<Name>& columns = {});

  // ---- Queries
  bool at_query(std::size_t ahead = 0) const;
  Query query();
  std::vector<CommonTable> common_tables();
  static QueryTerm as_term(Query query);
  Query query_behind(QueryTerm first);
  Query intersections(QueryTerm first);
  SetOperation set_operation(SetOperator op);
  void order_and_limit(Query& query);
  Box<Expression> fetch();
  QueryTerm term();
  bool continues_query() const;
  Select select();
  void select_list(Select& select);
  Values values();
  std::vector<GroupingElement> grouping_elements();
  GroupingElement grouping_element();
  std::vector<OrderItem> order_items();

  // ---- Tables
  std::vector<TableReference> tables();
  TableReference table();
  TableReference simple_table();
  void join_to(TableReference& first);
  TableReference parenthesized_table();
  TableFunction table_function();
  OptionList option_list();
  std::optional<JoinKind> join_kind();
  std::optional<JoinStep> join_step();
  void table_alias(TableReference& table);
  std::vector<Name> names_in_parentheses(std::string_view what);

  // ---- Expressions
  Expression expression(Precedence least = Precedence::kOr);
  Expression operand();
  Expression primary();
  // Functions that are on the stack many times have no locals but what they return, and what they
  // call is not inlined: bounded stack for as many levels as possible.
  [[gnu::noinline]] Expression prefixed(Operator op);
  [[gnu::noinline]] Expression with_casts();
  [[gnu::noinline]] Expression parenthesized();
  [[gnu::noinline]] Expression subquery();
  [[gnu::noinline]] Expression case_expression();
  [[gnu::noinline]] Expression exists();
  [[gnu::noinline]] Expression row();
  [[gnu::noinline]] Expression literal_or_name();
  [[gnu::noinline]] Expression column_or_call();
  Star star(std::vector<Name> qualifier);
  [[gnu::noinline]] void continue_query(Expression& first);
  [[gnu::noinline]] void continue_row(Expression& first, Position place);
  [[gnu::noinline]] void extend(Expression& left, Operator op);
  [[gnu::noinline]] void add_operand(Expression& left, PlacedOperator op, Expression right);
  [[gnu::noinline]] void apply(PlacedOperator op, Expression& operand);
  [[gnu::noinline]] void quantified(Expression& left, PlacedOperator op);
  [[gnu::noinline]] void is(Expression& left);
  [[gnu::noinline]] void match(Expression& left);
  [[gnu::noinline]] void between(Expression& left, bool is_negated, Position place);
  [[gnu::noinline]] void like(Expression& left, bool is_negated, Position place);
  [[gnu::noinline]] void in(Expression& left, bool is_negated, Position place);
  [[noreturn, gnu::noinline]] void fail_chain() const;
  std::vector<Expression> expressions();
  Query query_in_parentheses();

  // ---- Calls
  Expression call(Name name);
  void arguments(FunctionCall& call);
  bool special_arguments(FunctionCall& call);
  bool extract_arguments(FunctionCall& call);
  bool position_arguments(FunctionCall& call);
  void trim_arguments(FunctionCall& call);
  void call_suffixes(FunctionCall& call);
  void null_treatment(FunctionCall& call);
  Window window();
  Frame frame();
  FrameBound frame_bound();

  // ---- Types
  TypeName type();
  [[gnu::noinline]] Expression cast();
  [[gnu::noinline]] void short_cast(Expression& value);
  bool at_typed_string() const;
  Expression typed_string();
  Expression interval();
  std::optional<IntervalUnit> accept_unit();

  TokenStream tokens_;
  int depth_ = 0;   // of Levels
  int height_ = 0;  // of what has been parsed within the innermost Level
  std::vector<std::string> files_;
};

}  // namespace grappa::query::sql
