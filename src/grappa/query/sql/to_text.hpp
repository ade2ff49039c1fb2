#pragma once

// A syntax tree as SQL, as somebody would write it: parsed again, it gives the same tree.
//
//   to_text(parse_expression("A+(b * 2)"));  // "A + b * 2"
//   column_name(parse_expression("t.Price"));  // "Price"
//
// Keywords are in upper case, names as they were written, parentheses only where they are needed,
// and all in one line. Thread and task safety: pure functions; they recurse as deep as the tree is
// (parser.hpp).

#include <string>
#include <string_view>

#include "grappa/query/sql/ast.hpp"

namespace grappa::query::sql {

std::string to_text(const Expression& expression);
std::string to_text(const Query& query);
std::string to_text(const TypeName& type);

/// A name, in quotes where it needs them.
std::string name_text(std::string_view name);

/// What a column of a result is called that has no alias: as the column is that it is, else by its
/// text.
std::string column_name(const Expression& expression);

}  // namespace grappa::query::sql
