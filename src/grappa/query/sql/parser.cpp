#include "grappa/query/sql/parser.hpp"

#include "grappa/query/sql/grammar.hpp"

namespace grappa::query::sql {

std::vector<Statement> parse_statements(std::string_view text) {
  return Grammar(text).statements();
}

Expression parse_expression(std::string_view text) { return Grammar(text).whole_expression(); }

}  // namespace grappa::query::sql
