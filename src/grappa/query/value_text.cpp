#include "grappa/query/value_text.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/date_text.hpp"
#include "grappa/query/date_time.hpp"

namespace grappa::query {
namespace {

bool parse_boolean(std::string_view text, std::uint8_t& value) {
  constexpr std::array<std::string_view, 5> kTrue{"true", "t", "yes", "y", "1"};
  constexpr std::array<std::string_view, 5> kFalse{"false", "f", "no", "n", "0"};
  text = io::trimmed(text);
  if (text.size() > 5) return false;
  const std::string small = io::lower(text);
  const bool is_true = std::ranges::find(kTrue, small) != kTrue.end();
  if (!is_true && std::ranges::find(kFalse, small) == kFalse.end()) return false;
  value = is_true ? 1 : 0;
  return true;
}

}  // namespace

template <class T>
bool parse(std::string_view text, const Type& type, T& value) {
  if constexpr (std::is_same_v<T, TextRef>) {
    value = TextRef(text);
    return true;
  } else if constexpr (std::is_same_v<T, Interval>) {
    return parse_interval(text, value);
  } else if constexpr (std::is_same_v<T, double>) {
    return parse_double(text, value);
  } else if constexpr (std::is_same_v<T, float>) {
    return detail::parse_real(text, value);
  } else if constexpr (std::is_same_v<T, Int128>) {
    return parse_decimal(text, type, value);
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return type.id == TypeId::kBoolean && parse_boolean(text, value);
  } else {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      if (type.id == TypeId::kDate) return parse_date(text, value);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      if (type.id == TypeId::kTime) return parse_time(text, value);
      if (type.id == TypeId::kTimestamp) return parse_timestamp(text, value);
      if (type.id == TypeId::kDecimal) return parse_decimal(text, type, value);
    }
    return parse_integer(text, value);
  }
}

template <class T>
void append_text(std::string& out, const T& value, const Type& type) {
  if constexpr (std::is_same_v<T, TextRef>) {
    out += value.view();
  } else if constexpr (std::is_same_v<T, Interval>) {
    append_interval(out, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    append_real(out, value);
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    out += value != 0 ? "true" : "false";
  } else {
    switch (type.id) {
      case TypeId::kDecimal:
        return append_decimal(out, value, type.scale);
      case TypeId::kDate:
        return append_date(out, static_cast<std::int64_t>(value));
      case TypeId::kTime:
        return append_time(out, static_cast<std::int64_t>(value));
      case TypeId::kTimestamp: {
        const auto [day, time] = day_and_time(static_cast<std::int64_t>(value));
        append_date(out, day);
        out += ' ';
        return append_time(out, time);
      }
      default:
        append_padded(out, static_cast<std::int64_t>(value), 1);
    }
  }
}

#define GRAPPA_INSTANTIATE(T)                                \
  template bool parse<T>(std::string_view, const Type&, T&); \
  template void append_text<T>(std::string&, const T&, const Type&);
GRAPPA_INSTANTIATE(std::uint8_t)
GRAPPA_INSTANTIATE(std::int8_t)
GRAPPA_INSTANTIATE(std::int16_t)
GRAPPA_INSTANTIATE(std::int32_t)
GRAPPA_INSTANTIATE(std::int64_t)
GRAPPA_INSTANTIATE(Int128)
GRAPPA_INSTANTIATE(float)
GRAPPA_INSTANTIATE(double)
GRAPPA_INSTANTIATE(Interval)
GRAPPA_INSTANTIATE(TextRef)
#undef GRAPPA_INSTANTIATE

}  // namespace grappa::query
