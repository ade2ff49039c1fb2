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

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::uint32_t offset = 0;  // in the text, in bytes
  std::uint32_t length = 0;
};

/// All tokens, the last of which is the kEnd. SyntaxError for bytes that are no UTF-8, what is not
/// closed, numbers that run into letters, characters that mean nothing, and directives of the C
/// preprocessor.
std::vector<Token> tokenize(std::string_view text);

inline std::string_view written(std::string_view text, const Token& token) {
  return text.substr(token.offset, token.length);
}

/// What a kString stands for. SyntaxError for escapes that there are not.
std::string unquoted(std::string_view text, const Token& token);

}  // namespace grappa::query::datalog
