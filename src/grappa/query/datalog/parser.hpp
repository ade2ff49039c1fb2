#pragma once

// Parses Datalog in Soufflé's syntax.
//
//   const ast::Program program = parse(".decl edge(x: number, y: number)  edge(1, 2).");
//
// SyntaxError for what is not Datalog, and for what Soufflé has and this has not, by its name. What
// is nested more than kMostLevels deep is refused, so that whoever walks over a tree may recurse.
// Thread and task safety: pure; needs about 1 MiB of stack.
//
// Reference: H. Jordan, B. Scholz, P. Subotić, "Soufflé: On Synthesis of Program Analyzers",
// CAV 2016; the syntax is that of souffle-lang.github.io.

#include <string_view>

#include "grappa/query/datalog/ast.hpp"

namespace grappa::query::datalog {

inline constexpr int kMostLevels = 1000;

ast::Program parse(std::string_view text);

}  // namespace grappa::query::datalog
