#include "grappa/query/io/row_writer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grappa/query/column_builder.hpp"
#include "grappa/query/io/display_width.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {
namespace {

using Texts = std::vector<std::optional<std::string>>;
using MakeWriter = std::function<std::unique_ptr<RowWriter>(TextSink)>;

struct Given {
  std::string name;
  Type type;
  Texts values;
};

/// What a writer makes of columns, in batches of two rows of which the second is not selected.
std::string written(const std::vector<Given>& columns, const MakeWriter& make) {
  std::string out;
  const auto writer = make([&](std::string_view text) { out += text; });
  std::vector<std::string> names;
  std::vector<Type> types;
  for (const Given& column : columns) {
    names.push_back(column.name);
    types.push_back(column.type);
  }
  writer->begin(names, types);
  for (std::size_t row = 0; row < columns[0].values.size(); ++row) {
    const Position first = 0;
    std::vector<ColumnBlock> blocks;
    Batch batch{.rows = 2, .count = 1, .selection = &first, .columns = {}};
    for (const Given& column : columns) {
      ColumnBuilder builder(column.type);
      with_physical(column.type.physical(), [&]<class T>() {
        T value{};
        if (!column.values[row]) {
          builder.append_null();
        } else {
          ASSERT_TRUE(parse(*column.values[row], column.type, value));
          builder.append(value);
        }
        builder.append(value);
      });
      blocks.push_back(builder.finish());
    }
    for (const ColumnBlock& block : blocks) batch.columns.push_back(block.vector(0));
    writer->rows(batch);
  }
  writer->end();
  return out;
}

const std::vector<Given> kSome{{"id", kInt64, {"1", "-2", std::nullopt}},
                               {"na,me", kText, {"a \"b\", c\nd", "", std::nullopt}},
                               {"price", Type::decimal(10, 2), {"1.5", std::nullopt, "0"}},
                               {"x", kDouble, {"0.1", "nan", "1e300"}},
                               {"day", kDate, {"2024-02-29", std::nullopt, "0001-01-01"}},
                               {"ok", kBoolean, {"true", "false", std::nullopt}}};

TEST(RowWriter, Csv) {
  EXPECT_EQ(written(kSome, [](TextSink sink) { return csv_writer(std::move(sink)); }),
            "id,\"na,me\",price,x,day,ok\n"
            "1,\"a \"\"b\"\", c\nd\",1.50,0.1,2024-02-29,true\n"
            "-2,\"\",,nan,,false\n"
            ",,0.00,1e+300,0001-01-01,\n");
  EXPECT_EQ(written({{"a", kInt64, {"-1"}}, {"b", kText, {"x,y"}}},
                    [](TextSink sink) {
                      return csv_writer(std::move(sink), {.delimiter = '-', .header = false});
                    }),
            "\"-1\"-x,y\n");
  EXPECT_EQ(written({{"a", kInt64, {"1", "0", std::nullopt}}, {"b", kText, {"it's", "", "it\\'s"}}},
                    [](TextSink sink) {
                      return csv_writer(std::move(sink),
                                        {.quote = '\'', .escape = '\\', .null_text = "0"});
                    }),
            "a,b\n1,'it\\'s'\n'0',''\n0,'it\\\\\\'s'\n");
}

TEST(RowWriter, Json) {
  const std::string lines =
      "{\"id\":1,\"na,me\":\"a \\\"b\\\", c\\nd\",\"price\":1.50,\"x\":0.1,"
      "\"day\":\"2024-02-29\",\"ok\":true}\n"
      "{\"id\":-2,\"na,me\":\"\",\"price\":null,\"x\":\"nan\",\"day\":null,"
      "\"ok\":false}\n"
      "{\"id\":null,\"na,me\":null,\"price\":0.00,\"x\":1e+300,"
      "\"day\":\"0001-01-01\",\"ok\":null}\n";
  EXPECT_EQ(written(kSome, json_lines_writer), lines);
  const auto array = nlohmann::json::parse(written(kSome, json_array_writer));
  ASSERT_EQ(array.size(), 3U);
  EXPECT_EQ(array[0]["na,me"], "a \"b\", c\nd");
  EXPECT_EQ(nlohmann::json::parse(written({{"a", kText, {}}}, json_array_writer)).size(), 0U);
  std::string every;
  for (char c = 1; c < 0x7f; ++c) every += c;
  EXPECT_EQ(nlohmann::json::parse(written({{"a", kText, {every}}}, json_array_writer))[0]["a"],
            every);
}

std::string box(const std::vector<Given>& columns, BoxStyle style = {}) {
  return std::string("\n").append(
      written(columns, [&](TextSink sink) { return box_writer(std::move(sink), style); }));
}

TEST(RowWriter, Boxes) {
  EXPECT_EQ(box({{"a", kInt64, {"1", std::nullopt}}, {"name", kText, {"日本", "a\nb"}}}), R"(
┌────────┬─────────┐
│   a    │  name   │
│ bigint │ varchar │
├────────┼─────────┤
│      1 │ 日本    │
│   NULL │ a\nb    │
└────────┴─────────┘
)");
  EXPECT_EQ(box({{"\x1b[2J", kText, {"a\x1b[31m", "\xc2\x9b"}}}), R"(
┌───────────┐
│  \x1b[2J  │
│  varchar  │
├───────────┤
│ a\x1b[31m │
│ \xc2\x9b  │
└───────────┘
)");
  Texts many;
  for (int i = 0; i < 100; ++i) many.emplace_back(std::to_string(i));
  EXPECT_EQ(box({{"i", kInt64, many}, {"k", kText, many}}, {.rows = 3}), R"(
┌────────┬─────────┐
│   i    │    k    │
│ bigint │ varchar │
├────────┼─────────┤
│      0 │ 0       │
│      1 │ 1       │
│      · │ ·       │
│      · │ ·       │
│      · │ ·       │
│     99 │ 99      │
├────────┴─────────┤
│     100 rows     │
│    (3 shown)     │
└──────────────────┘
)");
  EXPECT_EQ(box({{"i", kInt64, {"1", "2", "3"}}}, {.rows = 3}), R"(
┌────────┐
│   i    │
│ bigint │
├────────┤
│      1 │
│      2 │
│      3 │
└────────┘
)");
}

TEST(RowWriter, BoxesFitTheirWidth) {
  EXPECT_EQ(box({{"a", kText, {std::string(50, 'x')}}, {"b", kInt64, {"7"}}}, {.width = 30}), R"(
┌───────────────────┬────────┐
│         a         │   b    │
│      varchar      │ bigint │
├───────────────────┼────────┤
│ xxxxxxxxxxxxxxxx… │      7 │
└───────────────────┴────────┘
)");
  std::vector<Given> wide;
  for (int c = 0; c < 10; ++c) wide.push_back({std::to_string(c), kInt64, {"1"}});
  EXPECT_EQ(box(wide, {.width = 40}), R"(
┌────────┬────────┬───┬────────┐
│   0    │   1    │ … │   9    │
│ bigint │ bigint │ … │ bigint │
├────────┼────────┼───┼────────┤
│      1 │      1 │ … │      1 │
├────────┴────────┴───┴────────┤
│            1 row             │
│     10 columns (3 shown)     │
└──────────────────────────────┘
)");
}

TEST(DisplayWidth, CountsPlacesOfTheTerminal) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("äöü"), 3U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("😀"), 2U);
  EXPECT_EQ(cut_to_width("a long text", 5), "a lo…");
  EXPECT_EQ(cut_to_width("日本語", 4), "日…");
  EXPECT_EQ(cut_to_width("日本語", 6), "日本語");
}

}  // namespace
}  // namespace grappa::query
