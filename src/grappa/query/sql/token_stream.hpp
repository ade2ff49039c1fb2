#pragma once

// The tokens of a query, one after the other, as a parser takes them; and what it says of one that
// does not belong.
//
//   if (tokens.accept("ORDER")) tokens.expect("BY");
//   while (tokens.accept(",")) {}
//   if (!tokens.at(TokenKind::kString)) tokens.fail_expected("the name of a file");
//
// Keywords and symbols are compared as written, without regard to case; what is in quotes is
// neither. One thread at a time; the text must outlive it.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/sql/lexer.hpp"
#include "grappa/query/sql/name.hpp"

namespace grappa::query::sql {

class TokenStream {
 public:
  explicit TokenStream(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

  // ---- What comes, `ahead` tokens from here
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  std::string_view written(std::size_t ahead = 0) const { return sql::written(text_, peek(ahead)); }
  bool at(TokenKind kind, std::size_t ahead = 0) const { return peek(ahead).kind == kind; }
  bool at(std::string_view keyword_or_symbol, std::size_t ahead = 0) const;
  bool at_any(std::initializer_list<std::string_view> choice, std::size_t ahead = 0) const;
  /// A name: in quotes, or a word that is not reserved.
  bool at_name(std::size_t ahead = 0) const;
  Position position() const { return {peek().offset}; }

  // ---- Taking it
  void skip(std::size_t count = 1) { next_ += count; }
  bool accept(std::string_view keyword_or_symbol);
  /// All of them, or none.
  bool accept(std::initializer_list<std::string_view> sequence);
  void expect(std::string_view keyword_or_symbol);
  std::string take_unquoted();  // of a kString or kQuotedName
  /// `what` is the thing whose name is expected, "a table".
  Name expect_name(std::string_view what);
  /// A name behind AS, which may be a reserved word.
  Name expect_label();
  /// A name without AS, where there is one.
  bool accept_bare_alias(Name& name);

  // ---- Errors
  /// "expected …, found …" at the next token, with the nearest of `candidates` if that is likely
  /// meant; or that what was found is not supported, where it is known and that is so.
  [[noreturn]] void fail_expected(std::string_view what,
                                  std::span<const std::string_view> candidates = {}) const;
  /// The same behind what may have a name without AS. In SELECT a FORM t that is what FORM was
  /// taken for: it is t that does not belong, and FORM that is wrong.
  [[noreturn]] void fail_behind_alias(std::string_view what,
                                      std::span<const std::string_view> candidates);
  [[noreturn]] void fail(Position position, std::string_view message) const;

 private:
  Name take_name();
  std::string found() const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::size_t bare_alias_ = std::size_t(-1);  // the last one
};

}  // namespace grappa::query::sql
