// Functions of dates, times and intervals.

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "grappa/query/date_time.hpp"
#include "grappa/query/expression/date_fields.hpp"
#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/kernels.hpp"

namespace grappa::query {
namespace {

constexpr Type kTime{TypeId::kTime};
constexpr Type kInterval{TypeId::kInterval};

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
