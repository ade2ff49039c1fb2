#pragma once

// Values as a Parquet file stores them, made values of our types.
//
//   with_conversion(column, [&]<class P, class T>(const auto& convert) {
//     const auto to_ours = [&](const P& stored) -> T { return convert(stored); };
//   });
//
// Damage where a value is none of the column's type. Texts refer to the bytes that were given, or
// are kept by the conversion.

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>

#include "grappa/query/io/parquet/schema.hpp"
#include "grappa/query/io/parquet/value_reader.hpp"
#include "grappa/query/text_arena.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query::parquet {

inline constexpr std::int64_t kMicrosOfDay = 86'400'000'000;

/// Throws.
[[noreturn]] void refuse_value(std::string_view what);

/// UTF-8.
TextRef text_of(std::string_view bytes);
/// Of an integer, the highest byte first.
Int128 big_endian_number(std::string_view bytes);
TextRef uuid_text(std::string_view bytes, TextArena& arena);
float half_value(std::string_view bytes);
Interval interval_value(std::string_view bytes);
std::int64_t timestamp_of(const Int96& value);

template <class T, class V>
T narrowed(V value) {
  if constexpr (sizeof(V) < sizeof(T) || (sizeof(V) == sizeof(T) && std::is_same_v<V, T>)) {
    return static_cast<T>(value);
  } else {
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      refuse_value("an integer has more bits than its type");
    return static_cast<T>(value);
  }
}

inline std::int64_t micros_of(std::int64_t value, Unit unit) {
  constexpr std::int64_t kThousand = 1000;
  switch (unit) {
    case Unit::kMillis: {
      std::int64_t micros = 0;
      if (__builtin_mul_overflow(value, kThousand, &micros))
        refuse_value("a timestamp is beyond those of 64 bits");
      return micros;
    }
    case Unit::kMicros:
      return value;
    case Unit::kNanos:
      return value / kThousand - (value % kThousand < 0 ? 1 : 0);
  }
  __builtin_unreachable();
}

namespace internal {

template <class F>
void with_decimal(const FileColumn& column, const F& f) {
  const Int128 limit = power_of_ten(column.type.precision);
  const auto checked = [limit]<class T>(Int128 value, T& to) {
    if (value >= limit || value <= -limit) refuse_value("a decimal has more digits than its type");
    to = static_cast<T>(value);
  };
  if (column.type.physical() == Physical::kInt64)
    f.template operator()<std::int64_t>(checked);
  else
    f.template operator()<Int128>(checked);
}

template <class P, class F>
void with_integer(const FileColumn& column, const F& f) {
  using Unsigned = std::make_unsigned_t<P>;
  const SchemaElement& element = column.element;
  const auto integer = [&]<class T>(T) {
    if (element.is_signed)
      f.template operator()<P, T>([](P value) { return narrowed<T>(value); });
    else
      f.template operator()<P, T>(
          [](P value) { return narrowed<T>(Int128{static_cast<Unsigned>(value)}); });
  };
  switch (column.type.id) {
    case TypeId::kInt8:
      return integer(std::int8_t{});
    case TypeId::kInt16:
      return integer(std::int16_t{});
    case TypeId::kInt32:
      return integer(std::int32_t{});
    case TypeId::kInt64:
      return integer(std::int64_t{});
    case TypeId::kDecimal:
      if (element.meaning == Meaning::kInteger)
        return f.template operator()<P, Int128>(
            [](P value) { return Int128{static_cast<Unsigned>(value)}; });
      return with_decimal(column, [&]<class T>(const auto& checked) {
        f.template operator()<P, T>([checked](P value) {
          T number;
          checked(Int128{value}, number);
          return number;
        });
      });
    case TypeId::kTime:
      return f.template operator()<P, std::int64_t>([unit = element.unit](P value) {
        if (value < 0) refuse_value("a time is not within a day");
        const std::int64_t micros = micros_of(value, unit);
        if (micros > kMicrosOfDay) refuse_value("a time is not within a day");
        return micros;
      });
    case TypeId::kTimestamp:
      return f.template operator()<P, std::int64_t>(
          [unit = element.unit](P value) { return micros_of(value, unit); });
    default:  // dates
      return f.template operator()<P, std::int32_t>(
          [](P value) { return narrowed<std::int32_t>(value); });
  }
}

template <class F>
void with_bytes(const FileColumn& column, const F& f) {
  using P = std::string_view;
  switch (column.type.id) {
    case TypeId::kDecimal:
      return with_decimal(column, [&]<class T>(const auto& checked) {
        f.template operator()<P, T>([checked](P bytes) {
          T number;
          checked(big_endian_number(bytes), number);
          return number;
        });
      });
    case TypeId::kFloat:
      return f.template operator()<P, float>(half_value);
    case TypeId::kInterval:
      return f.template operator()<P, Interval>(interval_value);
    default:
      if (column.element.meaning != Meaning::kUuid)
        return f.template operator()<P, TextRef>(text_of);
      f.template operator()<P, TextRef>(
          [arena = std::make_shared<TextArena>()](P bytes) { return uuid_text(bytes, *arena); });
  }
}

}  // namespace internal

/// Calls f.template operator()<P, T>(convert) with the type that is stored (value_reader.hpp) and
/// ours. Of a column that is not refused.
template <class F>
void with_conversion(const FileColumn& column, const F& f) {
  const auto same = []<class T>(T value) { return value; };
  switch (*column.element.stored) {
    case Stored::kBoolean:
      return f.template operator()<std::uint8_t, std::uint8_t>(same);
    case Stored::kInt32:
      return internal::with_integer<std::int32_t>(column, f);
    case Stored::kInt64:
      return internal::with_integer<std::int64_t>(column, f);
    case Stored::kInt96:
      return f.template operator()<Int96, std::int64_t>(timestamp_of);
    case Stored::kFloat:
      return f.template operator()<float, float>(same);
    case Stored::kDouble:
      return f.template operator()<double, double>(same);
    case Stored::kBytes:
    case Stored::kFixedBytes:
      return internal::with_bytes(column, f);
  }
}

}  // namespace grappa::query::parquet
