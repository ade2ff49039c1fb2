#include "grappa/query/sql/bind_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "grappa/query/expression/evaluator.hpp"
#include "grappa/query/sql/select_parts.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/sql/to_text.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query::sql {
namespace {

ExpressionPtr integer_literal(const std::string& digits) {
  std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) first = digits.size() - 1;
  const std::string_view text = std::string_view(digits).substr(first);
  if (text.size() > Type::kMostDigits) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return constant(Value::real(value));
  }
  Int128 value = 0;
  for (const char digit : text) value = value * 10 + (digit - '0');
  const Type type = value <= INT32_MAX   ? kInt32
                    : value <= INT64_MAX ? kInt64
                                         : Type::decimal(static_cast<int>(text.size()), 0);
  return constant(Value::counted(type, value));
}

ExpressionPtr decimal_literal(const std::string& text) {
  const std::size_t point = text.find('.');
  std::string digits = text.substr(0, point) + text.substr(point + 1);
  const auto scale = static_cast<int>(text.size() - point - 1);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  const auto precision = std::max({static_cast<int>(digits.size()), scale, 1});
  if (precision > Type::kMostDigits) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return constant(Value::real(value));
  }
  Int128 value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return constant(Value::counted(Type::decimal(precision, scale), value));
}

ExpressionPtr true_or_false(bool value) { return constant(Value::boolean(value)); }

ExpressionPtr as_text(ExpressionPtr value) { return cast(std::move(value), kText); }

query::SortItem sort_item(ExpressionPtr value, const OrderItem& item) {
  // As PostgreSQL: NULLs are greater than all values.
  return {std::move(value), item.is_descending, item.nulls_first.value_or(item.is_descending)};
}

}  // namespace

std::string_view function_of(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return "=";
    case Operator::kNotEqual:
      return "<>";
    case Operator::kLess:
      return "<";
    case Operator::kLessOrEqual:
      return "<=";
    case Operator::kGreater:
      return ">";
    case Operator::kGreaterOrEqual:
      return ">=";
    case Operator::kDistinct:
      return "is distinct from";
    case Operator::kNotDistinct:
      return "is not distinct from";
    case Operator::kMatches:
    case Operator::kNotMatches:
      return "regexp_matches";
    case Operator::kMatchesAnyCase:
    case Operator::kNotMatchesAnyCase:
      return "regexp_matches_any_case";
    case Operator::kConcatenate:
      return "||";
    case Operator::kBitAnd:
      return "&";
    case Operator::kBitOr:
      return "|";
    case Operator::kBitNot:
      return "~";
    case Operator::kShiftLeft:
      return "<<";
    case Operator::kShiftRight:
      return ">>";
    case Operator::kAdd:
      return "+";
    case Operator::kSubtract:
    case Operator::kMinus:
      return "-";
    case Operator::kMultiply:
      return "*";
    case Operator::kDivide:
      return "/";
    case Operator::kModulo:
      return "%";
    case Operator::kPower:
      return "pow";
    default:
      return "";
  }
}

Type type_of(const TypeName& name, std::string_view text) {
  std::optional<int> numbers[2];
  for (std::size_t i = 0; i < name.parameters.size() && i < 2; ++i)
    numbers[i] = static_cast<int>(std::min<std::uint32_t>(name.parameters[i], 1'000'000));
  const auto type = type_named(name.name, numbers[0], numbers[1]);
  if (!type)
    throw SyntaxError(
        text, name.position,
        fmt::format("there is no type {}{}", to_text(name), suggestion(name.name, type_names())));
  return *type;
}

void ExpressionBinder::fail(Position position, const std::string& message) const {
  throw SyntaxError(context_.text, position, message);
}

ExpressionPtr ExpressionBinder::at(Position position, const ExpressionPtr& bound) const {
  return context_.is_in_view ? bound : located(bound, position.offset);
}

ExpressionPtr ExpressionBinder::bind(const Expression& expression) {
  try {
    return at(expression.position, bind_here(expression));
  } catch (const SyntaxError&) {
    throw;
  } catch (const UsageError& error) {
    fail(expression.position, error.what());
  }
}

ExpressionPtr ExpressionBinder::bind_here(const Expression& expression) {
  return std::visit([&](const auto& node) { return bind_node(node, expression); }, expression.node);
}

ExpressionPtr ExpressionBinder::bind_condition(const Expression& expression) {
  return bind_condition(expression, clause_);
}

ExpressionPtr ExpressionBinder::bind_condition(const Expression& expression,
                                               std::string_view what) {
  ExpressionPtr bound = bind(expression);
  // A text that is written there may say true or false.
  const bool is_written = bound->is_constant() && bound->type.is_text();
  if (bound->type != kBoolean && bound->type.id != TypeId::kNull && !is_written)
    fail(expression.position,
         fmt::format("{} needs a condition, this is of type {}", what, name_of(bound->type)));
  return cast(std::move(bound), kBoolean);
}

Expressions ExpressionBinder::bind_all(const std::vector<Expression>& expressions) {
  Expressions bound;
  for (const Expression& expression : expressions) bound.push_back(bind(expression));
  return bound;
}

std::vector<query::SortItem> ExpressionBinder::bind_order(const std::vector<OrderItem>& items) {
  std::vector<query::SortItem> order;
  for (const OrderItem& item : items) order.push_back(sort_item(bind(item.value), item));
  return order;
}

std::vector<query::SortItem> ExpressionBinder::bind_order(const std::vector<OrderItem>& items,
                                                          const Expressions& columns) {
  std::vector<query::SortItem> order;
  for (const OrderItem& item : items) {
    if (std::holds_alternative<Star>(item.value.node)) {
      for (const ExpressionPtr& of : columns) order.push_back(sort_item(of, item));
    } else if (const auto place = position_of(item.value, columns.size(), context_.text)) {
      order.push_back(sort_item(columns[*place], item));
    } else {
      order.push_back(sort_item(bind(item.value), item));
    }
  }
  return order;
}

ExpressionPtr ExpressionBinder::bind_node(const Literal& node, const Expression&) {
  switch (node.kind) {
    case LiteralKind::kNull:
      return constant(Value::null());
    case LiteralKind::kTrue:
      return true_or_false(true);
    case LiteralKind::kFalse:
      return true_or_false(false);
    case LiteralKind::kInteger:
      return integer_literal(node.text);
    case LiteralKind::kDecimal:
      return decimal_literal(node.text);
    case LiteralKind::kDouble: {
      double value = 0;
      if (!parse(node.text, kDouble, value)) throw UsageError("this number is out of range");
      return constant(Value::real(value));
    }
    case LiteralKind::kString:
      return constant(Value::text(node.text));
  }
  __builtin_unreachable();
}

ExpressionPtr ExpressionBinder::bind_node(const ColumnReference& node, const Expression& whole) {
  if (alias_) {
    if (ExpressionPtr named = alias_(node)) return named;
  }
  return scope_.find(node, whole.position, context_.text);
}

ExpressionPtr ExpressionBinder::bind_node(const Star&, const Expression& whole) {
  fail(whole.position, fmt::format("* stands for no single value in {}", clause_));
}

ExpressionPtr ExpressionBinder::bind_node(const Row&, const Expression& whole) {
  fail(whole.position, "a row of values can only be compared, by = <> or IN");
}

ExpressionPtr ExpressionBinder::combine(Operator op, ExpressionPtr left, ExpressionPtr right) {
  ExpressionPtr made;
  if (op == Operator::kConcatenate) {
    made = call("||", {as_text(std::move(left)), as_text(std::move(right))});
  } else {
    made = call(function_of(op), {std::move(left), std::move(right)});
  }
  const bool negated = op == Operator::kNotMatches || op == Operator::kNotMatchesAnyCase;
  return negated ? negation(std::move(made)) : made;
}

ExpressionPtr ExpressionBinder::bind_one_operand(Operator op, const Expression& operand) {
  if (op == Operator::kMinus) {
    // Of the least integer only the digits behind the sign are too large.
    if (const auto* literal = std::get_if<Literal>(&operand.node)) {
      if (literal->kind == LiteralKind::kInteger && literal->text == "9223372036854775808")
        return constant(Value::counted(kInt64, INT64_MIN));
      if (literal->kind == LiteralKind::kInteger && literal->text == "2147483648")
        return constant(Value::counted(kInt32, INT32_MIN));
    }
    return call("-", {bind(operand)});
  }
  if (op == Operator::kPlus) {
    ExpressionPtr value = bind(operand);
    if (!value->type.is_numeric() && value->type.id != TypeId::kInterval)
      throw UsageError(fmt::format("there is no + of {}", name_of(value->type)));
    return value;
  }
  switch (op) {
    case Operator::kBitNot:
      return call("~", {bind(operand)});
    case Operator::kNot:
      return negation(bind_condition(operand, "NOT"));
    case Operator::kIsNull:
    case Operator::kIsUnknown:
      return is_null(bind(operand));
    case Operator::kIsNotNull:
    case Operator::kIsNotUnknown:
      return negation(is_null(bind(operand)));
    default:
      break;
  }
  ExpressionPtr value = bind_condition(operand, "IS TRUE or FALSE");
  switch (op) {
    case Operator::kIsTrue:
      return coalesce({value, true_or_false(false)});
    case Operator::kIsNotTrue:
      return negation(coalesce({value, true_or_false(false)}));
    case Operator::kIsFalse:
      return negation(coalesce({value, true_or_false(true)}));
    default:
      return coalesce({value, true_or_false(true)});
  }
}

ExpressionPtr ExpressionBinder::bind_node(const Operation& node, const Expression& whole) {
  const Operator first = node.operators[0].op;
  if (node.operands.size() == 1) return bind_one_operand(first, node.operands[0]);
  if (first == Operator::kAnd || first == Operator::kOr) {
    Expressions terms;
    for (const Expression& operand : node.operands)
      terms.push_back(bind_condition(operand, first == Operator::kAnd ? "AND" : "OR"));
    return first == Operator::kAnd ? all_of(std::move(terms)) : any_of(std::move(terms));
  }
  // Rows are equal where all of their values are.
  if (std::holds_alternative<Row>(node.operands[0].node)) {
    const Expressions left = bind_row(node.operands[0]);
    const Expressions right = bind_row(node.operands[1]);
    const bool equal = first == Operator::kEqual;
    if ((!equal && first != Operator::kNotEqual) || left.size() != right.size())
      fail(whole.position, "rows of equally many values can be compared by = and <>");
    Expressions terms;
    for (std::size_t i = 0; i < left.size(); ++i) terms.push_back(call("=", {left[i], right[i]}));
    const ExpressionPtr all = all_of(std::move(terms));
    return equal ? all : negation(all);
  }
  ExpressionPtr value = bind(node.operands[0]);
  for (std::size_t i = 0; i < node.operators.size(); ++i) {
    ExpressionPtr next = bind(node.operands[i + 1]);
    try {
      value = at(node.operators[i].position,
                 combine(node.operators[i].op, std::move(value), std::move(next)));
    } catch (const SyntaxError&) {
      throw;
    } catch (const UsageError& error) {
      fail(node.operators[i].position, error.what());
    }
  }
  return value;
}

ExpressionPtr ExpressionBinder::bind_node(const Between& node, const Expression&) {
  const ExpressionPtr value = bind(*node.value);
  const ExpressionPtr low = bind(*node.low);
  const ExpressionPtr high = bind(*node.high);
  const auto between = [&](const ExpressionPtr& least, const ExpressionPtr& most) {
    return all_of({call(">=", {value, least}), call("<=", {value, most})});
  };
  ExpressionPtr made = between(low, high);
  if (node.is_symmetric) made = any_of({made, between(high, low)});
  return node.is_negated ? negation(made) : made;
}

ExpressionPtr ExpressionBinder::bind_node(const Like& node, const Expression&) {
  constexpr std::array<std::string_view, 3> kFunctions{"like", "ilike", "similar_to"};
  Expressions arguments{as_text(bind(*node.value)), as_text(bind(*node.pattern))};
  if (node.escape) arguments.push_back(as_text(bind(*node.escape)));
  const ExpressionPtr made =
      call(kFunctions[static_cast<std::size_t>(node.kind)], std::move(arguments));
  return node.is_negated ? negation(made) : made;
}

ExpressionPtr ExpressionBinder::bind_node(const Case& node, const Expression&) {
  Expressions arguments;
  const ExpressionPtr operand = node.operand ? bind(*node.operand) : nullptr;
  for (const CaseBranch& branch : node.branches) {
    ExpressionPtr condition = bind(branch.condition);
    if (operand) condition = call("=", {operand, std::move(condition)});
    arguments.push_back(std::move(condition));
    arguments.push_back(bind(branch.result));
  }
  arguments.push_back(node.otherwise ? bind(*node.otherwise) : constant(Value::null()));
  return case_when(std::move(arguments));
}

ExpressionPtr ExpressionBinder::bind_node(const Cast& node, const Expression&) {
  const Type type = type_of(node.type, context_.text);
  ExpressionPtr made = cast(bind(*node.value), type, node.is_try);
  // A constant that is none is told now, not when rows come.
  if (!node.is_try && made->kind == ExpressionKind::kCast && made->arguments[0]->is_constant())
    evaluate_constant(made);
  return made;
}

ExpressionPtr ExpressionBinder::bind_node(const Interval& node, const Expression&) {
  query::Interval unit;
  switch (node.unit) {
    case IntervalUnit::kYear:
      unit.months = 12;
      break;
    case IntervalUnit::kQuarter:
      unit.months = 3;
      break;
    case IntervalUnit::kMonth:
      unit.months = 1;
      break;
    case IntervalUnit::kWeek:
      unit.days = 7;
      break;
    case IntervalUnit::kDay:
      unit.days = 1;
      break;
    case IntervalUnit::kHour:
      unit.microseconds = std::int64_t{3600} * 1'000'000;
      break;
    case IntervalUnit::kMinute:
      unit.microseconds = std::int64_t{60} * 1'000'000;
      break;
    case IntervalUnit::kSecond:
      unit.microseconds = 1'000'000;
      break;
    case IntervalUnit::kMillisecond:
      unit.microseconds = 1000;
      break;
    case IntervalUnit::kMicrosecond:
      unit.microseconds = 1;
      break;
  }
  ExpressionPtr value = bind(*node.value);
  if (value->type.is_text()) value = cast(value, kDouble);
  return call("*", {constant(Value::interval(unit)), value});
}

}  // namespace grappa::query::sql
