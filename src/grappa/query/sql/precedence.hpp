#pragma once

// How tightly operators bind: PostgreSQL's order.
//
//   precedence_of(Operator::kAnd) > precedence_of(Operator::kOr);  // true
//
// Thread and task safety: pure functions.

#include <cstdint>

#include "grappa/query/sql/ast.hpp"

namespace grappa::query::sql {

enum class Precedence : std::uint8_t {
  kOr,
  kAnd,
  kNot,
  kIs,          // IS NULL, IS DISTINCT FROM, …
  kComparison,  // =, <, …
  kMatch,       // IN, BETWEEN, LIKE, …
  kOther,       // ||, ~, &, <<, …
  kAdditive,
  kMultiplicative,
  kPower,
  kSign,
  kPrimary  // all that is no operator
};

/// The next tighter one.
constexpr Precedence above(Precedence precedence) {
  return static_cast<Precedence>(static_cast<int>(precedence) + 1);
}

/// Whether several operators follow one another without parentheses, from left to right: not
/// a < b < c.
constexpr bool operator_chains(Precedence precedence) {
  return precedence < Precedence::kNot || precedence > Precedence::kMatch;
}

Precedence precedence_of(Operator op);
Precedence precedence_of(const Expression& expression);

}  // namespace grappa::query::sql
