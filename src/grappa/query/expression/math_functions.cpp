// Functions of numbers.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/kernels.hpp"

namespace grappa::query {
namespace {

template <double (*kFunction)(double)>
void real(const KernelCall& call) {
  unary<double, double>(call, [](double x) { return kFunction(x); });
}
/// Of what the function is not defined for.
template <double (*kFunction)(double), bool (*kIsDefined)(double)>
void real_or_fail(const KernelCall& call) {
  unary<double, double>(call, [&](double x) {
    if (!kIsDefined(x))
      throw QueryError(fmt::format("{} is not defined for {}", call.expression->function->name, x));
    return kFunction(x);
  });
}
bool is_positive(double x) { return !(x <= 0); }
bool is_not_negative(double x) { return !(x < 0); }

template <class T>
void absolute(const KernelCall& call) {
  unary<T, T>(call, [](T x) -> T {
    if constexpr (!std::is_floating_point_v<T>) {
      if (x == std::numeric_limits<T>::min()) throw QueryError("abs: out of range");
    }
    return x < 0 ? -x : x;
  });
}

double rounded(double value, std::int64_t digits) {
  if (!std::isfinite(value) || digits > 300) return value;
  if (digits < -300) return 0;
  const double factor = std::pow(10.0, static_cast<double>(std::abs(digits)));
  const double result =
      digits >= 0 ? std::round(value * factor) / factor : std::round(value / factor) * factor;
  return std::isfinite(result) ? result : value;
}
void round_to(const KernelCall& call) { binary<double, std::int64_t, double>(call, rounded); }
/// Infinity is a result of infinity only.
double within_range(double result, const KernelCall& call, bool from_finite) {
  if (std::isinf(result) && from_finite)
    throw QueryError(fmt::format("{}: a double is out of range", call.expression->function->name));
  return result;
}
void exponential(const KernelCall& call) {
  unary<double, double>(
      call, [&](double x) { return within_range(std::exp(x), call, std::isfinite(x)); });
}
void power(const KernelCall& call) {
  binary<double, double, double>(call, [&](double a, double b) {
    if (a == 0 && b < 0) throw QueryError("zero to a negative power is not defined");
    if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::trunc(b))
      throw QueryError("a negative number to a power that is no integer is not defined");
    return within_range(std::pow(a, b), call, std::isfinite(a) && std::isfinite(b));
  });
}
void logarithm_to(const KernelCall& call) {
  binary<double, double, double>(call, [](double base, double x) {
    if (base <= 0 || x <= 0) throw QueryError("log is not defined for what is not positive");
    return std::log(x) / std::log(base);
  });
}
double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double to_radians(double x) { return x * std::numbers::pi / 180; }
double to_degrees(double x) { return x * 180 / std::numbers::pi; }

void pi(const KernelCall& call) {
  auto* const out = static_cast<double*>(call.values);
  call.for_each([&](std::size_t row) { out[row] = std::numbers::pi; });
}

}  // namespace

void add_math_functions(FunctionList& list) {
  const auto add_real = [&](std::string_view name, Kernel kernel, bool can_fail = false) {
    list.add(name, {kDouble}, kDouble, kernel, can_fail);
  };
  list.add("abs", {kInt32}, kInt32, absolute<std::int32_t>, true);
  list.add("abs", {kInt64}, kInt64, absolute<std::int64_t>, true);
  list.add("abs", {kDouble}, kDouble, absolute<double>);
  add_real("floor", real<std::floor>);
  add_real("ceil", real<std::ceil>);
  list.alias("ceiling", "ceil");
  add_real("trunc", real<std::trunc>);
  add_real("round", real<std::round>);
  list.add("round", {kDouble, kInt64}, kDouble, round_to);
  add_real("sqrt", real_or_fail<std::sqrt, is_not_negative>, true);
  add_real("cbrt", real<std::cbrt>);
  add_real("exp", exponential, true);
  add_real("ln", real_or_fail<std::log, is_positive>, true);
  add_real("log", real_or_fail<std::log10, is_positive>, true);
  list.alias("log10", "log");
  add_real("log2", real_or_fail<std::log2, is_positive>, true);
  list.add("log", {kDouble, kDouble}, kDouble, logarithm_to, true);
  list.add("pow", {kDouble, kDouble}, kDouble, power, true);
  list.alias("power", "pow");
  add_real("sign", real<sign_of>);
  add_real("sin", real<std::sin>);
  add_real("cos", real<std::cos>);
  add_real("tan", real<std::tan>);
  add_real("asin", real<std::asin>);
  add_real("acos", real<std::acos>);
  add_real("atan", real<std::atan>);
  add_real("radians", real<to_radians>);
  add_real("degrees", real<to_degrees>);
  list.add("atan2", {kDouble, kDouble}, kDouble, [](const KernelCall& call) {
    binary<double, double, double>(call, [](double y, double x) { return std::atan2(y, x); });
  });
  list.add("pi", {}, kDouble, pi);
  list.add("isnan", {kDouble}, kBoolean, [](const KernelCall& call) {
    unary<double, std::uint8_t>(
        call, [](double x) { return static_cast<std::uint8_t>(std::isnan(x) ? 1 : 0); });
  });
}

}  // namespace grappa::query
