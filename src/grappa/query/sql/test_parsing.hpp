#pragma once

// What the tests of the parser say of a text.
//
//   EXPECT_EQ(expression_text("A+(b * 2)"), "A + b * 2");
//   EXPECT_EQ(error_of("SELECT"), "1:7: expected an expression, found the end of the text");

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "grappa/query/sql/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/to_text.hpp"

namespace grappa::query::sql {

inline std::string expression_text(std::string_view text) {
  return to_text(parse_expression(text));
}

/// The only statement of a text.
template <class Node>
Node parse_one(std::string_view text) {
  const std::vector<Statement> statements = parse_statements(text);
  EXPECT_EQ(statements.size(), 1u) << text;
  return std::get<Node>(statements.at(0).node);
}

inline std::string query_text(std::string_view text) { return to_text(parse_one<Query>(text)); }

/// "line:column: message" of the error that the text is refused with.
inline std::string error_of(std::string_view text) {
  try {
    parse_statements(text);
  } catch (const SyntaxError& e) {
    const std::string_view what = e.what();
    return std::string(what.substr(0, what.find('\n')));
  }
  return "no error";
}

/// `pattern` so many times.
inline std::string repeated(std::string_view pattern, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += pattern;
  return result;
}

}  // namespace grappa::query::sql
