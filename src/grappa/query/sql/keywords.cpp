#include "grappa/query/sql/keywords.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "grappa/query/sql/name.hpp"

namespace grappa::query::sql {
namespace {

using namespace std::literals;

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view other) { return equal_folded(word, other); });
}

// Sorted.
constexpr std::array kReserved = {"ALL"sv,
                                  "ANALYSE"sv,
                                  "ANALYZE"sv,
                                  "AND"sv,
                                  "ANY"sv,
                                  "ARRAY"sv,
                                  "AS"sv,
                                  "ASC"sv,
                                  "ASYMMETRIC"sv,
                                  "BOTH"sv,
                                  "CASE"sv,
                                  "CAST"sv,
                                  "CHECK"sv,
                                  "COLLATE"sv,
                                  "COLUMN"sv,
                                  "CONSTRAINT"sv,
                                  "CREATE"sv,
                                  "CROSS"sv,
                                  "CURRENT_DATE"sv,
                                  "CURRENT_TIME"sv,
                                  "CURRENT_TIMESTAMP"sv,
                                  "DEFAULT"sv,
                                  "DEFERRABLE"sv,
                                  "DESC"sv,
                                  "DISTINCT"sv,
                                  "DO"sv,
                                  "ELSE"sv,
                                  "END"sv,
                                  "EXCEPT"sv,
                                  "FALSE"sv,
                                  "FETCH"sv,
                                  "FOR"sv,
                                  "FOREIGN"sv,
                                  "FROM"sv,
                                  "FULL"sv,
                                  "GROUP"sv,
                                  "HAVING"sv,
                                  "ILIKE"sv,
                                  "IN"sv,
                                  "INITIALLY"sv,
                                  "INNER"sv,
                                  "INTERSECT"sv,
                                  "INTO"sv,
                                  "IS"sv,
                                  "ISNULL"sv,
                                  "JOIN"sv,
                                  "LATERAL"sv,
                                  "LEADING"sv,
                                  "LEFT"sv,
                                  "LIKE"sv,
                                  "LIMIT"sv,
                                  "LOCALTIME"sv,
                                  "LOCALTIMESTAMP"sv,
                                  "NATURAL"sv,
                                  "NOT"sv,
                                  "NOTNULL"sv,
                                  "NULL"sv,
                                  "OFFSET"sv,
                                  "ON"sv,
                                  "ONLY"sv,
                                  "OR"sv,
                                  "ORDER"sv,
                                  "OUTER"sv,
                                  "OVERLAPS"sv,
                                  "PLACING"sv,
                                  "PRIMARY"sv,
                                  "QUALIFY"sv,
                                  "REFERENCES"sv,
                                  "RETURNING"sv,
                                  "RIGHT"sv,
                                  "SELECT"sv,
                                  "SIMILAR"sv,
                                  "SOME"sv,
                                  "SYMMETRIC"sv,
                                  "TABLE"sv,
                                  "TABLESAMPLE"sv,
                                  "THEN"sv,
                                  "TO"sv,
                                  "TRAILING"sv,
                                  "TRUE"sv,
                                  "UNION"sv,
                                  "UNIQUE"sv,
                                  "USING"sv,
                                  "VARIADIC"sv,
                                  "WHEN"sv,
                                  "WHERE"sv,
                                  "WINDOW"sv,
                                  "WITH"sv};

constexpr std::array kWithoutParentheses = {
    "CURRENT_DATE"sv, "CURRENT_TIME"sv, "CURRENT_TIMESTAMP"sv, "LOCALTIME"sv, "LOCALTIMESTAMP"sv};

// Words and what follows them where they are no names; some never are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kNeedAs = {{
    {"ANTI", "JOIN"},
    {"ASOF", "JOIN"},
    {"AT", "TIME"},
    {"FILTER", "("},
    {"GLOB", ""},
    {"OVER", ""},
    {"PIVOT", "("},
    {"POSITIONAL", "JOIN"},
    {"SEMI", "JOIN"},
    {"UNPIVOT", "("},
    {"WITHIN", "GROUP"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 30> kUnsupported = {{
    {"[", "arrays and subscripts ([…]) are not supported"},
    {"ARRAY", "arrays are not supported"},
    {"{", "structs and maps ({…}) are not supported"},
    {"->", "lambdas and JSON paths (->) are not supported"},
    {"->>", "JSON paths (->>) are not supported"},
    {"//", "the operator // is not supported; / divides integers to integers"},
    {"**", "the operator ** is not supported; powers are ^"},
    {"~~", "the operator ~~ is not supported; patterns are matched by LIKE"},
    {"@", "the operator @ is not supported; absolute values are abs(x)"},
    {"#", "the operator # is not supported; exclusive or is xor(x, y)"},
    {"&&", "operators on arrays (&&) are not supported"},
    {"@>", "operators on arrays (@>) are not supported"},
    {"<@", "operators on arrays (<@) are not supported"},
    {"?", "parameters (?) are not supported"},
    {"$", "parameters ($1) are not supported"},
    {":", "parameters and slices (:) are not supported"},
    {":=", "named arguments (:=) are supported in table functions only"},
    {"=>", "named arguments (=>) are supported in table functions only"},
    {"ASOF", "ASOF JOIN is not supported"},
    {"AT", "AT TIME ZONE is not supported"},
    {"COLLATE", "COLLATE is not supported"},
    {"FOR", "FOR UPDATE is not supported"},
    {"GLOB", "GLOB is not supported; LIKE and SIMILAR TO match patterns"},
    {"INTO", "SELECT INTO is not supported; CREATE TABLE … AS makes tables"},
    {"OVERLAPS", "OVERLAPS is not supported"},
    {"PIVOT", "PIVOT is not supported"},
    {"POSITIONAL", "POSITIONAL JOIN is not supported"},
    {"RETURNING", "RETURNING is not supported"},
    {"TABLESAMPLE", "TABLESAMPLE is not supported"},
    {"UNPIVOT", "UNPIVOT is not supported"},
}};

constexpr std::array kUnsupportedStatements = {
    "ALTER"sv,    "ANALYZE"sv, "ATTACH"sv,  "BEGIN"sv,      "CALL"sv,     "CHECKPOINT"sv,
    "COMMENT"sv,  "COMMIT"sv,  "DECLARE"sv, "DEALLOCATE"sv, "DETACH"sv,   "EXECUTE"sv,
    "EXPORT"sv,   "GRANT"sv,   "IMPORT"sv,  "INSTALL"sv,    "LOAD"sv,     "LOCK"sv,
    "MERGE"sv,    "PIVOT"sv,   "PRAGMA"sv,  "PREPARE"sv,    "RESET"sv,    "REVOKE"sv,
    "ROLLBACK"sv, "SET"sv,     "START"sv,   "SUMMARIZE"sv,  "TRUNCATE"sv, "UNPIVOT"sv,
    "USE"sv,      "VACUUM"sv};

constexpr std::array kStatements = {"SELECT"sv,  "WITH"sv,   "FROM"sv,   "VALUES"sv,   "TABLE"sv,
                                    "CREATE"sv,  "INSERT"sv, "DROP"sv,   "DESCRIBE"sv, "SHOW"sv,
                                    "EXPLAIN"sv, "COPY"sv,   "UPDATE"sv, "DELETE"sv};

constexpr std::array kClauses = {
    "FROM"sv,   "WHERE"sv, "GROUP"sv, "HAVING"sv,    "WINDOW"sv, "QUALIFY"sv, "ORDER"sv, "LIMIT"sv,
    "OFFSET"sv, "FETCH"sv, "UNION"sv, "INTERSECT"sv, "EXCEPT"sv, "JOIN"sv,    "LEFT"sv,  "RIGHT"sv,
    "FULL"sv,   "INNER"sv, "CROSS"sv, "NATURAL"sv,   "ON"sv,     "USING"sv};

}  // namespace

bool is_reserved(std::string_view word) {
  // Asked of each name: the rest of the list is for those that begin alike.
  const auto first =
      std::lower_bound(kReserved.begin(), kReserved.end(), folded(word.empty() ? ' ' : word[0]),
                       [](std::string_view other, char c) { return folded(other[0]) < c; });
  for (auto it = first; it != kReserved.end() && folded((*it)[0]) == folded(word[0]); ++it) {
    if (equal_folded(word, *it)) return true;
  }
  return false;
}

std::span<const std::string_view> reserved_words() { return kReserved; }

bool is_function_without_parentheses(std::string_view word) {
  return is_one_of(kWithoutParentheses, word);
}

bool is_function_keyword(std::string_view word) {
  return is_function_without_parentheses(word) || equal_folded(word, "LEFT") ||
         equal_folded(word, "RIGHT");
}

bool needs_as(std::string_view word, std::string_view next) {
  return std::any_of(kNeedAs.begin(), kNeedAs.end(), [&](const auto& pair) {
    return equal_folded(word, pair.first) &&
           (pair.second.empty() || equal_folded(next, pair.second));
  });
}

std::string_view refusal_of(std::string_view symbol_or_word) {
  for (const auto& [found, refusal] : kUnsupported) {
    if (equal_folded(symbol_or_word, found)) return refusal;
  }
  return {};
}

bool is_unsupported_statement(std::string_view word) {
  return is_one_of(kUnsupportedStatements, word);
}

std::span<const std::string_view> statement_keywords() { return kStatements; }
std::span<const std::string_view> clause_keywords() { return kClauses; }

}  // namespace grappa::query::sql
