#include "grappa/base/text_values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace grappa::internal {
namespace {

TEST(ParseSize, KnowsBinaryUnits) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("17B"), 17u);
  EXPECT_EQ(parse_size("64KiB"), 65536u);
  EXPECT_EQ(parse_size("16 MiB"), 16u << 20);
  EXPECT_EQ(parse_size("2gib"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_size("1.5TiB"), std::uint64_t{3} << 39);
  EXPECT_EQ(parse_size("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(ParseSize, RefusesWhatIsNotExactlyOneSize) {
  for (const char* text :
       {"", " ", "KiB", "-1", "+1", "1e3", "64KB", "64 k", "4096x", "1.5", "1.5B", "0x10", " 1",
        "1 ", "1  KiB", "1.2.3KiB", ".KiB", "nan", "inf"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(ParseSize, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parse_size("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_size("16777216TiB"), std::nullopt);
  EXPECT_EQ(parse_size("16777216.5TiB"), std::nullopt);
  EXPECT_EQ(parse_size("16777215TiB"), std::uint64_t{16777215} << 40);
}

TEST(ParseDuration, IsInNanoseconds) {
  EXPECT_EQ(parse_duration_ns("500ns"), 500u);
  EXPECT_EQ(parse_duration_ns("20us"), 20'000u);
  EXPECT_EQ(parse_duration_ns("1.5 ms"), 1'500'000u);
  EXPECT_EQ(parse_duration_ns("2S"), 2'000'000'000u);
}

// "--flush 5": nobody knows five what.
TEST(ParseDuration, NeedsAUnitExceptForZero) {
  EXPECT_EQ(parse_duration_ns("0"), 0u);
  EXPECT_EQ(parse_duration_ns("5"), std::nullopt);
  EXPECT_EQ(parse_duration_ns("5min"), std::nullopt);
  EXPECT_EQ(parse_duration_ns(""), std::nullopt);
  EXPECT_EQ(parse_duration_ns("-1ms"), std::nullopt);
}

TEST(ParseSwitch, KnowsTheUsualWords) {
  for (const char* text : {"on", "true", "yes", "1", "ON", "True"}) {
    EXPECT_EQ(parse_switch(text), true) << text;
  }
  for (const char* text : {"off", "false", "no", "0", "OFF"}) {
    EXPECT_EQ(parse_switch(text), false) << text;
  }
  for (const char* text : {"", "2", "onn", "y"})
    EXPECT_EQ(parse_switch(text), std::nullopt) << text;
}

TEST(ParseNumber, TakesTheWholeText) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("12a"), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_number("0.25"), 0.25);
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("inf"), std::nullopt);
  EXPECT_EQ(parse_number("nan"), std::nullopt);
  EXPECT_EQ(parse_number("1,5"), std::nullopt);
}

TEST(FormatBytes, PicksAReadableUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(65536), "64 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes((1u << 20) - 1), "1 MiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16 EiB");
}

TEST(NearestName, CountsSmallSlips) {
  constexpr std::array<std::string_view, 4> kNames = {"cores", "locales", "chunk-size",
                                                      "stack-size"};
  EXPECT_EQ(nearest_name("coers", kNames), "cores");
  EXPECT_EQ(nearest_name("core", kNames), "cores");
  EXPECT_EQ(nearest_name("locale", kNames), "locales");
  EXPECT_EQ(nearest_name("stacksize", kNames), "stack-size");
  EXPECT_EQ(nearest_name("", kNames), "cores");
}

TEST(NearestHint, SaysWhatWasMeantOrNothing) {
  constexpr std::array<std::string_view, 6> kNames = {"json",  "seed",       "source",
                                                      "stats", "stats-json", "cc"};
  EXPECT_EQ(nearest_hint("sou", kNames, "--"), "; the nearest is --source");
  EXPECT_EQ(nearest_hint("sta", kNames), "; the nearest is stats");
  EXPECT_EQ(nearest_hint("stats-", kNames), "; the nearest is stats-json");
  EXPECT_EQ(nearest_hint("soruce", kNames), "; the nearest is source");
  EXPECT_EQ(nearest_hint("sede", kNames), "; the nearest is seed");
  for (const char* text : {"", "s", "x", "cx", "foo", "jxxn"}) {
    EXPECT_EQ(nearest_hint(text, kNames), "") << text;
  }
}

TEST(IsNear, AllowsMoreSlipsInLongerNames) {
  EXPECT_TRUE(is_near("CORS", "CORES"));
  EXPECT_TRUE(is_near("STAKCSIZE", "STACK_SIZE"));
  EXPECT_FALSE(is_near("HOME", "ROUTE"));
  EXPECT_FALSE(is_near("PREFIX", "PREFETCH"));
  EXPECT_FALSE(is_near("BIN", "PIN"));
  EXPECT_FALSE(is_near("", "PIN"));
}

}  // namespace
}  // namespace grappa::internal
