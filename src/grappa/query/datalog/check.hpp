#pragma once

// Finds what a program means, and refuses one that has no meaning.
//
//   const Program program = check(parse(text), text);
//
// SyntaxError for names that are not declared, numbers of attributes that differ, kinds that clash,
// variables that nothing binds, and options that are unknown.
// Thread and task safety: pure; recurses as deep as the tree is.

#include <string_view>

#include "grappa/query/datalog/ast.hpp"
#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

Program check(const ast::Program& tree, std::string_view text);

}  // namespace grappa::query::datalog
