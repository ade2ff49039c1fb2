#include "grappa/io/text/parse_number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace grappa::io {
namespace {

struct Parsed {
  bool ok;
  std::uint64_t value;
  std::size_t bytes;
};

Parsed id_of(std::string text) {
  const std::size_t size = text.size();
  text.append(16, '\0');
  const char* p = text.data();
  std::uint64_t value = 0;
  const bool ok = parse_id(p, value);
  EXPECT_LE(static_cast<std::size_t>(p - text.data()), size);
  return {ok, value, static_cast<std::size_t>(p - text.data())};
}

TEST(ParseId, NumbersOfEveryLength) {
  std::mt19937_64 random(1);
  for (int digits = 1; digits <= 19; ++digits) {
    for (int i = 0; i < 200; ++i) {
      std::string text;
      for (int d = 0; d < digits; ++d) text += static_cast<char>('0' + random() % 10);
      const std::uint64_t expected = std::stoull(text);
      for (const char* behind : {"", " ", "\t", "\n", ",", "x", "\xff", "/", ":", "\x7f", "\x80"}) {
        const Parsed parsed = id_of(text + behind + "12345678");
        if (behind[0] == '\0') continue;
        ASSERT_EQ(parsed.ok, expected <= kMaxVertexName) << text;
        if (!parsed.ok) continue;
        ASSERT_EQ(parsed.value, expected) << text;
        ASSERT_EQ(parsed.bytes, text.size()) << text;
      }
    }
  }
}

TEST(ParseId, EndOfText) {
  EXPECT_EQ(id_of("7").value, 7u);
  EXPECT_EQ(id_of("12345678").value, 12345678u);
  EXPECT_EQ(id_of("123456789012").value, 123456789012u);
}

TEST(ParseId, Limits) {
  EXPECT_EQ(id_of("9223372036854775807").value, kMaxVertexName);
  EXPECT_FALSE(id_of("9223372036854775808").ok);
  EXPECT_FALSE(id_of("18446744073709551616").ok);
  EXPECT_FALSE(id_of("00000000000000000001").ok) << "more than 19 digits";
  EXPECT_EQ(id_of("0000000000000000001").value, 1u);
}

TEST(ParseId, RefusesWhatDoesNotBeginWithADigit) {
  for (const char* text : {"", "x", "-1", "+1", " 1", "\n", "/", ":", "\xb1"}) {
    const Parsed parsed = id_of(text);
    EXPECT_FALSE(parsed.ok) << text;
    EXPECT_EQ(parsed.bytes, 0u) << text;
  }
}

double weight_of(std::string text, bool* ok) {
  const std::size_t size = text.size();
  text.append(16, '\0');
  const char* p = text.data();
  double value = 0;
  *ok = parse_weight(p, text.data() + size, value) && p == text.data() + size;
  return value;
}

TEST(ParseWeight, ReadsWhatCWrites) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const double expected =
        std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 200) - 150);
    char text[64];
    std::snprintf(text, sizeof(text), "%.17g", expected);
    bool ok = false;
    EXPECT_EQ(weight_of(text, &ok), expected);
    EXPECT_TRUE(ok) << text;
  }
}

TEST(ParseWeight, SpecialValues) {
  bool ok = false;
  EXPECT_EQ(weight_of("+2.5", &ok), 2.5);
  EXPECT_TRUE(ok);
  for (const char* text : {"nan", "-nan", "inf", "+inf", "-inf", "infinity", "", "x", "+-1", "+",
                           "-", "1e999", "--1", "1.2.3"}) {
    weight_of(text, &ok);
    EXPECT_FALSE(ok) << text;
  }
}

TEST(ParseWeight, RefusesWholeNumbersThatWouldBeRounded) {
  bool ok = false;
  EXPECT_EQ(weight_of("9007199254740992", &ok), 9007199254740992.0);
  EXPECT_TRUE(ok);
  EXPECT_EQ(weight_of("9007199254740994", &ok), 9007199254740994.0);
  EXPECT_TRUE(ok);
  weight_of("9007199254740993", &ok);
  EXPECT_FALSE(ok);
  EXPECT_EQ(weight_of("9007199254740993.0", &ok), 9007199254740992.0) << "a fraction is rounded";
  EXPECT_TRUE(ok);
  weight_of("-9007199254740993", &ok);
  EXPECT_FALSE(ok);
}

TEST(NumberIn, TellsWhatATextIs) {
  using Form = TextNumber::Form;
  for (const char* text : {"0", "-1", "+2.5", ".5", "5.", "1e300", "-4E-3"})
    EXPECT_EQ(number_in(text).form, Form::kFinite) << text;
  for (const char* text : {"nan", "-nan", "+inf", "-infinity"})
    EXPECT_EQ(number_in(text).form, Form::kNotFinite) << text;
  for (const char* text : {"1e999", "-1e999", "1e-999"})
    EXPECT_EQ(number_in(text).form, Form::kBeyondDoubles) << text;
  for (const char* text : {"", "+", "-", "+-1", "-+1", "++1", "--1", "1x", "1 ", " 1", "0x1"})
    EXPECT_EQ(number_in(text).form, Form::kNone) << text;
  EXPECT_EQ(number_in("-1.25").value, -1.25);
}

std::optional<std::int16_t> rounded_off_of(std::string_view text) {
  return rounded_off(text, number_in(text).value);
}

TEST(RoundedOff, IsWhatADoubleLacksOfAnInteger) {
  for (const char* text : {"0", "-7", "9007199254740992", "9007199254740993.0", "9.007e15"})
    EXPECT_EQ(rounded_off_of(text), 0) << text;
  EXPECT_EQ(rounded_off_of("9007199254740993"), 1);
  EXPECT_EQ(rounded_off_of("+0009007199254740995"), -1);
  EXPECT_EQ(rounded_off_of("-9007199254740993"), -1);
  EXPECT_EQ(rounded_off_of("9223372036854775807"), -1);
  EXPECT_EQ(rounded_off_of("18446744073709551615"), -1);
  EXPECT_EQ(rounded_off_of("18446744073709550592"), -1024);
}

TEST(RoundedOff, IsNothingOfWhatIsLongerAndRounded) {
  EXPECT_EQ(rounded_off_of("18446744073709551616"), 0);
  EXPECT_EQ(rounded_off_of("-0036893488147419103232"), 0);
  EXPECT_EQ(rounded_off_of("18446744073709551617"), std::nullopt);
  EXPECT_EQ(rounded_off_of("-99999999999999999999999"), std::nullopt);
}

}  // namespace
}  // namespace grappa::io
