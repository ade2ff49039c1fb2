#pragma once

// Numbers from text, which is the inner loop of loading, and as text.
//
//   std::int64_t value;
//   if (!parse_integer("-17", value)) …
//   parse_decimal("12.345", Type::decimal(15, 2), value);    // 1235: rounds half away from zero
//
// The whole text has to be the number; blanks may be around it. What parsing returns false for has
// left the value as it was. Nothing behind the text is read.

#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "grappa/io/text/parse_number.hpp"
#include "grappa/query/type.hpp"

namespace grappa::query {

namespace detail {

template <class Word>
inline std::uint64_t load_word(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// 10 to the power of 0 … 18.
inline constexpr auto kPowersOfTen = [] {
  std::array<std::int64_t, 19> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

inline constexpr std::uint64_t kZeroDigits = 0x3030303030303030;

/// Whether each byte is 0 … 9.
inline bool are_digits(std::uint64_t bytes) {
  return (((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080) == 0;
}

/// 1 … 8 digits.
inline bool parse_short_digits(const char* text, std::size_t size, std::uint64_t& value) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word;
  if (size == 8) {
    word = load_word<std::uint64_t>(text);
  } else if (size >= 4) {
    word = load_word<std::uint32_t>(text) | load_word<std::uint32_t>(text + size - 4)
                                                << (8 * (size - 4));
  } else {
    word = load_word<std::uint8_t>(text) |
           load_word<std::uint8_t>(text + size / 2) << (8 * (size / 2)) |
           load_word<std::uint8_t>(text + size - 1) << (8 * (size - 1));
  }
  word = (word ^ kZeroDigits) << (64 - 8 * size);  // zeros in front
  if (!are_digits(word)) return false;
  value = io::detail::join_eight_digits(word);
  return true;
}

/// 0 … 19 digits; 0 is the value of none.
inline bool parse_digits(const char* text, std::size_t size, std::uint64_t& value) {
  std::uint64_t sum = 0;
  std::uint64_t part;
  for (; size > 8; size -= 8, text += 8) {
    const std::uint64_t word = load_word<std::uint64_t>(text) ^ kZeroDigits;
    if (!are_digits(word)) return false;
    sum = sum * 100'000'000 + io::detail::join_eight_digits(word);
  }
  if (size > 0) {
    if (!parse_short_digits(text, size, part)) return false;
    sum = sum * static_cast<std::uint64_t>(kPowersOfTen[size]) + part;
  }
  value = sum;
  return true;
}

/// Where the point of a number is, mostly two digits before its end; its size where there is none.
inline std::size_t find_point(std::string_view text) {
  if (text.size() >= 3 && text[text.size() - 3] == '.') return text.size() - 3;
  std::size_t at = 0;
  while (at < text.size() && text[at] != '.') ++at;
  return at;
}

inline bool take_sign(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  return is_negative;
}

bool parse_integer_slowly(std::string_view text, std::int64_t least, std::int64_t greatest,
                          std::int64_t& value);
bool parse_decimal_slowly(std::string_view text, const Type& type, Int128& value);
template <class T>  // float, double
bool parse_real(std::string_view text, T& value);

}  // namespace detail

/// False for what T does not hold, too.
template <std::signed_integral T>
bool parse_integer(std::string_view text, T& value) {
  using Limits = std::numeric_limits<T>;
  std::string_view digits = text;
  const bool is_negative = detail::take_sign(digits);
  std::uint64_t magnitude;
  if (digits.empty() || digits.size() > 19 ||
      !detail::parse_digits(digits.data(), digits.size(), magnitude)) [[unlikely]] {
    std::int64_t slowly;
    if (!detail::parse_integer_slowly(text, Limits::min(), Limits::max(), slowly)) return false;
    value = static_cast<T>(slowly);
    return true;
  }
  if (magnitude > static_cast<std::uint64_t>(Limits::max()) + (is_negative ? 1 : 0)) return false;
  value = static_cast<T>(is_negative ? 0 - magnitude : magnitude);
  return true;
}

/// False for what has more digits before the point than the type. T is the decimal's physical type.
template <class T>
bool parse_decimal(std::string_view text, const Type& type, T& value) {
  std::string_view digits = text;
  const bool is_negative = detail::take_sign(digits);
  const std::size_t point = detail::find_point(digits);
  const std::size_t behind = digits.size() - point - (point < digits.size() ? 1 : 0);
  std::uint64_t whole;
  std::uint64_t fraction;
  if (point > 0 && behind <= type.scale && point + type.scale <= 18 &&
      detail::parse_digits(digits.data(), point, whole) &&
      detail::parse_digits(digits.data() + digits.size() - behind, behind, fraction)) [[likely]] {
    using detail::kPowersOfTen;
    const std::int64_t units =
        static_cast<std::int64_t>(whole) * kPowersOfTen[type.scale] +
        static_cast<std::int64_t>(fraction) * kPowersOfTen[type.scale - behind];
    if (type.precision < 18 && units >= kPowersOfTen[type.precision]) return false;
    value = is_negative ? -units : units;
    return true;
  }
  Int128 slowly;
  if (!detail::parse_decimal_slowly(text, type, slowly)) return false;
  value = static_cast<T>(slowly);
  return true;
}

/// inf and nan by name; false for what is beyond the greatest double.
inline bool parse_double(std::string_view text, double& value) {
  std::string_view digits = text;
  const bool is_negative = detail::take_sign(digits);
  const std::size_t point = detail::find_point(digits);
  const std::size_t behind = digits.size() - point - (point < digits.size() ? 1 : 0);
  std::uint64_t whole;
  std::uint64_t fraction;
  // Two integers that doubles hold have a quotient that is rounded once.
  if (point > 0 && point + behind <= 15 && detail::parse_digits(digits.data(), point, whole) &&
      detail::parse_digits(digits.data() + digits.size() - behind, behind, fraction)) [[likely]] {
    const auto power = static_cast<double>(detail::kPowersOfTen[behind]);
    const double magnitude =
        (static_cast<double>(whole) * power + static_cast<double>(fraction)) / power;
    value = is_negative ? -magnitude : magnitude;
    return true;
  }
  return detail::parse_real(text, value);
}

/// With zeros in front, if it has fewer digits.
inline void append_padded(std::string& out, std::int64_t value, std::size_t digits) {
  char text[20];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  const auto size = static_cast<std::size_t>(end - text);
  if (size < digits) out.append(digits - size, '0');
  out.append(text, size);
}
/// With all digits of the scale.
void append_decimal(std::string& out, Int128 units, int scale);
/// The fewest digits that tell it from others; a point where it has none. float, double.
template <class T>
void append_real(std::string& out, T value);

}  // namespace grappa::query
