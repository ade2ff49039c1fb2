#include "grappa/query/value_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/date_text.hpp"
#include "grappa/query/date_time.hpp"

namespace grappa::query {
namespace {

constexpr Type kTime{TypeId::kTime};
constexpr Type kInterval{TypeId::kInterval};
constexpr Type kFloat{TypeId::kFloat};

/// The text of the value that `text` is of, or "-" where it is none. A copy of exactly its bytes is
/// parsed, so that sanitizers see who reads behind it.
std::string as(std::string_view text, const Type& type) {
  const std::vector<char> copy(text.begin(), text.end());
  return with_physical(type.physical(), [&]<class T>() -> std::string {
    T value{};
    if (!parse(std::string_view(copy.data(), copy.size()), type, value)) return "-";
    std::string out;
    append_text(out, value, type);
    return out;
  });
}

TEST(ValueText, ReadsIntegersThatTheTypeHolds) {
  for (const std::string text : {"0", "7", "-1", "12345678", "123456789", "-12345678901234567",
                                 "9223372036854775807", "-9223372036854775808"})
    EXPECT_EQ(as(text, kInt64), text);
  EXPECT_EQ(as("127", {TypeId::kInt8}), "127");
  EXPECT_EQ(as("-128", {TypeId::kInt8}), "-128");
  EXPECT_EQ(as("128", {TypeId::kInt8}), "-");
  EXPECT_EQ(as("-129", {TypeId::kInt8}), "-");
  EXPECT_EQ(as("32768", {TypeId::kInt16}), "-");
  EXPECT_EQ(as("2147483647", kInt32), "2147483647");
  EXPECT_EQ(as("2147483648", kInt32), "-");
  EXPECT_EQ(as("9223372036854775808", kInt64), "-");
  EXPECT_EQ(as("-9223372036854775809", kInt64), "-");
  EXPECT_EQ(as("99999999999999999999999", kInt64), "-");
  EXPECT_EQ(as(" +0000000000000000000000012\t", kInt64), "12");
  for (const std::string text : {"", " ", "-", "+", "--1", "1-", "1.0", "1 2", "x", "0x10", "1e2"})
    EXPECT_EQ(as(text, kInt64), "-") << text;
}

TEST(ValueText, NoByteButADigitIsADigit) {
  for (std::size_t size = 1; size <= 19; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, '1');
        text[at] = static_cast<char>(byte);
        std::uint64_t value;
        EXPECT_EQ(detail::parse_digits(text.data(), size, value), byte >= '0' && byte <= '9');
      }
    }
  }
}

TEST(ValueText, DecimalsRoundHalfAwayFromZero) {
  const Type money = Type::decimal(5, 2);
  for (const auto& [text, expected] :
       std::vector<std::pair<std::string, std::string>>{{"12.5", "12.50"},
                                                        {"-0.01", "-0.01"},
                                                        {"0", "0.00"},
                                                        {".5", "0.50"},
                                                        {"5.", "5.00"},
                                                        {"1.255", "1.26"},
                                                        {"-1.255", "-1.26"},
                                                        {"1.2549999", "1.25"},
                                                        {"999.99", "999.99"},
                                                        {"999.994", "999.99"},
                                                        {"999.995", "-"},
                                                        {"1000", "-"},
                                                        {"1e2", "100.00"},
                                                        {"1.5E-1", "0.15"},
                                                        {"5e-3", "0.01"},
                                                        {"4e-3", "0.00"},
                                                        {" +1 ", "1.00"},
                                                        {"000000000000000000000001.50", "1.50"},
                                                        {"", "-"},
                                                        {".", "-"},
                                                        {"-", "-"},
                                                        {"1.2.3", "-"},
                                                        {"1e", "-"},
                                                        {"1,5", "-"},
                                                        {"0e999", "0.00"},
                                                        {"1e999", "-"},
                                                        {"-0.001", "0.00"}})
    EXPECT_EQ(as(text, money), expected) << text;
  const Type wide = Type::decimal(38, 10);
  EXPECT_EQ(as("-1234567890123456789012345678.0123456789", wide),
            "-1234567890123456789012345678.0123456789");
  EXPECT_EQ(as("99999999999999999999999999999", wide), "-");
  EXPECT_EQ(as("7", wide), "7.0000000000");
  EXPECT_EQ(as("99999999999999999999999999999999999999", Type::decimal(38, 0)),
            "99999999999999999999999999999999999999");
  EXPECT_EQ(as("100000000000000000000000000000000000000", Type::decimal(38, 0)), "-");
  EXPECT_EQ(as("999999999999999999", Type::decimal(18, 0)), "999999999999999999");
  EXPECT_EQ(as("1000000000000000000", Type::decimal(18, 0)), "-");
}

TEST(ValueText, DecimalsComeBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const int precision = 1 + static_cast<int>(random() % 38);
    const int scale = static_cast<int>(random() % static_cast<unsigned>(precision + 1));
    const Type type = Type::decimal(precision, scale);
    Int128 units =
        (Int128{static_cast<std::int64_t>(random())} << 60) ^ static_cast<std::int64_t>(random());
    units %= power_of_ten(1 + static_cast<int>(random() % static_cast<unsigned>(precision)));
    with_physical(type.physical(), [&]<class T>() {
      if constexpr (std::is_same_v<T, Int128> || std::is_same_v<T, std::int64_t>) {
        std::string text;
        append_text(text, static_cast<T>(units), type);
        T back{};
        ASSERT_TRUE(parse(text, type, back)) << text;
        EXPECT_TRUE(back == units) << text;
      }
    });
  }
}

TEST(ValueText, DoublesAreWrittenAsTheFewestDigits) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"0.1", "0.1"},
           {"17.00", "17.0"},
           {"3", "3.0"},
           {"-0.0", "-0.0"},
           {"1e15", "1000000000000000.0"},
           {"1e16", "1e+16"},
           {"0.0001", "0.0001"},
           {"1e-5", "1e-05"},
           {"+2.5", "2.5"},
           {" 1 ", "1.0"},
           {"nan", "nan"},
           {"-inf", "-inf"},
           {"Infinity", "inf"},
           {"1e400", "-"},
           {"-1e400", "-"},
           {"1e-400", "0.0"},
           {"", "-"},
           {"1x", "-"},
           {"1.2.3", "-"},
           {".", "-"},
           {"0x10", "-"},
           {"-", "-"},
           {"1e5", "100000.0"},
           {"123456789012345678", "1.2345678901234568e+17"}})
    EXPECT_EQ(as(text, kDouble), expected) << text;
  const std::string zeros(400, '0');
  EXPECT_EQ(as(fmt::format("0.{}1", zeros), kDouble), "0.0");
  EXPECT_EQ(as(fmt::format("1{}", zeros), kDouble), "-");
  EXPECT_EQ(as("0.1", kFloat), "0.1");
  EXPECT_EQ(as("1e39", kFloat), "-");
}

TEST(ValueText, DoublesComeBack) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = i % 2 == 0 ? std::bit_cast<double>(random())
                                  : static_cast<double>(random() % 1'000'000'000) / 100;
    if (std::isnan(value)) continue;
    std::string text;
    append_text(text, value, kDouble);
    double back = 0;
    ASSERT_TRUE(parse(text, kDouble, back)) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value)) << text;
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(narrow)) continue;
    text.clear();
    append_text(text, narrow, kFloat);
    float narrow_back = 0;
    ASSERT_TRUE(parse(text, kFloat, narrow_back)) << text;
    EXPECT_EQ(narrow_back, narrow);
  }
}

TEST(ValueText, ShortNumbersAreTheDoublesThatAreNearest) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    std::string text = std::to_string(random() % 1'000'000'000'000'000 >> random() % 50);
    text.insert(1 + random() % text.size(), 1, '.');
    double value = 0;
    ASSERT_TRUE(parse_double(text, value));
    EXPECT_EQ(value, std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(ValueText, Booleans) {
  for (const char* text : {"true", "TRUE", "t", "Yes", "y", "1", " true "})
    EXPECT_EQ(as(text, kBoolean), "true") << text;
  for (const char* text : {"false", "F", "no", "N", "0"}) EXPECT_EQ(as(text, kBoolean), "false");
  for (const char* text : {"", "2", "tru", "truely", "on"}) EXPECT_EQ(as(text, kBoolean), "-");
}

TEST(ValueText, Dates) {
  for (const char* text : {"1970-01-01", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31",
                           "12345-01-01", "0044-03-15 (BC)"})
    EXPECT_EQ(as(text, kDate), text);
  EXPECT_EQ(as(" 2020-1-5 ", kDate), "2020-01-05");
  for (const char* text : {"", "2023-02-29", "1900-02-29", "2024-00-01", "2024-13-01", "2024-01-00",
                           "2024-04-31", "2024-01-011", "0000-01-01", "-2024-01-01", "2024/01/01",
                           "2024-01-01x", "2024-1a-01", "99999999-01-01", "9999999-01-01"})
    EXPECT_EQ(as(text, kDate), "-") << text;
}

TEST(DateTime, DaysFollowOneAnother) {
  CivilDate date{-1000, 1, 1};
  std::int64_t days = days_from_civil(date);
  for (; date.year < 3000; ++days) {
    ASSERT_EQ(civil_from_days(days), date);
    ASSERT_EQ(days_from_civil(date), days);
    ASSERT_TRUE(is_date(date));
    if (++date.day > days_in_month(date.year, date.month)) {
      date.day = 1;
      if (++date.month > 12) date = {date.year + 1, 1, 1};
    }
  }
  EXPECT_EQ(days_from_civil({1970, 1, 1}), 0);
  EXPECT_EQ(days_from_civil({2000, 3, 1}), 11017);
}

TEST(DateTime, MonthsAreAddedWithinTheMonth) {
  const auto added = [](CivilDate date, std::int64_t months) {
    return civil_from_days(add_months(days_from_civil(date), months));
  };
  EXPECT_EQ(added({2020, 1, 31}, 1), (CivilDate{2020, 2, 29}));
  EXPECT_EQ(added({2020, 2, 29}, 12), (CivilDate{2021, 2, 28}));
  EXPECT_EQ(added({2020, 2, 29}, -12), (CivilDate{2019, 2, 28}));
  EXPECT_EQ(added({2020, 1, 15}, -1), (CivilDate{2019, 12, 15}));
  EXPECT_EQ(added({1, 1, 15}, -13), (CivilDate{-1, 12, 15}));
}

TEST(ValueText, TimesAndTimestamps) {
  EXPECT_EQ(as("10:11", kTime), "10:11:00");
  EXPECT_EQ(as("1:2:3", kTime), "01:02:03");
  EXPECT_EQ(as("23:59:59.999999", kTime), "23:59:59.999999");
  EXPECT_EQ(as("01:02:03.500", kTime), "01:02:03.5");
  EXPECT_EQ(as("24:00:00", kTime), "24:00:00");
  for (const char* text : {"", "10", "25:00", "24:00:01", "10:60", "10:00:60", "10:00:", "1:2:3:4"})
    EXPECT_EQ(as(text, kTime), "-") << text;
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"2020-01-05", "2020-01-05 00:00:00"},
           {"2020-01-05 10:11", "2020-01-05 10:11:00"},
           {"2020-01-05T10:11:12Z", "2020-01-05 10:11:12"},
           {"2020-01-05 10:11:12.25", "2020-01-05 10:11:12.25"},
           {"2020-01-05 10:11:12.0000007", "2020-01-05 10:11:12.000001"},
           {"2020-01-05 10:11:12+02", "2020-01-05 08:11:12"},
           {"2020-01-05 10:11:12-02:30", "2020-01-05 12:41:12"},
           {"2020-01-05 24:00:00", "2020-01-06 00:00:00"},
           {"2020-1-5 1:02:03", "2020-01-05 01:02:03"},
           {"1969-12-31 23:59:59.5", "1969-12-31 23:59:59.5"},
           {"0044-03-15 (BC) 10:00:00", "0044-03-15 (BC) 10:00:00"},
           {"2020-01-05 10", "-"},
           {"2020-01-05x", "-"},
           {"2020-01-0510:11", "-"},
           {"2020-02-30 10:11", "-"},
           {"2020-01-05 10:11 PM", "-"},
           {"999999-01-01", "-"}})
    EXPECT_EQ(as(text, kTimestamp), expected) << text;
}

TEST(ValueText, MomentsComeBack) {
  std::mt19937_64 random(4);
  const std::int64_t least = days_from_civil({1, 1, 1});
  const std::int64_t greatest = days_from_civil({10'000, 1, 1});
  for (int i = 0; i < 50'000; ++i) {
    const auto day = static_cast<std::int32_t>(
        std::uniform_int_distribution<std::int64_t>(least, greatest)(random));
    std::string text;
    append_text(text, day, kDate);
    std::int32_t day_back = 0;
    ASSERT_TRUE(parse(text, kDate, day_back)) << text;
    EXPECT_EQ(day_back, day);
    const std::int64_t time =
        std::uniform_int_distribution<std::int64_t>(0, kMicrosecondsPerDay - 1)(random);
    const std::int64_t moment = day * kMicrosecondsPerDay + time;
    text.clear();
    append_text(text, moment, kTimestamp);
    std::int64_t back = 0;
    ASSERT_TRUE(parse(text, kTimestamp, back)) << text;
    EXPECT_EQ(back, moment);
  }
}

TEST(ValueText, Intervals) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"3 months 2 days 04:05:06", "3 months 2 days 04:05:06"},
           {"1 year", "1 year"},
           {"-2 weeks", "-14 days"},
           {"14 months -3 days", "1 year 2 months -3 days"},
           {"1.5 seconds", "00:00:01.5"},
           {"-04:05:06.25", "-04:05:06.25"},
           {"1 month -1 second", "1 month -00:00:01"},
           {"100 hours", "100:00:00"},
           {"1.5 days", "1 day 12:00:00"},
           {"1.5 months", "1 month 15 days"},
           {"1.5 years", "1 year 6 months"},
           {"-1.5 months", "-1 month -15 days"},
           {"2 Decades", "20 years"},
           {"3 days ago", "-3 days"},
           {"1y2mon", "1 year 2 months"},
           {"0 days", "00:00:00"},
           {"250 ms", "00:00:00.25"},
           {"", "-"},
           {"3", "-"},
           {"days", "-"},
           {"3 sheep", "-"},
           {"99999999999 months", "-"},
           {"10:60", "-"}})
    EXPECT_EQ(as(text, kInterval), expected) << text;
  std::string least;
  append_text(least, Interval{.microseconds = std::numeric_limits<std::int64_t>::min()}, kInterval);
  EXPECT_EQ(least, "-2562047788:00:54.775808");
}

TEST(ValueText, IntervalsComeBack) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const Interval interval{static_cast<std::int32_t>(random() >> random() % 32),
                            static_cast<std::int32_t>(random() >> random() % 32),
                            static_cast<std::int64_t>(random() % (1ULL << 55)) - (1LL << 54)};
    std::string text;
    append_text(text, interval, kInterval);
    Interval back;
    ASSERT_TRUE(parse_interval(text, back)) << text;
    EXPECT_EQ(back.months, interval.months) << text;
    EXPECT_EQ(back.days, interval.days) << text;
    EXPECT_EQ(back.microseconds, interval.microseconds) << text;
  }
}

}  // namespace
}  // namespace grappa::query
