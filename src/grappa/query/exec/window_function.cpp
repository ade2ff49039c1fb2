#include "grappa/query/exec/window_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "grappa/query/exec/aggregate_function.hpp"

namespace grappa::query {
namespace {

constexpr std::array<std::string_view, 11> kFunctions{
    "row_number", "rank", "dense_rank",  "percent_rank", "cume_dist", "ntile",
    "lag",        "lead", "first_value", "last_value",   "nth_value"};

/// An interval is a distance between moments: of each row it says where the frame ends.
void bind_interval(FrameEnd& end, const SortItem& by) {
  const bool is_before = end.preceding != by.descending;
  end.offset = call(is_before ? "-" : "+", {by.value, end.offset});
  end.is_value = true;
}

void bind_distances(WindowItem& item) {
  const bool has_distance = item.begin.offset || item.end.offset;
  const bool is_range = item.unit == FrameUnit::kRange;
  if (is_range && has_distance && item.order.size() != 1)
    throw UsageError("RANGE with a distance needs an ORDER BY of one number or date");
  const auto is_interval = [](const FrameEnd& end) {
    return end.offset && end.offset->type.id == TypeId::kInterval;
  };
  if (is_range && (is_interval(item.begin) || is_interval(item.end)))
    item.order[0].value = cast(item.order[0].value, kTimestamp);
  for (FrameEnd* const end : {&item.begin, &item.end}) {
    if (!end->offset) continue;
    if (is_range && is_interval(*end)) {
      bind_interval(*end, item.order[0]);
      continue;
    }
    if (is_range && item.order[0].value->type == kTimestamp)
      throw UsageError("a distance between timestamps is an interval");
    end->offset = cast(end->offset, kInt64);
  }
}

}  // namespace

bool is_window_function(std::string_view name) {
  return std::ranges::find(kFunctions, name) != kFunctions.end();
}

bool shows_a_value(std::string_view name) {
  return name == "lag" || name == "lead" || name == "first_value" || name == "last_value" ||
         name == "nth_value";
}

Type window_type(WindowItem& item) {
  const std::string& name = item.function;
  const auto takes = [&](std::size_t least, std::size_t most) {
    if (item.arguments.size() < least || item.arguments.size() > most)
      throw UsageError(fmt::format("{} takes {} arguments", name, least));
  };
  bind_distances(item);
  if (is_aggregate(name)) {
    const AggregateFunction function = find_aggregate(name, item.arguments, INT64_MAX);
    for (std::size_t i = 0; i < item.arguments.size(); ++i)
      item.arguments[i] = cast(item.arguments[i], function.parameters[i]);
    return function.result;
  }
  if (name == "percent_rank" || name == "cume_dist") return kDouble;
  if (name == "ntile") {
    takes(1, 1);
    item.arguments[0] = cast(item.arguments[0], kInt64);
    return kInt64;
  }
  if (!shows_a_value(name)) {
    takes(0, 0);
    return kInt64;
  }
  const bool moves = name == "lag" || name == "lead";
  takes(name == "nth_value" ? 2 : 1, moves ? 3 : name == "nth_value" ? 2 : 1);
  if (item.arguments.size() > 1) item.arguments[1] = cast(item.arguments[1], kInt64);
  if (item.arguments.size() > 2)
    item.arguments[2] = cast(item.arguments[2], item.arguments[0]->type);
  return item.arguments[0]->type;
}

}  // namespace grappa::query
