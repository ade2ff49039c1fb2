#pragma once

// SQL from text to syntax tree.
//
//   std::vector<Statement> statements = parse_statements("SELECT 1; SELECT 2");
//   Expression condition = parse_expression("price > 10 AND name LIKE 'a%'");
//
// The dialect is PostgreSQL's, with what DuckDB added for convenience: files and FROM first, GROUP
// BY and ORDER BY ALL, QUALIFY, * EXCLUDE and REPLACE, SEMI and ANTI JOIN, TRY_CAST. What is not
// supported is refused by name. (q LIMIT 3) ORDER BY 1 orders three rows, as in the standard; in
// PostgreSQL it is q ORDER BY 1 LIMIT 3.
//
// Errors: SyntaxError. Texts may have any length below 4 GiB, lists and chains of operators, too.
// What is nested more than kMostLevels deep (operands in parentheses count twice) is refused: the
// recursion over a tree is bounded. Parsing so many takes 2 MiB of stack, copying, comparing or
// writing them a quarter of one.

#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/sql/ast.hpp"

namespace grappa::query::sql {

inline constexpr int kMostLevels = 1000;

/// Statements separated by semicolons; there may be none.
std::vector<Statement> parse_statements(std::string_view text);

/// Whether nothing is begun: each statement has its semicolon. So it is, too, where something is
/// wrong that more text does not mend.
bool is_complete(std::string_view text);

/// The files that the statements name as tables, as they name them, some maybe twice; none where
/// the text is wrong.
std::vector<std::string> files_named(std::string_view text);

/// A type that is all of the text.
TypeName parse_type(std::string_view text);

/// An expression that is all of the text.
Expression parse_expression(std::string_view text);

}  // namespace grappa::query::sql
