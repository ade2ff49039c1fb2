// Functions of the calendar: names of days and months, the ends of months, how many of some part of
// a date lie between two; and dates in forms that are given.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "grappa/query/date_time.hpp"
#include "grappa/query/expression/calendar_names.hpp"
#include "grappa/query/expression/date_fields.hpp"
#include "grappa/query/expression/date_format.hpp"
#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/text_kernels.hpp"

namespace grappa::query {
namespace {

TextRef day_name(std::int32_t day) {
  return TextRef(kDayNames[static_cast<std::size_t>(iso_day_of_week(day) % 7)]);
}
TextRef month_name(std::int32_t day) {
  return TextRef(kMonthNames[static_cast<std::size_t>(civil_from_days(day).month - 1)]);
}
std::int32_t last_day(std::int32_t day) {
  const CivilDate date = civil_from_days(day);
  return static_cast<std::int32_t>(
      days_from_civil({date.year, date.month, days_in_month(date.year, date.month)}));
}

template <class Result, Result (*kOfDay)(std::int32_t)>
void of_date(const KernelCall& call) {
  unary<std::int32_t, Result>(call, kOfDay);
}
template <class Result, Result (*kOfDay)(std::int32_t)>
void of_timestamp(const KernelCall& call) {
  unary<std::int64_t, Result>(call, [](std::int64_t at) {
    return kOfDay(static_cast<std::int32_t>(day_and_time(at).day));
  });
}

/// The number of the field's unit that a timestamp is in, counted without gaps.
std::int64_t count_of(Field field, std::int64_t timestamp) {
  const DayAndTime at = day_and_time(timestamp);
  const auto units = [&](std::int64_t unit) {
    return at.day * (kMicrosecondsPerDay / unit) + at.time / unit;
  };
  const CivilDate date = civil_from_days(at.day);
  switch (field) {
    case Field::kQuarter:
      return date.year * 4 + (date.month - 1) / 3;
    case Field::kMonth:
      return date.year * 12 + date.month;
    case Field::kWeek:
      return (truncated(Field::kWeek, timestamp) / kMicrosecondsPerDay + 3) / 7;
    case Field::kDay:
    case Field::kDayOfWeek:
    case Field::kIsoDayOfWeek:
    case Field::kDayOfYear:
      return at.day;
    case Field::kHour:
      return units(kMicrosecondsPerHour);
    case Field::kMinute:
      return units(kMicrosecondsPerMinute);
    case Field::kSecond:
    case Field::kEpoch:
      return units(kMicrosecondsPerSecond);
    case Field::kMillisecond:
      return units(1000);
    case Field::kMicrosecond:
      return timestamp;
    default:
      return field_of_day(field, at.day);
  }
}

void boundaries_between(const KernelCall& call) {
  auto* const out = static_cast<std::int64_t*>(call.values);
  call.for_each([&](std::size_t row) {
    const Field field = field_named(text_argument(call, 0, row));
    out[row] = count_of(field, number_argument(call, 2, row)) -
               count_of(field, number_argument(call, 1, row));
  });
}

void formatted(const KernelCall& call) {
  std::string made;
  make_texts(call, [&](std::size_t row) -> std::string_view {
    made.clear();
    append_formatted(made, text_argument(call, 1, row), number_argument(call, 0, row));
    return made;
  });
}
void parsed(const KernelCall& call) {
  binary<TextRef, TextRef, std::int64_t>(call, [](const TextRef& text, const TextRef& format) {
    std::int64_t timestamp;
    if (!parse_formatted(text.view(), format.view(), timestamp))
      throw QueryError(
          fmt::format("strptime: '{}' is not of the format '{}'", text.view(), format.view()));
    return timestamp;
  });
}

}  // namespace

void add_calendar_functions(FunctionList& list) {
  list.add("dayname", {kDate}, kText, of_date<TextRef, day_name>);
  list.add("dayname", {kTimestamp}, kText, of_timestamp<TextRef, day_name>);
  list.add("monthname", {kDate}, kText, of_date<TextRef, month_name>);
  list.add("monthname", {kTimestamp}, kText, of_timestamp<TextRef, month_name>);
  list.add("last_day", {kDate}, kDate, of_date<std::int32_t, last_day>);
  list.add("last_day", {kTimestamp}, kDate, of_timestamp<std::int32_t, last_day>);
  list.add("date_diff", {kText, kTimestamp, kTimestamp}, kInt64, boundaries_between, true);
  list.alias("datediff", "date_diff");
  list.add("strftime", {kTimestamp, kText}, kText, formatted, true);
  list.add("strptime", {kText, kText}, kTimestamp, parsed, true);
}

}  // namespace grappa::query
