#include "grappa/query/datalog/number_literal.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>

namespace grappa::query::datalog {
namespace {

template <class T>
std::optional<T> parse_digits(std::string_view digits, int base) {
  T value{};
  const char* const end = digits.data() + digits.size();
  const auto [behind, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || behind != end) return {};
  return value;
}

}  // namespace

std::optional<Word> parse_literal(std::string_view text, Kind kind) {
  if (kind == Kind::kFloat) {
    double value{};
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || behind != end || text.empty()) return {};
    // 0 and -0 are one value.
    return std::bit_cast<Word>(value == 0 ? 0.0 : value);
  }
  const std::string_view magnitude = text.substr(text.starts_with('-') ? 1 : 0);
  int base = 10;
  if (magnitude.starts_with("0x")) base = 16;
  if (magnitude.starts_with("0b")) base = 2;
  if (base != 10 && magnitude.size() < text.size()) {
    const auto value = parse_digits<Word>(magnitude.substr(2), base);
    if (kind == Kind::kUnsigned || !value || *value > Word{1} << 63) return {};
    return -*value;
  }
  if (base != 10) text.remove_prefix(2);
  if (kind == Kind::kUnsigned) {
    if (text.ends_with('u')) text.remove_suffix(1);
    return parse_digits<Word>(text, base);
  }
  if (const auto value = parse_digits<std::int64_t>(text, base)) return std::bit_cast<Word>(*value);
  // Bits may be given with a prefix.
  return base == 10 ? std::nullopt : parse_digits<Word>(text, base);
}

void append_number(std::string& to, Word value, Kind kind) {
  if (kind == Kind::kFloat)
    fmt::format_to(std::back_inserter(to), "{}", std::bit_cast<double>(value));
  else if (kind == Kind::kUnsigned)
    fmt::format_to(std::back_inserter(to), "{}", value);
  else
    fmt::format_to(std::back_inserter(to), "{}", std::bit_cast<std::int64_t>(value));
}

}  // namespace grappa::query::datalog
