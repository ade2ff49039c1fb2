#pragma once

// The order in which relations are computed.
//
//   for (const Stratum& of : stratify(program, text)) use(of.relations, of.rules);
//
// Relations that depend on one another are computed together; what a rule negates or aggregates has
// to be complete before. SyntaxError, which names the cycle, where that cannot be.
//
// Reference: R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2),
// 1972. Thread and task safety: pure; does not recurse.

#include <cstddef>
#include <string_view>
#include <vector>

#include "grappa/query/datalog/program.hpp"

namespace grappa::query::datalog {

struct Stratum {
  std::vector<std::size_t> relations;
  std::vector<std::size_t> rules;  // whose heads are these
};

std::vector<Stratum> stratify(const Program& program, std::string_view text);

}  // namespace grappa::query::datalog
