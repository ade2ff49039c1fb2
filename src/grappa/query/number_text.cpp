#include "grappa/query/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>

#include "grappa/io/text/text_line.hpp"

namespace grappa::query {
namespace detail {

bool parse_integer_slowly(std::string_view text, std::int64_t least, std::int64_t greatest,
                          std::int64_t& value) {
  text = io::trimmed(text);
  const bool is_negative = take_sign(text);
  if (text.empty()) return false;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
  std::uint64_t magnitude;
  if (text.size() > 19 || !parse_digits(text.data(), text.size(), magnitude)) return false;
  const Int128 integer = is_negative ? -Int128{magnitude} : Int128{magnitude};
  if (integer < least || integer > greatest) return false;
  value = static_cast<std::int64_t>(integer);
  return true;
}

bool parse_decimal_slowly(std::string_view text, const Type& type, Int128& value) {
  text = io::trimmed(text);
  const bool is_negative = take_sign(text);
  int exponent = 0;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::int64_t of_ten;
    if (!parse_integer_slowly(text.substr(e + 1), -1000, 1000, of_ten)) return false;
    exponent = static_cast<int>(of_ten);
    text = text.substr(0, e);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  if (text.size() <= (point < text.size() ? 1U : 0U)) return false;
  // The place of the digit that comes next, counted from the last that is kept.
  std::int64_t place = static_cast<std::int64_t>(point) + exponent + type.scale - 1;
  const Int128 greatest = power_of_ten(type.precision) - 1;
  Int128 units = 0;
  bool rounds_up = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (!io::is_digit(text[i])) return false;
    const int digit = text[i] - '0';
    if (place >= 0) {
      if (units > (greatest - digit) / 10) return false;
      units = units * 10 + digit;
    } else if (place == -1) {
      rounds_up = digit >= 5;
    }
    --place;
  }
  for (; place >= 0 && units != 0; --place) {
    if (units > greatest / 10) return false;
    units *= 10;
  }
  if (rounds_up && ++units > greatest) return false;
  value = is_negative ? -units : units;
  return true;
}

template <class T>
bool parse_real(std::string_view text, T& value) {
  text = io::trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T parsed = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, parsed);
  if (text.empty() || behind != end) return false;
  if (error == std::errc::result_out_of_range) {
    // What is too small is 0, or nearly so.
    const std::size_t e = text.find_first_of("eE");
    const bool is_small = e != std::string_view::npos
                              ? text.substr(e + 1).starts_with('-')
                              : text.find_first_of("123456789") > text.find('.');
    if (!is_small) return false;
    parsed = text.starts_with('-') ? T{-0.0} : T{0};
  } else if (error != std::errc()) {
    return false;
  }
  value = parsed;
  return true;
}

template bool parse_real(std::string_view text, float& value);
template bool parse_real(std::string_view text, double& value);

}  // namespace detail

void append_decimal(std::string& out, Int128 units, int scale) {
  __extension__ using Unsigned = unsigned __int128;
  char digits[Type::kMostDigits + 2];
  char* begin = std::end(digits);
  auto left = static_cast<Unsigned>(units);
  if (units < 0) {
    out += '-';
    left = 0 - left;
  }
  for (int count = 0; left != 0 || count <= scale; ++count) {
    // What fits is divided as one word.
    if (left >> 64 == 0) {
      *--begin = static_cast<char>('0' + static_cast<std::uint64_t>(left) % 10);
      left = static_cast<std::uint64_t>(left) / 10;
    } else {
      *--begin = static_cast<char>('0' + static_cast<int>(left % 10));
      left /= 10;
    }
  }
  char* const point = std::end(digits) - scale;
  out.append(begin, point);
  if (scale == 0) return;
  out += '.';
  out.append(point, std::end(digits));
}

template <class T>
void append_real(std::string& out, T value) {
  const std::size_t begin = out.size();
  if (std::isnan(value)) value = std::abs(value);  // its sign says nothing
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (out.find_first_not_of("-0123456789", begin) == std::string::npos) out += ".0";
}

template void append_real(std::string& out, float value);
template void append_real(std::string& out, double value);

}  // namespace grappa::query
