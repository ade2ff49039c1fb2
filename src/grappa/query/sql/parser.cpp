#include "grappa/query/sql/parser.hpp"

#include "grappa/query/sql/grammar.hpp"
#include "grappa/query/sql/lexer.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {

std::vector<Statement> parse_statements(std::string_view text) {
  return Grammar(text).statements();
}

bool is_complete(std::string_view text) {
  try {
    const std::vector<Token> tokens = tokenize(text);
    return tokens.size() == 1 || written(text, tokens[tokens.size() - 2]) == ";";
  } catch (const UnclosedError&) {
    return false;
  } catch (const SyntaxError&) {
    return true;
  }
}

std::vector<std::string> files_named(std::string_view text) {
  Grammar grammar(text);
  try {
    grammar.statements();
  } catch (const SyntaxError&) {
    return {};
  }
  return grammar.files();
}

TypeName parse_type(std::string_view text) { return Grammar(text).whole_type(); }

Expression parse_expression(std::string_view text) { return Grammar(text).whole_expression(); }

}  // namespace grappa::query::sql
