#include "grappa/base/text_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>
#include <vector>

namespace grappa::internal {
namespace {

struct Unit {
  std::string_view name;  // in lower case
  std::uint64_t factor;
};

constexpr std::array kSizeUnits = {Unit{"", 1},
                                   Unit{"b", 1},
                                   Unit{"kib", 1ull << 10},
                                   Unit{"mib", 1ull << 20},
                                   Unit{"gib", 1ull << 30},
                                   Unit{"tib", 1ull << 40}};
constexpr std::array kTimeUnits = {Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                                   Unit{"s", 1'000'000'000}};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

// from_chars of the whole text. A leading '+' is refused, as from_chars does.
template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, number_end);
  std::string_view unit_text = text.substr(number_end);
  if (unit_text.size() > 1 && unit_text.starts_with(' ')) unit_text.remove_prefix(1);
  const std::string unit_name = lower(unit_text);

  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit_name; });
  if (unit == units.end()) {
    return unit_text.empty() && parse_whole<std::uint64_t>(number) == 0
               ? std::optional<std::uint64_t>(0)
               : std::nullopt;
  }
  // Whole numbers stay exact; only what has a point goes through floating point.
  if (const auto whole = parse_whole<std::uint64_t>(number)) {
    if (*whole > UINT64_MAX / unit->factor) return std::nullopt;
    return *whole * unit->factor;
  }
  if (unit->factor == 1) return std::nullopt;  // half a byte, half a nanosecond
  const auto fraction = parse_whole<double>(number);
  if (!fraction) return std::nullopt;
  const double value = std::round(*fraction * static_cast<double>(unit->factor));
  if (!(value < 18446744073709551616.0)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// The name that `text` begins; nothing where it begins several that differ in more than their ends.
std::optional<std::string_view> abbreviated_name(std::string_view text,
                                                 std::span<const std::string_view> names) {
  std::vector<std::string_view> longer;
  std::copy_if(names.begin(), names.end(), std::back_inserter(longer),
               [&](std::string_view name) { return name.starts_with(text); });
  if (longer.empty() || text.empty()) return std::nullopt;
  const std::string_view shortest = *std::min_element(
      longer.begin(), longer.end(), [](auto a, auto b) { return a.size() < b.size(); });
  const bool is_one = std::all_of(longer.begin(), longer.end(),
                                  [&](auto name) { return name.starts_with(shortest); });
  return is_one ? std::optional(shortest) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse_with_unit(text, kSizeUnits);
}

std::optional<std::uint64_t> parse_duration_ns(std::string_view text) {
  return parse_with_unit(text, kTimeUnits);
}

std::optional<bool> parse_switch(std::string_view text) {
  const std::string word = lower(text);
  if (word == "on" || word == "true" || word == "yes" || word == "1") return true;
  if (word == "off" || word == "false" || word == "no" || word == "0") return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(bytes);
  // 1023.96 would be printed as 1024.0: it is one of the next unit.
  while (value >= 1023.95 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  std::string number = fmt::format("{:.1f}", value);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return fmt::format("{} {}", number, kNames[unit]);
}

// By the usual table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::string_view nearest_name(std::string_view text, std::span<const std::string_view> names) {
  return *std::min_element(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(text, a) < edit_distance(text, b);
  });
}

std::string nearest_hint(std::string_view text, std::span<const std::string_view> names,
                         std::string_view before) {
  std::optional<std::string_view> meant = abbreviated_name(text, names);
  if (!meant) {
    meant = nearest_name(text, names);
    if (3 * edit_distance(text, *meant) > text.size()) return {};
  }
  return fmt::format("; the nearest is {}{}", before, *meant);
}

bool is_near(std::string_view text, std::string_view name) {
  return 3 * edit_distance(text, name) < text.size();
}

}  // namespace grappa::internal
