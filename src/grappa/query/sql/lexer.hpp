#pragma once

// The words of a query.
//
//   for (const Token& token : tokenize(text)) use(token.kind, written(text, token));
//   std::string value = unquoted("'it''s'", {TokenKind::kString, 0, 7});  // it's
//
// Comments (-- to the end of the line, and /* nested */) and space, that of Unicode included, are
// between tokens. The first byte order mark is space.
// Thread and task safety: pure functions.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/sql/scanner.hpp"

namespace grappa::query::sql {

enum class TokenKind : std::uint8_t {
  kWord,        // a keyword or a name without quotes
  kQuotedName,  // "name"
  kInteger,     // 17
  kDecimal,     // 1.7  .7  17.
  kDouble,      // 1.7e3
  kString,      // 'text'  E'te\txt'  $tag$text$tag$
  kSymbol,      // an operator, a bracket, …
  kEnd          // of the text; empty
};

using Token = TokenOf<TokenKind>;

/// All tokens, the last of which is the kEnd. SyntaxError for bytes that are no UTF-8, quotes and
/// comments that are not closed, numbers that run into letters, and characters that SQL has not.
std::vector<Token> tokenize(std::string_view text);

/// What a kString or kQuotedName stands for. SyntaxError for escapes that E'…' has not.
std::string unquoted(std::string_view text, const Token& token);

/// Whether a text is a name that needs no quotes, as far as its characters decide.
bool is_plain_name(std::string_view text);

}  // namespace grappa::query::sql
