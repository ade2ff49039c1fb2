#include "grappa/query/date_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/date_time.hpp"
#include "grappa/query/number_text.hpp"

namespace grappa::query {
namespace {

/// Takes a text apart from its beginning.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool at_digit() const { return !text_.empty() && io::is_digit(text_.front()); }
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  /// `least` digits or more; false where there are more than `most`.
  bool take_digits(std::size_t least, std::size_t most, std::int64_t& value) {
    const std::size_t size = count_digits();
    std::uint64_t digits;
    if (size < least || size > most || !detail::parse_digits(text_.data(), size, digits))
      return false;
    text_.remove_prefix(size);
    value = static_cast<std::int64_t>(digits);
    return true;
  }
  /// Digits behind a point, as so many parts of one; what is less is rounded. 0 for none.
  std::int64_t take_fraction(std::int64_t parts) {
    std::int64_t value = 0;
    for (; at_digit(); text_.remove_prefix(1)) {
      const int digit = text_.front() - '0';
      if (parts == 1) value += digit >= 5 ? 1 : 0;
      parts /= 10;
      value += digit * parts;
    }
    return value;
  }
  std::string_view take_letters() {
    const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
    const auto size =
        static_cast<std::size_t>(std::ranges::find_if_not(text_, is_letter) - text_.begin());
    const std::string_view letters = text_.substr(0, size);
    text_.remove_prefix(size);
    return letters;
  }
  std::string_view rest() const { return text_; }

 private:
  std::size_t count_digits() const {
    return static_cast<std::size_t>(std::ranges::find_if_not(text_, io::is_digit) - text_.begin());
  }

  std::string_view text_;
};

constexpr std::size_t kMostYearDigits = 7;

bool take_date(Cursor& cursor, std::int64_t& days) {
  CivilDate date{};
  std::int64_t month;
  std::int64_t day;
  if (!cursor.take_digits(1, kMostYearDigits, date.year) || !cursor.take('-') ||
      !cursor.take_digits(1, 2, month) || !cursor.take('-') || !cursor.take_digits(1, 2, day))
    return false;
  date.month = static_cast<int>(month);
  date.day = static_cast<int>(day);
  if (date.year == 0) return false;
  if (cursor.take(std::string_view(" (BC)"))) date.year = 1 - date.year;
  if (!is_date(date)) return false;
  days = days_from_civil(date);
  return true;
}

/// HH:MM[:SS[.ffffff]] with hours of any number.
bool take_clock(Cursor& cursor, std::size_t most_hour_digits, std::int64_t& microseconds) {
  std::int64_t hours;
  std::int64_t minutes;
  std::int64_t seconds = 0;
  std::int64_t fraction = 0;
  if (!cursor.take_digits(1, most_hour_digits, hours) || !cursor.take(':') ||
      !cursor.take_digits(1, 2, minutes) || minutes >= 60)
    return false;
  if (cursor.take(':')) {
    if (!cursor.take_digits(1, 2, seconds) || seconds >= 60) return false;
    if (cursor.take('.')) fraction = cursor.take_fraction(kMicrosecondsPerSecond);
  }
  microseconds = hours * kMicrosecondsPerHour + minutes * kMicrosecondsPerMinute +
                 seconds * kMicrosecondsPerSecond + fraction;
  return true;
}

bool take_time(Cursor& cursor, std::int64_t& microseconds) {
  std::int64_t clock;
  if (!take_clock(cursor, 2, clock) || clock > kMicrosecondsPerDay) return false;
  microseconds = clock;
  return true;
}

/// Z, or the hours and minutes by which the clock is ahead of UTC; or nothing.
bool take_offset(Cursor& cursor, std::int64_t& microseconds) {
  microseconds = 0;
  if (cursor.take('Z') || cursor.at_end()) return true;
  const bool is_behind = cursor.take('-');
  if (!is_behind && !cursor.take('+')) return false;
  std::int64_t hours;
  std::int64_t minutes = 0;
  if (!cursor.take_digits(2, 2, hours) || hours > 15) return false;
  if (cursor.take(':') || cursor.at_digit()) {
    if (!cursor.take_digits(2, 2, minutes) || minutes >= 60) return false;
  }
  microseconds = hours * kMicrosecondsPerHour + minutes * kMicrosecondsPerMinute;
  if (is_behind) microseconds = -microseconds;
  return true;
}

/// YYYY-MM-DD of these ten bytes.
bool parse_common_date(const char* text, std::int32_t& days) {
  using detail::load_word;
  const std::uint64_t digits =
      (load_word<std::uint32_t>(text) | load_word<std::uint16_t>(text + 5) << 32 |
       load_word<std::uint16_t>(text + 8) << 48) ^
      detail::kZeroDigits;
  if (text[4] != '-' || text[7] != '-' || !detail::are_digits(digits)) return false;
  const auto number = static_cast<std::uint32_t>(io::detail::join_eight_digits(digits));
  const CivilDate date{number / 10000, static_cast<int>(number / 100 % 100),
                       static_cast<int>(number % 100)};
  if (date.year == 0 || !is_date(date)) return false;
  days = static_cast<std::int32_t>(days_from_civil(date));
  return true;
}

struct IntervalUnit {
  std::string_view name;  // or with an s
  std::int64_t months;
  std::int64_t days;
  std::int64_t microseconds;
};
constexpr std::array kUnits{
    IntervalUnit{"us", 0, 0, 1},
    IntervalUnit{"microsecond", 0, 0, 1},
    IntervalUnit{"usec", 0, 0, 1},
    IntervalUnit{"ms", 0, 0, 1000},
    IntervalUnit{"millisecond", 0, 0, 1000},
    IntervalUnit{"msec", 0, 0, 1000},
    IntervalUnit{"s", 0, 0, kMicrosecondsPerSecond},
    IntervalUnit{"sec", 0, 0, kMicrosecondsPerSecond},
    IntervalUnit{"second", 0, 0, kMicrosecondsPerSecond},
    IntervalUnit{"m", 0, 0, kMicrosecondsPerMinute},
    IntervalUnit{"min", 0, 0, kMicrosecondsPerMinute},
    IntervalUnit{"minute", 0, 0, kMicrosecondsPerMinute},
    IntervalUnit{"h", 0, 0, kMicrosecondsPerHour},
    IntervalUnit{"hr", 0, 0, kMicrosecondsPerHour},
    IntervalUnit{"hour", 0, 0, kMicrosecondsPerHour},
    IntervalUnit{"d", 0, 1, 0},
    IntervalUnit{"day", 0, 1, 0},
    IntervalUnit{"w", 0, 7, 0},
    IntervalUnit{"week", 0, 7, 0},
    IntervalUnit{"mon", 1, 0, 0},
    IntervalUnit{"month", 1, 0, 0},
    IntervalUnit{"quarter", 3, 0, 0},
    IntervalUnit{"y", 12, 0, 0},
    IntervalUnit{"yr", 12, 0, 0},
    IntervalUnit{"year", 12, 0, 0},
    IntervalUnit{"decade", 120, 0, 0},
    IntervalUnit{"century", 1200, 0, 0},
    IntervalUnit{"centurie", 1200, 0, 0},
    IntervalUnit{"millennium", 12000, 0, 0},
};

const IntervalUnit* unit_named(std::string_view name) {
  const std::string small = io::lower(name);
  std::string_view singular = small;
  const auto* found = std::ranges::find(kUnits, singular, &IntervalUnit::name);
  if (found == kUnits.end() && singular.ends_with('s')) {
    singular.remove_suffix(1);
    found = std::ranges::find(kUnits, singular, &IntervalUnit::name);
  }
  return found == kUnits.end() ? nullptr : found;
}

/// Sums of intervals, with room for what is out of range before it is refused.
struct WideInterval {
  Int128 months = 0;
  Int128 days = 0;
  Int128 microseconds = 0;

  /// `whole` and so many billionths. What is less than a month is days of 30 to the month, what is
  /// less than a day is time.
  void add(const IntervalUnit& unit, std::int64_t whole, std::int64_t billionths, int sign) {
    constexpr Int128 kBillion = 1'000'000'000;
    const Int128 amount = (Int128{whole} * kBillion + billionths) * sign;
    const Int128 month_parts = amount * unit.months;
    const Int128 day_parts = month_parts % kBillion * 30 + amount * unit.days;
    const Int128 time_parts =
        day_parts % kBillion * kMicrosecondsPerDay + amount * unit.microseconds;
    months += month_parts / kBillion;
    days += day_parts / kBillion;
    microseconds += (time_parts + sign * kBillion / 2) / kBillion;
  }
  std::optional<Interval> narrow(int sign) const {
    const Interval interval{static_cast<std::int32_t>(months * sign),
                            static_cast<std::int32_t>(days * sign),
                            static_cast<std::int64_t>(microseconds * sign)};
    if (interval.months != months * sign || interval.days != days * sign ||
        interval.microseconds != microseconds * sign)
      return std::nullopt;
    return interval;
  }
};

bool take_interval_part(Cursor& cursor, WideInterval& sum) {
  const int sign = cursor.take('-') ? -1 : 1;
  if (sign == 1) cursor.take('+');
  Cursor as_clock = cursor;
  std::int64_t clock;
  if (take_clock(as_clock, 8, clock)) {
    cursor = as_clock;
    sum.microseconds += sign * clock;
    return true;
  }
  std::int64_t whole;
  std::int64_t billionths = 0;
  if (!cursor.take_digits(1, 18, whole)) return false;
  if (cursor.take('.')) billionths = cursor.take_fraction(1'000'000'000);
  cursor.skip_blanks();
  const IntervalUnit* const unit = unit_named(cursor.take_letters());
  if (unit == nullptr) return false;
  sum.add(*unit, whole, billionths, sign);
  return true;
}

}  // namespace

bool parse_date(std::string_view text, std::int32_t& days) {
  if (text.size() == 10 && parse_common_date(text.data(), days)) return true;
  Cursor cursor(io::trimmed(text));
  std::int64_t parsed;
  if (!take_date(cursor, parsed) || !cursor.at_end() || parsed != static_cast<std::int32_t>(parsed))
    return false;
  days = static_cast<std::int32_t>(parsed);
  return true;
}

bool parse_time(std::string_view text, std::int64_t& microseconds) {
  Cursor cursor(io::trimmed(text));
  std::int64_t time;
  if (!take_time(cursor, time) || !cursor.at_end()) return false;
  microseconds = time;
  return true;
}

bool parse_timestamp(std::string_view text, std::int64_t& microseconds) {
  text = io::trimmed(text);
  std::int64_t days = 0;
  std::int32_t common;
  Cursor cursor(text);
  if (text.size() >= 10 && parse_common_date(text.data(), common) &&
      !text.substr(10).starts_with(" (")) {
    days = common;
    cursor = Cursor(text.substr(10));
  } else if (!take_date(cursor, days)) {
    return false;
  }
  std::int64_t time = 0;
  std::int64_t offset = 0;
  if (!cursor.at_end()) {
    if ((!cursor.take(' ') && !cursor.take('T')) || !take_time(cursor, time) ||
        !take_offset(cursor, offset) || !cursor.at_end())
      return false;
  }
  const Int128 sum = Int128{days} * kMicrosecondsPerDay + time - offset;
  const auto narrow = static_cast<std::int64_t>(sum);
  if (narrow != sum) return false;
  microseconds = narrow;
  return true;
}

bool parse_interval(std::string_view text, Interval& interval) {
  Cursor cursor(io::trimmed(text));
  if (cursor.at_end()) return false;
  WideInterval sum;
  int sign = 1;
  while (!cursor.at_end()) {
    if (!take_interval_part(cursor, sum)) return false;
    cursor.skip_blanks();
    if (io::lower(cursor.rest()) == "ago") {
      sign = -1;
      break;
    }
  }
  const std::optional<Interval> narrow = sum.narrow(sign);
  if (!narrow) return false;
  interval = *narrow;
  return true;
}

void append_date(std::string& out, std::int64_t days) {
  const CivilDate date = civil_from_days(days);
  append_padded(out, date.year > 0 ? date.year : 1 - date.year, 4);
  out += '-';
  append_padded(out, date.month, 2);
  out += '-';
  append_padded(out, date.day, 2);
  if (date.year <= 0) out += " (BC)";
}

void append_time(std::string& out, std::int64_t microseconds) {
  append_padded(out, microseconds / kMicrosecondsPerHour, 2);
  out += ':';
  append_padded(out, microseconds / kMicrosecondsPerMinute % 60, 2);
  out += ':';
  append_padded(out, microseconds / kMicrosecondsPerSecond % 60, 2);
  const std::int64_t fraction = microseconds % kMicrosecondsPerSecond;
  if (fraction == 0) return;
  out += '.';
  append_padded(out, fraction, 6);
  out.resize(out.find_last_not_of('0') + 1);
}

void append_interval(std::string& out, const Interval& interval) {
  const std::size_t begin = out.size();
  const auto append_part = [&](std::int64_t value, std::string_view unit) {
    if (value == 0) return;
    fmt::format_to(std::back_inserter(out), "{}{} {}{}", out.size() == begin ? "" : " ", value,
                   unit, value == 1 || value == -1 ? "" : "s");
  };
  append_part(interval.months / 12, "year");
  append_part(interval.months % 12, "month");
  append_part(interval.days, "day");
  if (interval.microseconds == 0 && out.size() != begin) return;
  if (out.size() != begin) out += ' ';
  if (interval.microseconds < 0) out += '-';
  // The least of all has no opposite.
  const auto magnitude = interval.microseconds < 0
                             ? 0 - static_cast<std::uint64_t>(interval.microseconds)
                             : static_cast<std::uint64_t>(interval.microseconds);
  constexpr auto kHour = static_cast<std::uint64_t>(kMicrosecondsPerHour);
  append_padded(out, static_cast<std::int64_t>(magnitude / kHour), 2);
  std::string below_hours;
  append_time(below_hours, static_cast<std::int64_t>(magnitude % kHour));
  out.append(below_hours, 2);
}

}  // namespace grappa::query
