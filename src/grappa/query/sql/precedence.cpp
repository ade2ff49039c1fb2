#include "grappa/query/sql/precedence.hpp"

#include <variant>

namespace grappa::query::sql {

Precedence precedence_of(Operator op) {
  switch (op) {
    case Operator::kOr:
      return Precedence::kOr;
    case Operator::kAnd:
      return Precedence::kAnd;
    case Operator::kNot:
      return Precedence::kNot;
    case Operator::kDistinct:
    case Operator::kNotDistinct:
    case Operator::kIsNull:
    case Operator::kIsNotNull:
    case Operator::kIsTrue:
    case Operator::kIsNotTrue:
    case Operator::kIsFalse:
    case Operator::kIsNotFalse:
    case Operator::kIsUnknown:
    case Operator::kIsNotUnknown:
      return Precedence::kIs;
    case Operator::kEqual:
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kLessOrEqual:
    case Operator::kGreater:
    case Operator::kGreaterOrEqual:
      return Precedence::kComparison;
    case Operator::kMatches:
    case Operator::kNotMatches:
    case Operator::kMatchesAnyCase:
    case Operator::kNotMatchesAnyCase:
    case Operator::kConcatenate:
    case Operator::kBitAnd:
    case Operator::kBitOr:
    case Operator::kShiftLeft:
    case Operator::kShiftRight:
    case Operator::kBitNot:
      return Precedence::kOther;
    case Operator::kAdd:
    case Operator::kSubtract:
      return Precedence::kAdditive;
    case Operator::kMultiply:
    case Operator::kDivide:
    case Operator::kModulo:
      return Precedence::kMultiplicative;
    case Operator::kPower:
      return Precedence::kPower;
    case Operator::kMinus:
    case Operator::kPlus:
      return Precedence::kSign;
  }
  return Precedence::kPrimary;
}

Precedence precedence_of(const Expression& expression) {
  const Expression::Node& node = expression.node;
  if (const auto* operation = std::get_if<Operation>(&node)) {
    return precedence_of(operation->operators[0].op);
  }
  if (std::holds_alternative<Quantified>(node)) return Precedence::kComparison;
  const bool is_match = std::holds_alternative<In>(node) || std::holds_alternative<Between>(node) ||
                        std::holds_alternative<Like>(node);
  return is_match ? Precedence::kMatch : Precedence::kPrimary;
}

}  // namespace grappa::query::sql
