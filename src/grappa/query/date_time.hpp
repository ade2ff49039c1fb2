#pragma once

// Days of the proleptic Gregorian calendar, and what is counted in them.
//
//   days_from_civil({1970, 1, 1}) == 0;
//   civil_from_days(19'000).year == 2022;
//   add_months(days_from_civil({2020, 1, 31}), 1) == days_from_civil({2020, 2, 29});
//
// Year 0 is the year before year 1. The algorithms are H. Hinnant's ("chrono-Compatible Low-Level
// Date Algorithms"): years begin with March, so that the day that some years have more is the last.

#include <algorithm>
#include <cstdint>

namespace grappa::query {

inline constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosecondsPerMinute = 60 * kMicrosecondsPerSecond;
inline constexpr std::int64_t kMicrosecondsPerHour = 60 * kMicrosecondsPerMinute;
inline constexpr std::int64_t kMicrosecondsPerDay = 24 * kMicrosecondsPerHour;

struct CivilDate {
  std::int64_t year;
  int month;  // 1 … 12
  int day;    // 1 … 31

  friend bool operator==(const CivilDate&, const CivilDate&) = default;
};

constexpr bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr int days_in_month(std::int64_t year, int month) {
  if (month == 2) return is_leap_year(year) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);  // July and August have 31
}

constexpr bool is_date(const CivilDate& date) {
  return date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_in_month(date.year, date.month);
}

/// Days since 1970-01-01.
constexpr std::int64_t days_from_civil(const CivilDate& date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month_from_march = date.month + (date.month > 2 ? -3 : 9);
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

constexpr CivilDate civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int month =
      static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1)};
}

/// So many months later, or earlier, on the same day of the month; or on its last day where it has
/// no such day.
constexpr std::int64_t add_months(std::int64_t days, std::int64_t months) {
  const CivilDate date = civil_from_days(days);
  const std::int64_t month = date.year * 12 + (date.month - 1) + months;
  const std::int64_t year = (month >= 0 ? month : month - 11) / 12;
  const int month_of_year = static_cast<int>(month - year * 12) + 1;
  return days_from_civil(
      {year, month_of_year, std::min(date.day, days_in_month(year, month_of_year))});
}

/// The day that a timestamp is on, and the microseconds since its midnight.
struct DayAndTime {
  std::int64_t day;
  std::int64_t time;
};
constexpr DayAndTime day_and_time(std::int64_t timestamp) {
  const std::int64_t day = timestamp / kMicrosecondsPerDay;
  const std::int64_t time = timestamp % kMicrosecondsPerDay;
  return time < 0 ? DayAndTime{day - 1, time + kMicrosecondsPerDay} : DayAndTime{day, time};
}

}  // namespace grappa::query
