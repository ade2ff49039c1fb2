#include "grappa/query/expression/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "grappa/query/expression/kernels.hpp"

namespace grappa::query {
namespace {

enum class Operation : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kRemainder, kNegate };

std::optional<Operation> operation_named(std::string_view name, std::size_t arguments) {
  if (arguments == 1) return name == "-" ? std::optional(Operation::kNegate) : std::nullopt;
  if (arguments != 2) return std::nullopt;
  if (name == "+") return Operation::kAdd;
  if (name == "-") return Operation::kSubtract;
  if (name == "*") return Operation::kMultiply;
  if (name == "/") return Operation::kDivide;
  if (name == "%" || name == "mod") return Operation::kRemainder;
  return std::nullopt;
}

[[noreturn]] void throw_too_large(const KernelCall& call) {
  throw QueryError(fmt::format("{} is out of range: a result of {}", name_of(call.expression->type),
                               text_of(*call.expression)));
}
[[noreturn]] void throw_division(const KernelCall& call) {
  throw QueryError(fmt::format("division by zero: {}", text_of(*call.expression)));
}

/// Wraps around; only for results that are known to fit.
template <Operation kOperation, class T>
T plain(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (kOperation == Operation::kAdd) return a + b;
    if constexpr (kOperation == Operation::kSubtract) return a - b;
    return a * b;
  } else {
    __extension__ using Wide = unsigned __int128;
    using Unsigned =
        std::conditional_t<sizeof(T) == 16, Wide,
                           std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;
    const auto x = static_cast<Unsigned>(a);
    const auto y = static_cast<Unsigned>(b);
    if constexpr (kOperation == Operation::kAdd) return static_cast<T>(x + y);
    if constexpr (kOperation == Operation::kSubtract) return static_cast<T>(x - y);
    return static_cast<T>(x * y);
  }
}

/// Of finite numbers.
bool overflows(double result, double a, double b) {
  return std::isinf(result) && std::isfinite(a) && std::isfinite(b);
}

template <Operation kOperation, class T>
bool overflows(T a, T b, T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    *out = plain<kOperation>(a, b);
    return overflows(*out, a, b);
  } else if constexpr (kOperation == Operation::kAdd) {
    return __builtin_add_overflow(a, b, out);
  } else if constexpr (kOperation == Operation::kSubtract) {
    return __builtin_sub_overflow(a, b, out);
  } else {
    return __builtin_mul_overflow(a, b, out);
  }
}

template <Operation kOperation, class T>
void unchecked_kernel(const KernelCall& call) {
  binary<T, T, T>(call, [](T a, T b) { return plain<kOperation>(a, b); });
}

template <Operation kOperation, class T>
void checked_kernel(const KernelCall& call) {
  auto* const out = static_cast<T*>(call.values);
  bool too_large = false;
  const bool is_decimal = call.expression->type.id == TypeId::kDecimal;
  const T most = is_decimal && sizeof(T) == 16 ? static_cast<T>(power_of_ten(Type::kMostDigits) - 1)
                                               : std::numeric_limits<T>::max();
  for_each_pair<T, T>(call, [&](std::size_t row, T a, T b) {
    T result;
    too_large |= overflows<kOperation, T>(a, b, &result);
    if (is_decimal) too_large |= result > most || result < -most;
    out[row] = result;
  });
  if (too_large) throw_too_large(call);
}

template <class T>
void divide_kernel(const KernelCall& call) {
  auto* const out = static_cast<T*>(call.values);
  for_each_pair<T, T>(call, [&](std::size_t row, T a, T b) {
    if (b == 0) throw_division(call);
    if constexpr (!std::is_floating_point_v<T>) {
      if (b == -1) {
        if (overflows<Operation::kSubtract, T>(0, a, &out[row])) throw_too_large(call);
        return;
      }
    }
    out[row] = a / b;
    if constexpr (std::is_floating_point_v<T>) {
      if (overflows(out[row], a, b)) throw_too_large(call);
    }
  });
}

template <class T>
void remainder_kernel(const KernelCall& call) {
  auto* const out = static_cast<T*>(call.values);
  for_each_pair<T, T>(call, [&](std::size_t row, T a, T b) {
    if (b == 0) throw_division(call);
    if constexpr (std::is_floating_point_v<T>) {
      out[row] = std::fmod(a, b);
    } else {
      out[row] = b == -1 ? T{0} : static_cast<T>(a % b);
    }
  });
}

template <class T>
void negate_kernel(const KernelCall& call) {
  if constexpr (std::is_floating_point_v<T>) {
    unary<T, T>(call, [](T a) { return -a; });
  } else {
    unary<T, T>(call, [&call](T a) {
      T result;
      if (overflows<Operation::kSubtract, T>(0, a, &result)) throw_too_large(call);
      return result;
    });
  }
}

template <class T>
Kernel kernel_for(Operation operation, bool checked) {
  switch (operation) {
    case Operation::kAdd:
      return checked ? checked_kernel<Operation::kAdd, T> : unchecked_kernel<Operation::kAdd, T>;
    case Operation::kSubtract:
      return checked ? checked_kernel<Operation::kSubtract, T>
                     : unchecked_kernel<Operation::kSubtract, T>;
    case Operation::kMultiply:
      return checked ? checked_kernel<Operation::kMultiply, T>
                     : unchecked_kernel<Operation::kMultiply, T>;
    case Operation::kDivide:
      return divide_kernel<T>;
    case Operation::kRemainder:
      return remainder_kernel<T>;
    case Operation::kNegate:
      return negate_kernel<T>;
  }
  __builtin_unreachable();
}

Kernel real_kernel(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
      return checked_kernel<Operation::kAdd, double>;
    case Operation::kSubtract:
      return checked_kernel<Operation::kSubtract, double>;
    case Operation::kMultiply:
      return checked_kernel<Operation::kMultiply, double>;
    case Operation::kDivide:
      return divide_kernel<double>;
    case Operation::kRemainder:
      return remainder_kernel<double>;
    case Operation::kNegate:
      return negate_kernel<double>;
  }
  __builtin_unreachable();
}

Kernel exact_kernel(Operation operation, Physical physical, bool checked) {
  switch (physical) {
    case Physical::kInt32:
      return kernel_for<std::int32_t>(operation, checked);
    case Physical::kInt64:
      return kernel_for<std::int64_t>(operation, checked);
    default:
      return kernel_for<Int128>(operation, checked);
  }
}

/// The function with these parameters, made once.
const Function* function_for(Operation operation, std::string_view name,
                             const std::vector<Type>& parameters, const Type& result,
                             bool checked) {
  using Key = std::tuple<Operation, int, int, int, int, int, bool>;
  static std::mutex lock;
  static std::map<Key, Function> made;
  const auto number = [](const Type& type) {
    return static_cast<int>(type.id) * 10'000 + type.precision * 100 + type.scale;
  };
  const Key key(operation, number(parameters[0]), number(parameters.back()), number(result),
                static_cast<int>(parameters.size()), 0, checked);
  const std::lock_guard guard(lock);
  const auto found = made.find(key);
  if (found != made.end()) return &found->second;
  Function function{.name = std::string(name), .parameters = parameters, .result = result};
  function.kernel = result.is_real() ? real_kernel(operation)
                                     : exact_kernel(operation, result.physical(), checked);
  function.can_fail =
      operation == Operation::kDivide || operation == Operation::kRemainder || checked;
  return &made.emplace(key, std::move(function)).first->second;
}

Range whole_range(const Type& type) {
  switch (type.id) {
    case TypeId::kInt8:
      return {-128, 127};
    case TypeId::kInt16:
      return {-32768, 32767};
    case TypeId::kInt32:
      return {INT32_MIN, INT32_MAX};
    case TypeId::kInt64:
      return {INT64_MIN, INT64_MAX};
    default: {
      const Int128 most = power_of_ten(type.precision) - 1;
      return {-most, most};
    }
  }
}

Range range_of(const Expression& expression) {
  return expression.range.value_or(whole_range(expression.type));
}

/// Nothing where it is beyond 128 bits.
std::optional<Range> scaled(const Range& range, int digits) {
  Range out;
  if (__builtin_mul_overflow(range.least, power_of_ten(digits), &out.least) ||
      __builtin_mul_overflow(range.greatest, power_of_ten(digits), &out.greatest))
    return std::nullopt;
  return out;
}

std::optional<Range> combined(Operation operation, const Range& a, const Range& b) {
  Range out;
  switch (operation) {
    case Operation::kAdd:
      if (__builtin_add_overflow(a.least, b.least, &out.least) ||
          __builtin_add_overflow(a.greatest, b.greatest, &out.greatest))
        return std::nullopt;
      return out;
    case Operation::kSubtract:
    case Operation::kNegate:
      if (__builtin_sub_overflow(a.least, b.greatest, &out.least) ||
          __builtin_sub_overflow(a.greatest, b.least, &out.greatest))
        return std::nullopt;
      return out;
    case Operation::kMultiply: {
      Int128 corners[4];
      if (__builtin_mul_overflow(a.least, b.least, &corners[0]) ||
          __builtin_mul_overflow(a.least, b.greatest, &corners[1]) ||
          __builtin_mul_overflow(a.greatest, b.least, &corners[2]) ||
          __builtin_mul_overflow(a.greatest, b.greatest, &corners[3]))
        return std::nullopt;
      return Range{*std::min_element(corners, corners + 4),
                   *std::max_element(corners, corners + 4)};
    }
    case Operation::kDivide: {
      const Int128 most = std::max(a.greatest, -a.least);
      return Range{-most, most};
    }
    case Operation::kRemainder: {
      const Int128 most = std::max(b.greatest, -b.least);
      return Range{-most, most};
    }
  }
  __builtin_unreachable();
}

bool lies_in(const std::optional<Range>& range, const Range& bounds) {
  return range && bounds.least <= range->least && range->greatest <= bounds.greatest;
}

Resolved resolve_real(Operation operation, std::string_view name, std::size_t count) {
  const std::vector<Type> parameters(count, kDouble);
  return {function_for(operation, name, parameters, kDouble, operation != Operation::kNegate),
          parameters,
          {}};
}

Resolved resolve_integers(Operation operation, std::string_view name,
                          const Expressions& arguments) {
  Type type = kInt32;
  for (const ExpressionPtr& argument : arguments)
    if (argument->type.id == TypeId::kInt64) type = kInt64;
  const std::optional<Range> range =
      combined(operation, operation == Operation::kNegate ? Range{0, 0} : range_of(*arguments[0]),
               range_of(*arguments.back()));
  const bool fits = lies_in(range, whole_range(type));
  const std::vector<Type> parameters(arguments.size(), type);
  return {function_for(operation, name, parameters, type, !fits), parameters,
          fits ? range : std::nullopt};
}

int digits_in(const Range& range) {
  int digits = 1;
  while (digits < Type::kMostDigits &&
         !lies_in(range, {-power_of_ten(digits) + 1, power_of_ten(digits) - 1}))
    ++digits;
  return digits;
}

std::optional<Resolved> resolve_decimals(Operation operation, std::string_view name,
                                         const Expressions& arguments) {
  if (operation == Operation::kDivide) return resolve_real(operation, name, 2);
  const bool multiplies = operation == Operation::kMultiply;
  int scale = 0;
  for (const ExpressionPtr& argument : arguments)
    scale = multiplies ? scale + argument->type.scale : std::max<int>(scale, argument->type.scale);
  if (scale > Type::kMostDigits) return resolve_real(operation, name, arguments.size());
  std::vector<Range> ranges;
  std::vector<int> scales;
  bool known = true;
  for (const ExpressionPtr& argument : arguments) {
    scales.push_back(multiplies ? argument->type.scale : scale);
    const auto range = scaled(range_of(*argument), scales.back() - argument->type.scale);
    known = known && range;
    ranges.push_back(range.value_or(Range{0, 0}));
  }
  std::optional<Range> range;
  if (known)
    range = combined(operation, operation == Operation::kNegate ? Range{0, 0} : ranges[0],
                     ranges.back());
  const bool fits = lies_in(range, whole_range(Type::decimal(Type::kMostDigits, 0)));
  int digits = fits ? std::max(digits_in(*range), scale) : Type::kMostDigits;
  // Arguments have the width of the result, so that they are computed with as they are.
  for (const Range& of_argument : ranges) digits = std::max(digits, digits_in(of_argument));
  if (digits <= 18)
    digits = 18;
  else
    digits = Type::kMostDigits;
  std::vector<Type> parameters;
  for (const int of_argument : scales) parameters.push_back(Type::decimal(digits, of_argument));
  const Type result = Type::decimal(digits, scale);
  return Resolved{function_for(operation, name, parameters, result, !fits), parameters,
                  fits ? range : std::nullopt};
}

}  // namespace

std::optional<Resolved> resolve_arithmetic(std::string_view name, const Expressions& arguments) {
  const auto operation = operation_named(name, arguments.size());
  if (!operation) return std::nullopt;
  bool real = false;
  bool decimal = false;
  for (const ExpressionPtr& argument : arguments) {
    const Type& type = argument->type;
    if (!type.is_numeric() && type.id != TypeId::kNull) return std::nullopt;
    real |= type.is_real();
    decimal |= type.id == TypeId::kDecimal;
  }
  if (real) return resolve_real(*operation, name, arguments.size());
  if (decimal) return resolve_decimals(*operation, name, arguments);
  return resolve_integers(*operation, name, arguments);
}

}  // namespace grappa::query
