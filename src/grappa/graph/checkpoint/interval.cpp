#include "grappa/graph/checkpoint/interval.hpp"

#include <fmt/format.h>

#include <charconv>

#include "grappa/base/error.hpp"

namespace grappa::graph {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr Unit kUnits[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
constexpr double kMaxSeconds = 1e9;

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError(fmt::format(
      "'{}' is not an interval; give a number of iterations, or a time such as 30s, 5min or 2h",
      text));
}

}  // namespace

Interval parse_interval(std::string_view text) {
  const char* const end = text.data() + text.size();
  Interval interval{.iterations = 0, .seconds = 0};
  const auto whole = std::from_chars(text.data(), end, interval.iterations);
  if (whole.ec == std::errc() && whole.ptr == end && interval.iterations > 0) return interval;
  interval.iterations = 0;
  double number = 0;
  const auto time = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (time.ec != std::errc() || !(number > 0)) refuse(text);
  const std::string_view unit(time.ptr, static_cast<std::size_t>(end - time.ptr));
  for (const Unit& known : kUnits) {
    if (unit != known.name || number * known.seconds > kMaxSeconds) continue;
    interval.seconds = number * known.seconds;
    return interval;
  }
  refuse(text);
}

}  // namespace grappa::graph
