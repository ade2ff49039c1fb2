#pragma once

// The words of SQL that mean something by themselves.
//
//   is_reserved("Select");  // true: as a name it needs quotes
//   is_reserved("date");    // false: columns may be called that
//
// Thread and task safety: pure functions.

#include <span>
#include <string_view>

namespace grappa::query::sql {

/// Whether a word is no name of a column or table. Those of PostgreSQL, without the ones that only
/// statements have which are not ours (user, grant, …), and with QUALIFY.
bool is_reserved(std::string_view word);

std::span<const std::string_view> reserved_words();

/// Of the reserved ones, CURRENT_DATE and its like.
bool is_function_without_parentheses(std::string_view word);

/// Of the reserved ones, those and LEFT and RIGHT.
bool is_function_keyword(std::string_view word);

/// Whether a name may be this word behind AS, but not without it: with what is next it begins
/// something else.
bool needs_as(std::string_view word, std::string_view next);

/// "arrays are not supported" for ARRAY, and so on for what only other systems' queries have; empty
/// for all else.
std::string_view refusal_of(std::string_view symbol_or_word);

/// Whether statements begin with a word that ours do not: MERGE, UPDATE, …
bool is_unsupported_statement(std::string_view word);

/// What statements begin with.
std::span<const std::string_view> statement_keywords();

/// What may follow an item or a table of a SELECT.
std::span<const std::string_view> clause_keywords();

}  // namespace grappa::query::sql
