// Which texts our parser of SQL takes: each ends with a zero byte, and gives a line, which is empty
// or says where and what is wrong: "1:8: expected an expression".

#include <iostream>
#include <string>

#include "grappa/query/sql/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"

int main() {
  for (std::string text; std::getline(std::cin, text, '\0');) {
    try {
      grappa::query::sql::parse_statements(text);
      std::cout << '\n';
    } catch (const grappa::query::sql::SyntaxError& error) {
      std::cout << error.line() << ':' << error.column() << ": " << error.message() << '\n';
    }
  }
}
