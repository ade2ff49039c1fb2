// Functions of dates, times and intervals.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "grappa/query/date_time.hpp"
#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/kernels.hpp"

namespace grappa::query {
namespace {

constexpr Type kTime{TypeId::kTime};
constexpr Type kInterval{TypeId::kInterval};

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

Field field_named(std::string_view name) {
  std::string small(name);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const NamedField& known : kFields)
    if (known.name == small) return known.field;
  throw QueryError(fmt::format("'{}' is no part of a date", name));
}

int iso_day_of_week(std::int64_t day) {
  const std::int64_t from_monday = (day + 3) % 7;  // 1970-01-01 was a Thursday
  return static_cast<int>(from_monday < 0 ? from_monday + 7 : from_monday) + 1;
}

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

bool is_of_time(Field field) { return field >= Field::kHour && field <= Field::kMicrosecond; }

std::int64_t field_of_date(Field field, std::int32_t day) {
  if (field == Field::kEpoch) return std::int64_t{day} * 86'400;
  return is_of_time(field) ? 0 : field_of_day(field, day);
}
std::int64_t field_of_timestamp(Field field, std::int64_t timestamp) {
  const DayAndTime at = day_and_time(timestamp);
  if (field == Field::kEpoch) return at.day * 86'400 + at.time / kMicrosecondsPerSecond;
  return is_of_time(field) ? field_of_time(field, at.time) : field_of_day(field, at.day);
}
std::int64_t field_of_interval(Field field, const Interval& interval) {
  switch (field) {
    case Field::kYear:
      return interval.months / 12;
    case Field::kMonth:
      return interval.months % 12;
    case Field::kQuarter:
      return interval.months % 12 / 3 + 1;
    case Field::kDay:
      return interval.days;
    case Field::kEpoch:
      return (std::int64_t{interval.months} * 30 + interval.days) * 86'400 +
             interval.microseconds / kMicrosecondsPerSecond;
    default:
      return is_of_time(field) ? field_of_time(field, interval.microseconds) : 0;
  }
}

template <class T, std::int64_t (*kOf)(Field, T)>
void extract_by_name(const KernelCall& call) {
  // The field is nearly always a constant.
  const Vector& names = call.arguments[0];
  auto* const out = static_cast<std::int64_t*>(call.values);
  if (names.is_constant) {
    const Field field = field_named(names.data<TextRef>()->view());
    call.for_each([&](std::size_t row) { out[row] = kOf(field, call.arguments[1].at<T>(row)); });
    return;
  }
  call.for_each([&](std::size_t row) {
    out[row] = kOf(field_named(names.at<TextRef>(row).view()), call.arguments[1].at<T>(row));
  });
}
std::int64_t of_interval(Field field, Interval interval) {
  return field_of_interval(field, interval);
}

template <Field kField>
void field_kernel_of_date(const KernelCall& call) {
  unary<std::int32_t, std::int64_t>(call,
                                    [](std::int32_t day) { return field_of_date(kField, day); });
}
template <Field kField>
void field_kernel_of_timestamp(const KernelCall& call) {
  unary<std::int64_t, std::int64_t>(call,
                                    [](std::int64_t at) { return field_of_timestamp(kField, at); });
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

void truncate(const KernelCall& call) {
  binary<TextRef, std::int64_t, std::int64_t>(call, [](const TextRef& name, std::int64_t at) {
    return truncated(field_named(name.view()), at);
  });
}

// ---- Arithmetic

constexpr std::int64_t kFarthest = std::int64_t{1} << 61;

std::int64_t plus(std::int64_t timestamp, const Interval& interval, int sign) {
  DayAndTime at = day_and_time(timestamp);
  if (interval.months != 0) at.day = add_months(at.day, std::int64_t{sign} * interval.months);
  at.day += std::int64_t{sign} * interval.days;
  const Int128 moment =
      Int128{at.day} * kMicrosecondsPerDay + at.time + Int128{sign} * interval.microseconds;
  if (moment > kFarthest || moment < -kFarthest) throw QueryError("a timestamp is out of range");
  return static_cast<std::int64_t>(moment);
}

template <int kSign>
void timestamp_and_interval(const KernelCall& call) {
  binary<std::int64_t, Interval, std::int64_t>(
      call, [](std::int64_t at, const Interval& by) { return plus(at, by, kSign); });
}
void interval_and_timestamp(const KernelCall& call) {
  binary<Interval, std::int64_t, std::int64_t>(
      call, [](const Interval& by, std::int64_t at) { return plus(at, by, 1); });
}
template <int kSign>
void time_and_interval(const KernelCall& call) {
  binary<std::int64_t, Interval, std::int64_t>(call, [](std::int64_t at, const Interval& by) {
    const Int128 moved = Int128{at} + Int128{kSign} * by.microseconds;
    const Int128 day = kMicrosecondsPerDay;
    return static_cast<std::int64_t>((moved % day + day) % day);
  });
}
template <int kSign>
void date_and_days(const KernelCall& call) {
  binary<std::int32_t, std::int32_t, std::int32_t>(call, [](std::int32_t day, std::int32_t by) {
    std::int32_t moved;
    if (kSign > 0 ? __builtin_add_overflow(day, by, &moved)
                  : __builtin_sub_overflow(day, by, &moved))
      throw QueryError("a date is out of range");
    return moved;
  });
}
void days_and_date(const KernelCall& call) { date_and_days<1>(call); }
void days_between(const KernelCall& call) {
  binary<std::int32_t, std::int32_t, std::int32_t>(
      call, [](std::int32_t a, std::int32_t b) { return a - b; });
}
void time_between(const KernelCall& call) {
  binary<std::int64_t, std::int64_t, Interval>(call, [](std::int64_t a, std::int64_t b) {
    const std::int64_t length = a - b;
    return Interval{.days = static_cast<std::int32_t>(length / kMicrosecondsPerDay),
                    .microseconds = length % kMicrosecondsPerDay};
  });
}
template <int kSign>
void add_intervals(const KernelCall& call) {
  binary<Interval, Interval, Interval>(call, [](const Interval& a, const Interval& b) {
    return Interval{a.months + kSign * b.months, a.days + kSign * b.days,
                    a.microseconds + kSign * b.microseconds};
  });
}
void negate_interval(const KernelCall& call) {
  unary<Interval, Interval>(
      call, [](const Interval& a) { return Interval{-a.months, -a.days, -a.microseconds}; });
}

Interval times(const Interval& a, double factor) {
  // What is left of a month is days, what is left of a day time.
  const double months = a.months * factor;
  const double whole_months = std::trunc(months);
  const double days = a.days * factor + (months - whole_months) * 30;
  const double whole_days = std::trunc(days);
  const double rest = static_cast<double>(a.microseconds) * factor +
                      (days - whole_days) * static_cast<double>(kMicrosecondsPerDay);
  if (!(std::abs(whole_months) < 2e9 && std::abs(whole_days) < 2e9 && std::abs(rest) < 9e18))
    throw QueryError("an interval is out of range");
  return {static_cast<std::int32_t>(whole_months), static_cast<std::int32_t>(whole_days),
          static_cast<std::int64_t>(std::llround(rest))};
}
void interval_times(const KernelCall& call) {
  binary<Interval, double, Interval>(call, [](const Interval& a, double b) { return times(a, b); });
}
void times_interval(const KernelCall& call) {
  binary<double, Interval, Interval>(call, [](double a, const Interval& b) { return times(b, a); });
}

void make_date(const KernelCall& call) {
  auto* const out = static_cast<std::int32_t*>(call.values);
  call.for_each([&](std::size_t row) {
    const CivilDate date{call.arguments[0].at<std::int64_t>(row),
                         static_cast<int>(call.arguments[1].at<std::int64_t>(row)),
                         static_cast<int>(call.arguments[2].at<std::int64_t>(row))};
    if (!is_date(date) || std::abs(date.year) > 5'000'000)
      throw QueryError(fmt::format("there is no day {}-{}-{}", date.year, date.month, date.day));
    out[row] = static_cast<std::int32_t>(days_from_civil(date));
  });
}

}  // namespace

void add_date_functions(FunctionList& list) {
  list.add("extract", {kText, kDate}, kInt64, extract_by_name<std::int32_t, field_of_date>, true);
  list.add("extract", {kText, kTimestamp}, kInt64,
           extract_by_name<std::int64_t, field_of_timestamp>, true);
  list.add("extract", {kText, kTime}, kInt64, extract_by_name<std::int64_t, field_of_time>, true);
  list.add("extract", {kText, kInterval}, kInt64, extract_by_name<Interval, of_interval>, true);
  list.alias("date_part", "extract");
  list.alias("datepart", "extract");
  const auto add_field = [&]<Field kField>(std::string_view name) {
    list.add(name, {kDate}, kInt64, field_kernel_of_date<kField>);
    list.add(name, {kTimestamp}, kInt64, field_kernel_of_timestamp<kField>);
  };
  add_field.operator()<Field::kYear>("year");
  add_field.operator()<Field::kQuarter>("quarter");
  add_field.operator()<Field::kMonth>("month");
  add_field.operator()<Field::kWeek>("week");
  add_field.operator()<Field::kDay>("day");
  add_field.operator()<Field::kDayOfWeek>("dayofweek");
  add_field.operator()<Field::kDayOfYear>("dayofyear");
  add_field.operator()<Field::kHour>("hour");
  add_field.operator()<Field::kMinute>("minute");
  add_field.operator()<Field::kSecond>("second");
  add_field.operator()<Field::kEpoch>("epoch");
  list.add("date_trunc", {kText, kTimestamp}, kTimestamp, truncate, true);
  list.add("make_date", {kInt64, kInt64, kInt64}, kDate, make_date, true);
  list.add("+", {kDate, kInt32}, kDate, date_and_days<1>, true);
  list.add("+", {kInt32, kDate}, kDate, days_and_date, true);
  list.add("-", {kDate, kInt32}, kDate, date_and_days<-1>, true);
  list.add("-", {kDate, kDate}, kInt32, days_between);
  list.add("-", {kTimestamp, kTimestamp}, kInterval, time_between);
  list.add("+", {kTimestamp, kInterval}, kTimestamp, timestamp_and_interval<1>, true);
  list.add("-", {kTimestamp, kInterval}, kTimestamp, timestamp_and_interval<-1>, true);
  list.add("+", {kInterval, kTimestamp}, kTimestamp, interval_and_timestamp, true);
  list.add("+", {kTime, kInterval}, kTime, time_and_interval<1>);
  list.add("-", {kTime, kInterval}, kTime, time_and_interval<-1>);
  list.add("+", {kInterval, kInterval}, kInterval, add_intervals<1>);
  list.add("-", {kInterval, kInterval}, kInterval, add_intervals<-1>);
  list.add("-", {kInterval}, kInterval, negate_interval);
  list.add("*", {kInterval, kDouble}, kInterval, interval_times, true);
  list.add("*", {kDouble, kInterval}, kInterval, times_interval, true);
}

}  // namespace grappa::query
