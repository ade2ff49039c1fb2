#pragma once

// The grammar of Datalog, as a recursive descent: what the files grammar_*.cpp share.
//
// One thread at a time; the text must outlive it.

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/datalog/ast.hpp"
#include "grappa/query/datalog/lexer.hpp"

namespace grappa::query::datalog {

class Grammar {
 public:
  explicit Grammar(std::string_view text);
  ast::Program program();

 private:
  /// A level of nesting, as long as it lives.
  class Level;

  // ---- Tokens
  const Token& peek(std::size_t ahead = 0) const;
  std::string_view word(std::size_t ahead = 0) const { return written(text_, peek(ahead)); }
  bool at(TokenKind kind, std::size_t ahead = 0) const { return peek(ahead).kind == kind; }
  /// A word, symbol or directive as it is written; not a string.
  bool at(std::string_view what, std::size_t ahead = 0) const;
  bool at_any(std::initializer_list<std::string_view> choice, std::size_t ahead = 0) const;
  bool accept(std::string_view what);
  void expect(std::string_view what);
  ast::Name expect_name(std::string_view what);
  ast::Position position() const { return {peek().offset}; }
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(ast::Position position, std::string_view message) const;
  [[noreturn]] void fail_unsupported(std::string_view what) const;

  // ---- Declarations and directives (grammar_declarations.cpp)
  void directive(ast::Program& program);
  /// One that is none.
  [[noreturn]] void refuse_directive() const;
  void declaration(ast::Program& program);
  void type_declaration(ast::Program& program);
  void io_directive(ast::Program& program);
  std::vector<ast::Name> names(std::string_view what);

  // ---- Clauses and bodies (grammar_clauses.cpp)
  void clause(ast::Program& program);
  ast::Atom atom();
  ast::BodyPtr body();
  ast::BodyPtr conjunction();
  ast::BodyPtr literal();
  ast::BodyPtr comparison();
  ast::BodyPtr made(ast::Body node) const;
  /// Whether what the parenthesis here encloses is an operand.
  bool encloses_operand() const;

  // ---- Expressions (grammar_expressions.cpp)
  ast::ExpressionPtr expression(int least = 0);
  ast::ExpressionPtr operand();
  ast::ExpressionPtr call();
  ast::ExpressionPtr aggregate();
  bool at_aggregate() const;
  ast::ExpressionPtr made(ast::Expression node) const;
  ast::ExpressionPtr leaf(ast::ExpressionKind kind);
  void check_height(int height, ast::Position position) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partners_;  // of "(", by token; itself where it is not closed
  std::size_t next_ = 0;
  int depth_ = 0;  // of Levels
};

/// Whether a binary operator of expressions is called so.
bool is_operator(std::string_view text);
/// The names of functors, which no relation may have.
bool is_functor(std::string_view name);
bool is_test(std::string_view name);
bool is_comparison(std::string_view text);

}  // namespace grappa::query::datalog
