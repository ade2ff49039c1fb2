#include "grappa/query/expression/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "grappa/query/expression/arithmetic.hpp"
#include "grappa/query/expression/comparison.hpp"
#include "grappa/query/expression/function_list.hpp"

namespace grappa::query {
namespace {

const FunctionList& functions() {
  static const FunctionList kList = [] {
    FunctionList list;
    add_text_functions(list);
    add_pattern_functions(list);
    add_regular_expression_functions(list);
    add_date_functions(list);
    add_math_functions(list);
    add_bit_functions(list);
    add_character_functions(list);
    add_calendar_functions(list);
    return list;
  }();
  return kList;
}

constexpr int kImpossible = 1'000'000;

/// How far a type is from what a function takes; kImpossible if it is not taken.
int distance(const Expression& argument, const Type& parameter) {
  const Type& type = argument.type;
  if (type == parameter) return 0;
  if (type.id == TypeId::kNull) return 1;
  // A quoted constant has the type that it is needed for.
  if (type.is_text()) return argument.is_constant() ? 5 : kImpossible;
  if (type.is_integer() && parameter.is_integer())
    return type.id < parameter.id ? static_cast<int>(parameter.id) - static_cast<int>(type.id)
                                  : kImpossible;
  if (type.is_exact() && parameter.id == TypeId::kDecimal) return 8;
  if (type.is_numeric() && parameter.id == TypeId::kDouble) return 10;
  if (type.id == TypeId::kDate && parameter.id == TypeId::kTimestamp) return 2;
  return kImpossible;
}

const Type& parameter_at(const Function& function, std::size_t i) {
  return function.parameters[std::min(i, function.parameters.size() - 1)];
}

int distance(const Function& function, const Expressions& arguments) {
  const std::size_t least = function.parameters.size();
  if (function.variadic ? arguments.size() < least : arguments.size() != least) return kImpossible;
  int sum = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    sum = std::min(kImpossible, sum + distance(*arguments[i], parameter_at(function, i)));
  return sum;
}

std::string types_of(const Expressions& arguments) {
  std::string text;
  for (const ExpressionPtr& argument : arguments)
    text += (text.empty() ? "" : ", ") + name_of(argument->type);
  return text;
}

/// Whether an exact number is a constant that another type has, too.
bool is_value_of(const Expression& number, const Type& type) {
  if (!number.is_constant() || number.value.is_null() || !number.type.is_exact() ||
      !type.is_exact() || type.scale < number.type.scale)
    return false;
  Int128 value = number.value.integer();
  if (__builtin_mul_overflow(value, power_of_ten(type.scale - number.type.scale), &value))
    return false;
  const auto is_within = [value](Int128 least, Int128 greatest) {
    return least <= value && value <= greatest;
  };
  if (type.id == TypeId::kDecimal) {
    const Int128 end = power_of_ten(type.precision);
    return is_within(1 - end, end - 1);
  }
  return with_physical(type.physical(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      return is_within(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    else
      return false;
  });
}

/// What both sides are cast to, so that a constant rather than a column is.
Type comparison_type(std::string_view name, const Expressions& arguments) {
  const Expression& a = *arguments[0];
  const Expression& b = *arguments[1];
  const auto adapts_to = [](const Expression& text, const Type& other) {
    return text.type.is_text() && text.is_constant() && !other.is_text() &&
           other.id != TypeId::kNull;
  };
  if (adapts_to(a, b.type)) return b.type;
  if (adapts_to(b, a.type)) return a.type;
  const auto midnight = [](const Expression& moment) {
    return moment.is_constant() && !moment.value.is_null() &&
           moment.type.id == TypeId::kTimestamp && moment.value.integer() % 86'400'000'000 == 0;
  };
  if ((midnight(a) && b.type.id == TypeId::kDate) || (midnight(b) && a.type.id == TypeId::kDate))
    return kDate;
  if (is_value_of(a, b.type)) return b.type;
  if (is_value_of(b, a.type)) return a.type;
  const auto common = common_type(a.type, b.type);
  if (!common)
    throw UsageError(
        fmt::format("{} and {} cannot be compared by {}", name_of(a.type), name_of(b.type), name));
  return *common;
}

}  // namespace

bool is_function(std::string_view name) { return functions().named(name) != nullptr; }

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  functions().for_each_name([&](std::string_view name) { names.push_back(name); });
  return names;
}

Resolved resolve(std::string_view name, const Expressions& arguments) {
  if (is_comparison(name) && arguments.size() == 2) {
    const Type type = comparison_type(name, arguments);
    return {comparison(name, type), {type, type}, {}};
  }
  if (auto arithmetic = resolve_arithmetic(name, arguments)) return *arithmetic;
  const auto* const named = functions().named(name);
  if (named == nullptr) {
    if (std::string_view("+-*/%&|~<<>>").find(name) != std::string_view::npos)
      throw UsageError(fmt::format("there is no {} of {}", name, types_of(arguments)));
    throw UsageError(fmt::format("there is no function {}", name));
  }
  const Function* best = nullptr;
  int least = kImpossible;
  for (const Function* const function : *named) {
    const int so_far = distance(*function, arguments);
    if (so_far < least) {
      least = so_far;
      best = function;
    }
  }
  if (best == nullptr) {
    std::string taken;
    for (const Function* const function : *named) {
      std::string one;
      for (const Type& type : function->parameters)
        one += (one.empty() ? "" : ", ") + name_of(type);
      taken += fmt::format("{}{}({}{})", taken.empty() ? "" : ", ", name, one,
                           function->variadic ? ", ..." : "");
    }
    throw UsageError(fmt::format("there is no {}({}), only {}", name, types_of(arguments), taken));
  }
  std::vector<Type> parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) parameters.push_back(parameter_at(*best, i));
  return {best, parameters, {}};
}

}  // namespace grappa::query
