#pragma once

// The types of columns, and how their values lie in memory.
//
//   Type price = Type::decimal(15, 2);            // 12.50 is 1250
//   with_physical(price.physical(), [&]<class T>() { use(sizeof(T)); });
//
// A value of a decimal is an integer of 64 bits up to 18 digits, of 128 beyond. A date is days, a
// time and a timestamp microseconds, since midnight and since 1970-01-01. A NULL has any value in
// its place, and a bit that says so (vector.hpp).

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/text_ref.hpp"

namespace grappa::query {

__extension__ using Int128 = __int128;

enum class TypeId : std::uint8_t {
  kNull,  // of NULL where nothing says what it is
  kBoolean,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kDecimal,
  kFloat,
  kDouble,
  kDate,
  kTime,
  kTimestamp,
  kInterval,
  kText,
};

enum class Physical : std::uint8_t {
  kBoolean,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kFloat,
  kDouble,
  kInterval,
  kText,
};

/// Months and days have no fixed length, so the three are kept apart.
struct Interval {
  std::int32_t months = 0;
  std::int32_t days = 0;
  std::int64_t microseconds = 0;

  /// As PostgreSQL compares: a month has 30 days, a day 24 hours.
  Int128 length() const {
    return Int128{microseconds} + (Int128{months} * 30 + days) * 86'400'000'000;
  }
  friend bool operator==(const Interval& a, const Interval& b) { return a.length() == b.length(); }
  friend auto operator<=>(const Interval& a, const Interval& b) {
    return a.length() <=> b.length();
  }
};

struct Type {
  TypeId id = TypeId::kNull;
  std::uint8_t precision = 0;  // decimals: digits in all,
  std::uint8_t scale = 0;      // and of these behind the point

  static constexpr int kMostDigits = 38;
  static constexpr Type decimal(int precision, int scale) {
    return {TypeId::kDecimal, static_cast<std::uint8_t>(precision),
            static_cast<std::uint8_t>(scale)};
  }

  constexpr Physical physical() const {
    switch (id) {
      case TypeId::kNull:
      case TypeId::kBoolean:
        return Physical::kBoolean;
      case TypeId::kInt8:
        return Physical::kInt8;
      case TypeId::kInt16:
        return Physical::kInt16;
      case TypeId::kInt32:
      case TypeId::kDate:
        return Physical::kInt32;
      case TypeId::kInt64:
      case TypeId::kTime:
      case TypeId::kTimestamp:
        return Physical::kInt64;
      case TypeId::kDecimal:
        return precision <= 18 ? Physical::kInt64 : Physical::kInt128;
      case TypeId::kFloat:
        return Physical::kFloat;
      case TypeId::kDouble:
        return Physical::kDouble;
      case TypeId::kInterval:
        return Physical::kInterval;
      case TypeId::kText:
        return Physical::kText;
    }
    __builtin_unreachable();
  }
  constexpr bool is_integer() const { return id >= TypeId::kInt8 && id <= TypeId::kInt64; }
  /// Integers and decimals.
  constexpr bool is_exact() const { return is_integer() || id == TypeId::kDecimal; }
  constexpr bool is_real() const { return id == TypeId::kFloat || id == TypeId::kDouble; }
  constexpr bool is_numeric() const { return is_exact() || is_real(); }
  constexpr bool is_text() const { return id == TypeId::kText; }
  /// Whether its values are integers in memory, so that they have a least and a greatest one.
  constexpr bool is_counted() const {
    return is_exact() || id == TypeId::kDate || id == TypeId::kTime || id == TypeId::kTimestamp;
  }

  friend constexpr bool operator==(const Type&, const Type&) = default;
};

inline constexpr Type kBoolean{TypeId::kBoolean};
inline constexpr Type kInt32{TypeId::kInt32};
inline constexpr Type kInt64{TypeId::kInt64};
inline constexpr Type kDouble{TypeId::kDouble};
inline constexpr Type kDate{TypeId::kDate};
inline constexpr Type kTimestamp{TypeId::kTimestamp};
inline constexpr Type kText{TypeId::kText};

/// As SQL names it: "decimal(15,2)".
std::string name_of(const Type& type);

/// The type that SQL calls so: "bigint", "double precision", "varchar(10)" (whose length is not
/// kept). `arguments` are the numbers in parentheses. Nothing for names that are none.
std::optional<Type> type_named(std::string_view name, std::optional<int> first = {},
                               std::optional<int> second = {});

/// What can be asked for.
std::vector<std::string> type_names();

/// The type that holds the values of both, as UNION and CASE need it; nothing if there is none.
std::optional<Type> common_type(const Type& a, const Type& b);

/// Digits of the greatest integer of an integer type, or of a decimal.
int digits_of(const Type& type);

/// 10 to the power of 0 … 38.
Int128 power_of_ten(int exponent);

/// Calls f.template operator()<T>() with the C++ type of the values.
template <class F>
decltype(auto) with_physical(Physical physical, F&& f) {
  switch (physical) {
    case Physical::kBoolean:
      return f.template operator()<std::uint8_t>();
    case Physical::kInt8:
      return f.template operator()<std::int8_t>();
    case Physical::kInt16:
      return f.template operator()<std::int16_t>();
    case Physical::kInt32:
      return f.template operator()<std::int32_t>();
    case Physical::kInt64:
      return f.template operator()<std::int64_t>();
    case Physical::kInt128:
      return f.template operator()<Int128>();
    case Physical::kFloat:
      return f.template operator()<float>();
    case Physical::kDouble:
      return f.template operator()<double>();
    case Physical::kInterval:
      return f.template operator()<Interval>();
    case Physical::kText:
      return f.template operator()<TextRef>();
  }
  __builtin_unreachable();
}

inline std::size_t size_of(Physical physical) {
  return with_physical(physical, []<class T>() { return sizeof(T); });
}

}  // namespace grappa::query
