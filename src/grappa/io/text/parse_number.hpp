#pragma once

// Numbers in text, parsed in place: the inner loop of all text readers.
//
//   const char* p = line;
//   uint64_t id;
//   if (!parse_id(p, id)) refuse(p);     // p has not moved; else it is past the last digit
//
// The text must be followed by 8 readable bytes (LineReader's padding). A number ends at the first
// byte that cannot belong to it; the caller decides whether that byte is allowed.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace grappa::io {

inline constexpr std::uint64_t kMaxVertexName = (std::uint64_t{1} << 63) - 1;

inline bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

inline const char* skip_blanks(const char* p) noexcept {
  while (is_blank(*p)) ++p;
  return p;
}

namespace detail {

// The value of eight digits, the first in the lowest byte, each 0 ... 9: neighbors are joined to
// pairs, pairs to fours, fours to eight, by multiplications that shift and add at once.
inline std::uint64_t join_eight_digits(std::uint64_t digits) noexcept {
  digits = digits * 10 + (digits >> 8);
  constexpr std::uint64_t kPairs = 0x000000FF000000FF;
  constexpr std::uint64_t kFirst = 100 + (std::uint64_t{1000000} << 32);
  constexpr std::uint64_t kSecond = 1 + (std::uint64_t{10000} << 32);
  return ((digits & kPairs) * kFirst + ((digits >> 16) & kPairs) * kSecond) >> 32;
}

// Numbers of eight digits and more, of which `first` are the first eight.
inline bool parse_long_id(const char*& p, std::uint64_t first, std::uint64_t& value) noexcept {
  std::uint64_t sum = first;
  int digits = 8;
  const char* q = p + 8;
  for (; is_digit(*q); ++q, ++digits) {
    if (digits == 19) return false;
    sum = sum * 10 + static_cast<unsigned char>(*q - '0');
  }
  if (sum > kMaxVertexName) return false;
  value = sum;
  p = q;
  return true;
}

}  // namespace detail

/// Decimal digits, at most 19 of them, with a value of at most kMaxVertexName. Inlined by order: in
/// a large unit GCC calls it, and lines of edges take 15 % more instructions.
[[gnu::always_inline]] inline bool parse_id(const char*& p, std::uint64_t& value) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  word ^= 0x3030303030303030;  // digits become 0 ... 9, everything else more than 9
  const std::uint64_t others =
      ((word + 0x7676767676767676) | word) & 0x8080808080808080;  // exact up to the first of them
  if (others == 0) [[unlikely]] {
    return detail::parse_long_id(p, detail::join_eight_digits(word), value);
  }
  const int digit_bits = std::countr_zero(others) - 7;
  if (digit_bits == 0) return false;
  value = detail::join_eight_digits(word << (64 - digit_bits));  // zeros in front
  p += digit_bits / 8;
  return true;
}

/// A number as C writes it, nan and infinities among them, which ends before `end`; with one sign
/// at most. As std::from_chars, which knows no +.
inline std::from_chars_result read_double(const char* first, const char* end,
                                          double& value) noexcept {
  if (end - first > 1 && *first == '+' && first[1] != '-') ++first;
  return std::from_chars(first, end, value);
}

/// What a whole text is as a number.
struct TextNumber {
  enum class Form : std::uint8_t { kNone, kFinite, kNotFinite, kBeyondDoubles };
  Form form = Form::kNone;
  double value = 0;  // of what is finite or not
};
inline TextNumber number_in(std::string_view text) noexcept {
  using Form = TextNumber::Form;
  const char* const end = text.data() + text.size();
  TextNumber number;
  const auto [rest, error] = read_double(text.data(), end, number.value);
  if (rest != end || error == std::errc::invalid_argument) return {};
  number.form = error != std::errc()          ? Form::kBeyondDoubles
                : std::isfinite(number.value) ? Form::kFinite
                                              : Form::kNotFinite;
  return number;
}

/// By how much an integer of up to 64 bits is more than `value`, the finite number that was read
/// from it: a double holds those up to 2^53, and of larger ones some. 0 for what is no integer.
/// Nothing where the integer has more bits and is not the same as `value`.
inline std::optional<std::int16_t> rounded_off(std::string_view text, double value) noexcept {
  if (std::abs(value) < 0x1p53) return 0;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t integer = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, integer);
  if (rest != end) return 0;
  if (error == std::errc()) {
    __extension__ using Wide = __int128;
    const auto more = static_cast<std::int16_t>(Wide{integer} - static_cast<Wide>(std::abs(value)));
    return negative ? static_cast<std::int16_t>(-more) : more;
  }
  text.remove_prefix(text.find_first_not_of('0'));
  char digits[320];
  const char* const last =
      std::to_chars(digits, std::end(digits), std::abs(value), std::chars_format::fixed).ptr;
  return text == std::string_view(digits, last) ? std::optional<std::int16_t>(0) : std::nullopt;
}

/// Whether it is an integer, and finite.
inline bool is_whole(double value) noexcept { return value - std::floor(value) == 0; }

inline constexpr double kLeastWeight = std::numeric_limits<double>::lowest();
inline constexpr double kGreatestWeight = std::numeric_limits<double>::max();

/// A finite number as C writes them that ends before `end` and is not below `least`, which is not
/// above 0; nor a whole one that would be rounded.
inline bool parse_weight(const char*& p, const char* end, double& value,
                         double least = kLeastWeight) noexcept {
  // Most weights are short integers; they are exact.
  const char* q = p;
  std::uint64_t integer;
  if (parse_id(q, integer) && q - p <= 15 && (is_blank(*q) || *q == '\n')) {
    value = static_cast<double>(integer);
    p = q;
    return true;
  }
  const auto [rest, error] = read_double(p, end, value);
  if (error != std::errc() || !(value >= least && value <= kGreatestWeight)) return false;
  if (rounded_off({p, rest}, value) != 0) return false;
  p = rest;
  return true;
}

}  // namespace grappa::io
