#pragma once

// Parts of dates and times, by which they are asked and cut.
//
//   field_of_day(field_named("quarter"), day);    // 1 … 4
//   truncated(Field::kMonth, timestamp);          // midnight of the first of the month
//
// Days are those since 1970-01-01, times and timestamps microseconds (date_time.hpp).

#include <cstdint>
#include <string_view>

namespace grappa::query {

enum class Field : std::uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kEpoch,
  kDecade,
  kCentury,
  kMillennium,
  kIsoYear
};
/// QueryError for what is none.
Field field_named(std::string_view name);
/// Whether it is a part of the time of a day.
bool is_of_time(Field field);

/// 1 … 7, from Monday.
int iso_day_of_week(std::int64_t day);
std::int64_t field_of_day(Field field, std::int64_t day);
std::int64_t field_of_time(Field field, std::int64_t time);
/// The greatest timestamp of that precision that is not greater. QueryError where there is none.
std::int64_t truncated(Field field, std::int64_t timestamp);

}  // namespace grappa::query
