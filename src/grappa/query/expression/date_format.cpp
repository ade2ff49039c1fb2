#include "grappa/query/expression/date_format.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <span>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/date_time.hpp"
#include "grappa/query/expression/calendar_names.hpp"
#include "grappa/query/expression/date_fields.hpp"
#include "grappa/query/expression/function.hpp"

namespace grappa::query {
namespace {

[[noreturn]] void refuse_part(std::string_view specifier) {
  throw QueryError(fmt::format("%{} is no part of a date's format", specifier));
}

/// Takes a format apart.
class Format {
 public:
  explicit Format(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  /// The next character; of a part of the date its letter.
  char take() {
    is_part_ = rest_.front() == '%';
    pads_ = true;
    if (!is_part_) return take_byte();
    take_byte();
    if (rest_.starts_with('-')) {
      take_byte();
      pads_ = false;
    }
    if (rest_.empty()) refuse_part("");
    is_part_ = rest_.front() != '%';
    return take_byte();
  }
  bool is_part() const { return is_part_; }
  /// Whether zeros are in front of its number.
  bool pads() const { return pads_; }

 private:
  char take_byte() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  bool is_part_ = false;
  bool pads_ = true;
};

std::int64_t hour_of_twelve(std::int64_t hour) { return (hour + 11) % 12 + 1; }

class FormatWriter {
 public:
  FormatWriter(std::string& out, std::int64_t timestamp)
      : out_(out), at_(day_and_time(timestamp)), date_(civil_from_days(at_.day)) {}

  void write(std::string_view text) {
    for (Format format(text); !format.at_end();) {
      const char c = format.take();
      if (format.is_part())
        part(c, format.pads());
      else
        out_ += c;
    }
  }

 private:
  void number(std::int64_t value, int digits) {
    fmt::format_to(std::back_inserter(out_), "{:0{}}", value, digits);
  }
  std::int64_t of_time(Field field) const { return field_of_time(field, at_.time); }
  std::int64_t of_day(Field field) const { return field_of_day(field, at_.day); }

  void part(char letter, bool pads) {
    const int two = pads ? 2 : 1;
    const std::int64_t day_of_year = of_day(Field::kDayOfYear) - 1;
    const std::int64_t day_of_week = of_day(Field::kDayOfWeek);
    const std::string_view day_name = kDayNames[static_cast<std::size_t>(day_of_week)];
    const std::string_view month_name = kMonthNames[static_cast<std::size_t>(date_.month - 1)];
    switch (letter) {
      case 'Y':
        return number(date_.year, pads ? 4 : 1);
      case 'y':
        return number((date_.year % 100 + 100) % 100, two);
      case 'm':
        return number(date_.month, two);
      case 'd':
        return number(date_.day, two);
      case 'j':
        return number(day_of_year + 1, pads ? 3 : 1);
      case 'B':
        out_ += month_name;
        return;
      case 'b':
        out_ += month_name.substr(0, 3);
        return;
      case 'A':
        out_ += day_name;
        return;
      case 'a':
        out_ += day_name.substr(0, 3);
        return;
      case 'H':
        return number(of_time(Field::kHour), two);
      case 'I':
        return number(hour_of_twelve(of_time(Field::kHour)), two);
      case 'p':
        out_ += of_time(Field::kHour) < 12 ? "AM" : "PM";
        return;
      case 'M':
        return number(of_time(Field::kMinute), two);
      case 'S':
        return number(of_time(Field::kSecond), two);
      case 'f':
        return number(at_.time % kMicrosecondsPerSecond, 6);
      case 'g':
        return number(at_.time % kMicrosecondsPerSecond / 1000, 3);
      case 'n':
        return number(at_.time % kMicrosecondsPerSecond * 1000, 9);
      case 'u':
        return number(of_day(Field::kIsoDayOfWeek), 1);
      case 'w':
        return number(day_of_week, 1);
      case 'U':
        return number((day_of_year + 7 - day_of_week) / 7, two);
      case 'W':
        return number((day_of_year + 7 - (day_of_week + 6) % 7) / 7, two);
      case 'V':
        return number(of_day(Field::kWeek), two);
      case 'G':
        return number(of_day(Field::kIsoYear), 4);
      case 'c':
        return write("%Y-%m-%d %H:%M:%S");
      case 'x':
        return write("%Y-%m-%d");
      case 'X':
        return write("%H:%M:%S");
      default:
        refuse_part({&letter, 1});
    }
  }

  std::string& out_;
  DayAndTime at_;
  CivilDate date_;
};

class FormatReader {
 public:
  explicit FormatReader(std::string_view text) : rest_(text) {}

  bool read(std::string_view text) {
    for (Format format(text); !format.at_end();) {
      const char c = format.take();
      if (format.is_part() ? !part(c) : !literal(c)) return false;
    }
    return rest_.empty();
  }

  bool timestamp(std::int64_t& to) const {
    const bool is_twelve = afternoon_ >= 0;
    if (!is_date(date_) || hour_ > 23 || minute_ > 59 || second_ > 59) return false;
    if (is_twelve && (hour_ < 1 || hour_ > 12)) return false;
    const std::int64_t hour = is_twelve ? hour_ % 12 + 12 * afternoon_ : hour_;
    const std::int64_t first = days_from_civil({date_.year, 1, 1});
    if (day_of_year_ > (is_leap_year(date_.year) ? 366 : 365)) return false;
    const std::int64_t day = day_of_year_ > 0 ? first + day_of_year_ - 1 : days_from_civil(date_);
    to = day * kMicrosecondsPerDay + hour * kMicrosecondsPerHour +
         minute_ * kMicrosecondsPerMinute + second_ * kMicrosecondsPerSecond + microseconds_;
    return true;
  }

 private:
  bool literal(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// Of one to so many digits.
  template <class T>
  bool number(std::size_t most, T& value) {
    std::size_t digits = 0;
    std::int64_t found = 0;
    for (; digits < most && digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9';
         ++digits)
      found = found * 10 + (rest_[digits] - '0');
    rest_.remove_prefix(digits);
    value = static_cast<T>(found);
    return digits > 0;
  }
  /// Parts of a second: so many digits at most, and as many as are not there are zero.
  bool fraction(std::size_t most) {
    const std::size_t before = rest_.size();
    if (!number(most, microseconds_)) return false;
    for (std::size_t digits = before - rest_.size(); digits < 6; ++digits) microseconds_ *= 10;
    for (std::size_t digits = before - rest_.size(); digits > 6; --digits) microseconds_ /= 10;
    return true;
  }
  /// One of the names, or so many of its letters; its place.
  bool name(std::span<const std::string_view> names, std::size_t letters, int& place) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string_view wanted = names[i].substr(0, letters);
      if (io::lower(rest_.substr(0, wanted.size())) != io::lower(wanted)) continue;
      rest_.remove_prefix(wanted.size());
      place = static_cast<int>(i);
      return true;
    }
    return false;
  }
  bool month_name(std::size_t letters) {
    if (!name(kMonthNames, letters, date_.month)) return false;
    ++date_.month;
    return true;
  }

  bool part(char letter) {
    constexpr std::size_t kAll = std::string_view::npos;
    constexpr std::array<std::string_view, 2> kHalves{"AM", "PM"};
    int unused;
    switch (letter) {
      case 'Y':
        return number(4, date_.year);
      case 'y':
        if (!number(2, date_.year)) return false;
        date_.year += date_.year < 69 ? 2000 : 1900;
        return true;
      case 'm':
        return number(2, date_.month);
      case 'd':
        return number(2, date_.day);
      case 'j':
        return number(3, day_of_year_) && day_of_year_ > 0;
      case 'B':
        return month_name(kAll);
      case 'b':
        return month_name(3);
      case 'A':
        return name(kDayNames, kAll, unused);
      case 'a':
        return name(kDayNames, 3, unused);
      case 'H':
      case 'I':
        return number(2, hour_);
      case 'p':
        return name(kHalves, kAll, afternoon_);
      case 'M':
        return number(2, minute_);
      case 'S':
        return number(2, second_);
      case 'f':
        return fraction(6);
      case 'g':
        return fraction(3);
      case 'n':
        return fraction(9);
      default:
        refuse_part({&letter, 1});
    }
  }

  std::string_view rest_;
  CivilDate date_{1900, 1, 1};
  int day_of_year_ = 0;  // 0: not given
  int afternoon_ = -1;   // 0 or 1 where that is given
  std::int64_t hour_ = 0;
  std::int64_t minute_ = 0;
  std::int64_t second_ = 0;
  std::int64_t microseconds_ = 0;
};

}  // namespace

void append_formatted(std::string& out, std::string_view format, std::int64_t timestamp) {
  FormatWriter(out, timestamp).write(format);
}

bool parse_formatted(std::string_view text, std::string_view format, std::int64_t& timestamp) {
  FormatReader reader(text);
  return reader.read(format) && reader.timestamp(timestamp);
}

}  // namespace grappa::query
