#include "cli/report.hpp"

#include <gtest/gtest.h>

namespace grappa::cli {
namespace {

constexpr bool kSilent = true;
constexpr bool kQuiet = true;

/// What it prints.
template <class F>
std::string printed_by(F&& work) {
  testing::internal::CaptureStdout();
  work();
  return testing::internal::GetCapturedStdout();
}

TEST(Report, SaysFactsOnceForPeopleAndPrograms) {
  Report report(!kSilent, kQuiet, 8);
  const std::string text = printed_by([&] {
    report.line("Rate", "{:.1f} M/s of {}", fact("rate", 2.25), fact("bytes", 4096, "4 KiB"));
    report.line("Ratio", "{:.2f}", fact("/ratio", 0.5));
    report.line("By", "{}\a, {}", fact("/baseline/name", std::string("mpi")), 7);
  });
  EXPECT_EQ(text, "Rate:   2.2 M/s of 4 KiB\nRatio:  0.50\nBy:     mpi\\x07, 7\n");
  report.set("checked", true);
  report.at("/trials").push_back(1);
  EXPECT_EQ(report.json().dump(),
            R"({"baseline":{"name":"mpi"},"ratio":0.5,)"
            R"("result":{"bytes":4096,"checked":true,"rate":2.25},"trials":[1]})");
}

TEST(Report, KeepsFactsWhenSilent) {
  Report report(kSilent, kQuiet);
  EXPECT_EQ(printed_by([&] {
              report.line("Size", "{}", fact("size", 3));
              Table table(report, "rows", {{"n"}, {"square"}});
              table.add(fact("n", 2), 4);
              table.write({"not", "seen"});
              table.print();
            }),
            "");
  EXPECT_EQ(report.json().dump(), R"({"result":{"rows":[{"n":2}],"size":3}})");
}

TEST(Table, IsAsWideAsItsCells) {
  Report report(!kSilent, kQuiet);
  Table table(report, "top", {{.head = "Name", .left = true}, {"Rank", "{:.2f}"}});
  EXPECT_EQ(printed_by([&] { table.print(); }), "");
  EXPECT_EQ(report.json()["result"]["top"], nlohmann::json::array());
  const std::string text = printed_by([&] {
    table.add(fact("vertex", 1, "first"), fact("rank", 0.25));
    table.add(fact("vertex", 2, "b"), fact("rank", 12.5))["more"] = true;
    table.print();
  });
  EXPECT_EQ(text, "\n  Name    Rank\n  first   0.25\n  b      12.50\n");
  EXPECT_EQ(report.json()["result"]["top"].dump(),
            R"([{"rank":0.25,"vertex":1},{"more":true,"rank":12.5,"vertex":2}])");
}

TEST(Table, ShowsControlCharactersAndDoesNotFollowTheLongestCell) {
  Report report(!kSilent, kQuiet);
  Table table(report, "top", {{.head = "Word", .left = true}, {"Count"}});
  const std::string lengthy(100, 'x');
  const std::string text = printed_by([&] {
    table.add(fact("word", "a\033[2J"), fact("count", 1));
    table.add(fact("word", lengthy), fact("count", 2));
    table.print();
  });
  EXPECT_EQ(text, "\n  Word" + std::string(36, ' ') + "  Count\n  a\\x1b[2J" +
                      std::string(32, ' ') + "      1\n  " + lengthy + "      2\n");
  EXPECT_EQ(report.json()["result"]["top"][0]["word"], "a\033[2J");
}

TEST(Table, PrintsEachRowAtOnceWhereAllColumnsHaveWidths) {
  Report report(!kSilent, kQuiet);
  Table table(report, "", {{.head = "n", .width = 3}, {.head = "square", .width = 2}});
  EXPECT_EQ(printed_by([&] { table.add(1, 1); }), "\n    n  square\n    1       1\n");
  EXPECT_EQ(printed_by([&] { table.write({"-", "-"}); }), "    -       -\n");
  EXPECT_EQ(printed_by([&] { table.print(); }), "");
  EXPECT_EQ(report.json(), nlohmann::json::object());
}

TEST(FormatSeconds, HasThreeDigits) {
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_seconds(1.234), "1.23 s");
  EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
}

}  // namespace
}  // namespace grappa::cli
