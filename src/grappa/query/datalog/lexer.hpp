#pragma once

// The words of a Datalog program.
//
//   for (const Token& token : tokenize(text)) use(token.kind, written(text, token));
//
// Space and comments (// to the end of the line, /* … */) are between tokens.
// Thread and task safety: pure functions.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/sql/scanner.hpp"

namespace grappa::query::datalog {

enum class TokenKind : std::uint8_t {
  kWord,       // name  _
  kDirective,  // .decl
  kInteger,    // 17  17u  0x1F  0b101
  kFloat,      // 1.5  1.5e-3
  kString,     // "text"
  kSymbol,     // an operator, a bracket, …
  kEnd         // of the text; empty
};

using Token = sql::TokenOf<TokenKind>;

/// All tokens, the last of which is the kEnd. SyntaxError for bytes that are no UTF-8, what is not
/// closed, numbers that run into letters, characters that mean nothing, and directives of the C
/// preprocessor.
std::vector<Token> tokenize(std::string_view text);

/// What a kString stands for. SyntaxError for escapes that there are not.
std::string unquoted(std::string_view text, const Token& token);

}  // namespace grappa::query::datalog
