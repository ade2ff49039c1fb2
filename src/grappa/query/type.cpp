#include "grappa/query/type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace grappa::query {
namespace {

struct NamedType {
  std::string_view name;
  TypeId id;
};
/// The first name of each type is the one that it is shown by.
constexpr std::array kNames{
    NamedType{"null", TypeId::kNull},
    NamedType{"boolean", TypeId::kBoolean},
    NamedType{"bool", TypeId::kBoolean},
    NamedType{"tinyint", TypeId::kInt8},
    NamedType{"int1", TypeId::kInt8},
    NamedType{"smallint", TypeId::kInt16},
    NamedType{"int2", TypeId::kInt16},
    NamedType{"short", TypeId::kInt16},
    NamedType{"integer", TypeId::kInt32},
    NamedType{"int", TypeId::kInt32},
    NamedType{"int4", TypeId::kInt32},
    NamedType{"signed", TypeId::kInt32},
    NamedType{"bigint", TypeId::kInt64},
    NamedType{"int8", TypeId::kInt64},
    NamedType{"long", TypeId::kInt64},
    NamedType{"decimal", TypeId::kDecimal},
    NamedType{"numeric", TypeId::kDecimal},
    NamedType{"hugeint", TypeId::kDecimal},
    NamedType{"real", TypeId::kFloat},
    NamedType{"float4", TypeId::kFloat},
    NamedType{"double", TypeId::kDouble},
    NamedType{"float", TypeId::kDouble},
    NamedType{"double precision", TypeId::kDouble},
    NamedType{"float8", TypeId::kDouble},
    NamedType{"date", TypeId::kDate},
    NamedType{"time", TypeId::kTime},
    NamedType{"time without time zone", TypeId::kTime},
    NamedType{"timestamp", TypeId::kTimestamp},
    NamedType{"timestamp without time zone", TypeId::kTimestamp},
    NamedType{"datetime", TypeId::kTimestamp},
    NamedType{"interval", TypeId::kInterval},
    NamedType{"varchar", TypeId::kText},
    NamedType{"text", TypeId::kText},
    NamedType{"string", TypeId::kText},
    NamedType{"char", TypeId::kText},
    NamedType{"bpchar", TypeId::kText},
    NamedType{"character", TypeId::kText},
    NamedType{"character varying", TypeId::kText},
};

/// As a decimal, with room for all its values; nothing for what is not exact.
std::optional<Type> as_decimal(const Type& type) {
  if (type.id == TypeId::kDecimal) return type;
  if (type.is_integer()) return Type::decimal(digits_of(type), 0);
  return std::nullopt;
}

}  // namespace

std::string name_of(const Type& type) {
  const auto* const found = std::ranges::find(kNames, type.id, &NamedType::id);
  if (type.id == TypeId::kDecimal)
    return fmt::format("{}({},{})", found->name, type.precision, type.scale);
  return std::string(found->name);
}

std::optional<Type> type_named(std::string_view name, std::optional<int> first,
                               std::optional<int> second) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* const found = std::ranges::find(kNames, small, &NamedType::name);
  if (found == kNames.end() || found->id == TypeId::kNull) return std::nullopt;
  if (found->id != TypeId::kDecimal) return Type{found->id};
  if (small == "hugeint") return Type::decimal(Type::kMostDigits, 0);
  // Without numbers as DuckDB has it; PostgreSQL's has no fixed scale.
  const int precision = first.value_or(18);
  const int scale = second.value_or(first ? 0 : 3);
  if (precision < 1 || precision > Type::kMostDigits || scale < 0 || scale > precision)
    return std::nullopt;
  return Type::decimal(precision, scale);
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const NamedType& type : kNames)
    if (type.id != TypeId::kNull) names.emplace_back(type.name);
  return names;
}

std::optional<Type> common_type(const Type& a, const Type& b) {
  if (a == b || b.id == TypeId::kNull) return a;
  if (a.id == TypeId::kNull) return b;
  if (a.is_numeric() && b.is_numeric()) {
    if (a.is_real() || b.is_real()) return kDouble;
    if (a.is_integer() && b.is_integer()) return a.id > b.id ? a : b;
    const Type x = *as_decimal(a);
    const Type y = *as_decimal(b);
    const int scale = std::max(x.scale, y.scale);
    const int whole = std::max(x.precision - x.scale, y.precision - y.scale);
    return Type::decimal(std::min(whole + scale, Type::kMostDigits), scale);
  }
  const auto is_moment = [](const Type& type) {
    return type.id == TypeId::kDate || type.id == TypeId::kTimestamp;
  };
  if (is_moment(a) && is_moment(b)) return kTimestamp;
  return std::nullopt;
}

int digits_of(const Type& type) {
  switch (type.id) {
    case TypeId::kInt8:
      return 3;
    case TypeId::kInt16:
      return 5;
    case TypeId::kInt32:
      return 10;
    case TypeId::kInt64:
      return 19;
    case TypeId::kDecimal:
      return type.precision;
    default:
      return 0;
  }
}

Int128 power_of_ten(int exponent) {
  static const auto kPowers = [] {
    std::array<Int128, Type::kMostDigits + 1> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
  }();
  return kPowers[static_cast<std::size_t>(exponent)];
}

}  // namespace grappa::query
