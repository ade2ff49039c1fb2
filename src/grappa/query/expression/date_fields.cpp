#include "grappa/query/expression/date_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "grappa/query/date_time.hpp"
#include "grappa/query/expression/function.hpp"

namespace grappa::query {
namespace {

struct NamedField {
  std::string_view name;
  Field field;
};
constexpr std::array kFields{NamedField{"year", Field::kYear},
                             NamedField{"quarter", Field::kQuarter},
                             NamedField{"month", Field::kMonth},
                             NamedField{"week", Field::kWeek},
                             NamedField{"day", Field::kDay},
                             NamedField{"dow", Field::kDayOfWeek},
                             NamedField{"dayofweek", Field::kDayOfWeek},
                             NamedField{"isodow", Field::kIsoDayOfWeek},
                             NamedField{"doy", Field::kDayOfYear},
                             NamedField{"dayofyear", Field::kDayOfYear},
                             NamedField{"hour", Field::kHour},
                             NamedField{"minute", Field::kMinute},
                             NamedField{"second", Field::kSecond},
                             NamedField{"millisecond", Field::kMillisecond},
                             NamedField{"milliseconds", Field::kMillisecond},
                             NamedField{"microsecond", Field::kMicrosecond},
                             NamedField{"microseconds", Field::kMicrosecond},
                             NamedField{"epoch", Field::kEpoch},
                             NamedField{"decade", Field::kDecade},
                             NamedField{"century", Field::kCentury},
                             NamedField{"millennium", Field::kMillennium},
                             NamedField{"isoyear", Field::kIsoYear},
                             NamedField{"years", Field::kYear},
                             NamedField{"months", Field::kMonth},
                             NamedField{"days", Field::kDay},
                             NamedField{"hours", Field::kHour},
                             NamedField{"minutes", Field::kMinute},
                             NamedField{"seconds", Field::kSecond},
                             NamedField{"dayofmonth", Field::kDay},
                             NamedField{"weekofyear", Field::kWeek}};

/// The Monday of the first week of a year: the one with the year's first Thursday.
std::int64_t first_week(std::int64_t year) {
  const std::int64_t fourth = days_from_civil({year, 1, 4});
  return fourth - (iso_day_of_week(fourth) - 1);
}
std::int64_t iso_year(std::int64_t day) {
  std::int64_t year = civil_from_days(day).year + 1;
  while (day < first_week(year)) --year;
  return year;
}

}  // namespace

Field field_named(std::string_view name) {
  std::string small(name);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const NamedField& known : kFields)
    if (known.name == small) return known.field;
  throw QueryError(fmt::format("'{}' is no part of a date", name));
}

bool is_of_time(Field field) { return field >= Field::kHour && field <= Field::kMicrosecond; }

int iso_day_of_week(std::int64_t day) {
  const std::int64_t from_monday = (day + 3) % 7;  // 1970-01-01 was a Thursday
  return static_cast<int>(from_monday < 0 ? from_monday + 7 : from_monday) + 1;
}

std::int64_t field_of_day(Field field, std::int64_t day) {
  const CivilDate date = civil_from_days(day);
  switch (field) {
    case Field::kYear:
      return date.year;
    case Field::kQuarter:
      return (date.month + 2) / 3;
    case Field::kMonth:
      return date.month;
    case Field::kWeek:
      return (day - first_week(iso_year(day))) / 7 + 1;
    case Field::kDay:
      return date.day;
    case Field::kDayOfWeek:
      return iso_day_of_week(day) % 7;
    case Field::kIsoDayOfWeek:
      return iso_day_of_week(day);
    case Field::kDayOfYear:
      return day - days_from_civil({date.year, 1, 1}) + 1;
    case Field::kDecade:
      return date.year >= 0 ? date.year / 10 : -((9 - date.year) / 10);
    case Field::kCentury:
      return date.year > 0 ? (date.year + 99) / 100 : -((100 - date.year) / 100);
    case Field::kMillennium:
      return date.year > 0 ? (date.year + 999) / 1000 : -((1000 - date.year) / 1000);
    case Field::kIsoYear:
      return iso_year(day);
    default:
      return 0;
  }
}

std::int64_t field_of_time(Field field, std::int64_t time) {
  switch (field) {
    case Field::kHour:
      return time / kMicrosecondsPerHour;
    case Field::kMinute:
      return time / kMicrosecondsPerMinute % 60;
    case Field::kSecond:
      return time / kMicrosecondsPerSecond % 60;
    case Field::kMillisecond:
      return time % kMicrosecondsPerMinute / 1000;
    default:
      return time % kMicrosecondsPerMinute;
  }
}

std::int64_t truncated(Field field, std::int64_t timestamp) {
  const DayAndTime at = day_and_time(timestamp);
  const CivilDate date = civil_from_days(at.day);
  const auto day = [](std::int64_t days) { return days * kMicrosecondsPerDay; };
  const auto time = [&](std::int64_t unit) { return day(at.day) + at.time / unit * unit; };
  switch (field) {
    case Field::kYear:
      return day(days_from_civil({date.year, 1, 1}));
    case Field::kQuarter:
      return day(days_from_civil({date.year, (date.month - 1) / 3 * 3 + 1, 1}));
    case Field::kMonth:
      return day(days_from_civil({date.year, date.month, 1}));
    case Field::kWeek:
      return day(at.day - (iso_day_of_week(at.day) - 1));
    case Field::kDay:
      return day(at.day);
    case Field::kHour:
      return time(kMicrosecondsPerHour);
    case Field::kMinute:
      return time(kMicrosecondsPerMinute);
    case Field::kSecond:
      return time(kMicrosecondsPerSecond);
    case Field::kMillisecond:
      return time(1000);
    case Field::kMicrosecond:
      return timestamp;
    case Field::kDecade:
      return day(days_from_civil({date.year - (date.year % 10 + 10) % 10, 1, 1}));
    case Field::kCentury:
      return day(days_from_civil({(date.year - 1) / 100 * 100 + 1, 1, 1}));
    default:
      throw QueryError("date_trunc: no unit that dates are cut to");
  }
}

}  // namespace grappa::query
