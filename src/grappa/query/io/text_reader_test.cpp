#include "grappa/query/io/text_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "grappa/io/output_file.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/io/test_tables.hpp"
#include "tests/support/files.hpp"

namespace grappa::query {
namespace {

using io::TemporaryFolder;
using test::Row;
using test::Shown;
using Names = std::vector<std::string>;
using Rows = std::vector<Row>;

constexpr std::nullopt_t kNull = std::nullopt;

Shown load(const std::vector<std::string>& paths, const TextOptions& options = {},
           const Config& config = grappa::test::threads(2)) {
  return test::load(config, [&](const io::ParallelFor& parallel, const Exchange& exchange) {
    return load_text(paths, options, parallel, exchange);
  });
}

Shown load_text(const std::string& text, const TextOptions& options = {},
                const std::string& name = "a.csv") {
  const TemporaryFolder folder;
  return load({folder.write(name, text)}, options);
}

void expect_error(const std::string& text, std::int64_t line, const std::string& message,
                  const TextOptions& options = {}) {
  io::expect_input_error([&] { load_text(text, options); }, line, message);
}

TEST(CsvReader, FindsHeadersAndTypes) {
  const Shown table = load_text(
      "id,price,name,day,at,time,ok,none\n"
      "1,12.50,Ann,2024-02-29,2024-02-29 10:11:12,10:11,true,\n"
      "-2,3,Bob,1999-12-31,1999-12-31T00:00:00Z,23:59:59.5,FALSE,\n"
      ",,,,,,,\n");
  EXPECT_EQ(table.columns, (Names{"id bigint", "price double", "name varchar", "day date",
                                  "at timestamp", "time time", "ok boolean", "none varchar"}));
  EXPECT_EQ(
      table.rows,
      (Rows{{"1", "12.5", "Ann", "2024-02-29", "2024-02-29 10:11:12", "10:11:00", "true", kNull},
            {"-2", "3.0", "Bob", "1999-12-31", "1999-12-31 00:00:00", "23:59:59.5", "false", kNull},
            {kNull, kNull, kNull, kNull, kNull, kNull, kNull, kNull}}));
  EXPECT_TRUE(table.facts[0].range->least == -2 && table.facts[0].range->greatest == 1);
  EXPECT_NEAR(table.facts[0].distinct, 2, 0.1);
  EXPECT_TRUE(table.facts[0].has_nulls);
}

TEST(CsvReader, FindsDelimiters) {
  const Rows rows{{"1", "a,b"}, {"2", "c"}};
  EXPECT_EQ(load_text("1|a,b|\n2|c|\n").rows, rows);
  EXPECT_EQ(load_text("1|a,b\n2|c\n").rows, rows);
  EXPECT_EQ(load_text("x;y\n1;a,b\n2;c\n").rows, rows);
  EXPECT_EQ(load_text("x\ty\n1\ta,b\n2\tc").rows, rows);
  EXPECT_EQ(load_text("x,y\r\n1,\"a,b\"\r\n2,c\r\n").rows, rows);
  EXPECT_EQ(load_text("x,y\n1,'a,b'\n2,'c'\n").rows, rows);
  EXPECT_EQ(load_text("\xef\xbb\xbfx,y\n1,\"a,b\"\n2,c").columns, (Names{"x bigint", "y varchar"}));
  EXPECT_EQ(load_text("x,y\n1,\"a\\\",b\"\n2,c\n").rows, (Rows{{"1", "a\",b"}, {"2", "c"}}));
  EXPECT_EQ(load_text("one\ntwo, three\nfour\nfive\n").rows,
            (Rows{{"two, three"}, {"four"}, {"five"}}));
}

TEST(CsvReader, FindsHeaders) {
  EXPECT_EQ(load_text("1,a\n2,b\n").columns, (Names{"column0 bigint", "column1 varchar"}));
  EXPECT_EQ(load_text("a,b\nc,d\n").rows, (Rows{{"c", "d"}}));
  EXPECT_EQ(load_text("a,b\nc,d\n", {.header = false}).rows, (Rows{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(load_text("a,A,,a\n1,2,3,4\n").columns,
            (Names{"a bigint", "A_1 bigint", "column2 bigint", "a_2 bigint"}));
  const Shown header_only = load_text("a,b\n");
  EXPECT_EQ(header_only.columns, (Names{"a varchar", "b varchar"}));
  EXPECT_TRUE(header_only.rows.empty());
  EXPECT_EQ(load_text("1,2\n").rows, (Rows{{"1", "2"}}));
  EXPECT_EQ(load_text("x,y\n1,2\n", {.names = {"one"}}).columns, (Names{"one bigint", "y bigint"}));
}

TEST(CsvReader, QuotedEmptyTextsAreNoNulls) {
  EXPECT_EQ(load_text("a,b,c\n\"\",x,1\n,\"\",\"\"\n").rows,
            (Rows{{"", "x", "1"}, {kNull, "", kNull}}));
  EXPECT_EQ(load_text("a,b\nNA,1\n\"NA\",NA\n,2\n", {.null_text = "NA"}).rows,
            (Rows{{kNull, "1"}, {"NA", kNull}, {"", "2"}}));
  EXPECT_EQ(load_text("a\n1\n\n2\n").rows, (Rows{{"1"}, {kNull}, {"2"}}));
  EXPECT_EQ(load_text("a,b\n1,2\n\n3,4\n").rows, (Rows{{"1", "2"}, {"3", "4"}}));
}

TEST(CsvReader, TypesAreAsTheyAreGiven) {
  const TextOptions options{.types = {{"price", Type::decimal(15, 2)}, {"id", kText}}};
  const Shown table = load_text("id,price\n007,1.005\n8,-2\n", options);
  EXPECT_EQ(table.columns, (Names{"id varchar", "price decimal(15,2)"}));
  EXPECT_EQ(table.rows, (Rows{{"007", "1.01"}, {"8", "-2.00"}}));
  EXPECT_EQ(load_text("a,b\n1,x\n", {.all_texts = true}).columns,
            (Names{"a varchar", "b varchar"}));
  EXPECT_THROW(load_text("a\n1\n", {.types = {{"b", kText}}}), UsageError);
  EXPECT_EQ(load_text("# about\na,b\n1,2\n", {.skip = 1}).rows, (Rows{{"1", "2"}}));
}

/// 1 … n in the first column, and the last row's second value.
std::string numbers_and(std::size_t n, const std::string& usual, const std::string& last) {
  std::string text = "i,v\n";
  for (std::size_t i = 1; i <= n; ++i)
    text += std::to_string(i) + "," + (i == n ? last : usual) + "\n";
  return text;
}

TEST(CsvReader, WidensTypesThatLaterValuesDoNotHave) {
  const auto type_of = [](const std::string& usual, const std::string& last) {
    constexpr std::size_t kRows = 200'000;  // far more than the sample has
    const Shown table = load_text(numbers_and(kRows, usual, last), {.piece_bytes = 100'000});
    EXPECT_EQ(table.rows.size(), kRows);
    for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(table.rows[i][0], std::to_string(i + 1));
    return table.columns[1] + ": " + table.rows[0][1].value_or("NULL") + ", " +
           table.rows[kRows - 1][1].value_or("NULL");
  };
  EXPECT_EQ(type_of("1", "2"), "v bigint: 1, 2");
  EXPECT_EQ(type_of("1", "2.5"), "v double: 1.0, 2.5");
  EXPECT_EQ(type_of("1", "9223372036854775808"), "v decimal(38,0): 1, 9223372036854775808");
  EXPECT_EQ(type_of("007", "x"), "v varchar: 007, x");
  EXPECT_EQ(type_of("2024-01-01", "2024-01-01 10:00"),
            "v timestamp: 2024-01-01 00:00:00, 2024-01-01 10:00:00");
  EXPECT_EQ(type_of("true", "1"), "v varchar: true, 1");
  EXPECT_EQ(type_of("", "7"), "v bigint: NULL, 7");
  EXPECT_EQ(type_of("1", ""), "v bigint: 1, NULL");
}

TEST(CsvReader, ErrorsNameTheLine) {
  expect_error("a,b\n1,2\n3\n", 3, "1 column, 2 expected");
  expect_error("a,b\n1,2\n\"x\ny\",4\n3,4,5\n", 5, "3 columns, 2 expected");
  expect_error("a,b\n1,2\n3,\"4\n5,6\n", 3, "a quote is not closed");
  expect_error("a,b\n1,2\n3,\"4\"5\n", 3, "a closing quote is followed by");
  expect_error("a,b\n1,x\xc3\n", 2, "byte 4 of the line is not valid UTF-8");
  expect_error("a,b\n1,\xc3\xa4\n2,\xff\n", 3, "byte 3 of the line is not valid UTF-8");
  expect_error("a,b\n1,2\nx,4\n", 3, "column 'a': 'x' is no integer", {.types = {{"a", kInt32}}});
  expect_error("", 0, "is empty");
  expect_error("\n\n", 0, "has no rows");
  expect_error("a\rb\rc", 1, "a carriage return within the line");
  expect_error("a,b\r1,2\r", 1, "a carriage return within the line");
  expect_error(std::string("\xff\xfe"
                           "a\0\n\0",
                           6),
               1, "is in UTF-16; UTF-8 was expected");
  expect_error(std::string("\xfe\xff\0a\0\n", 6), 1, "is in UTF-16; UTF-8 was expected");
  expect_error("a,b\n1,2\n", 0, "3 are named", {.names = {"a", "b", "c"}});
  EXPECT_THROW(load({"/nowhere/a.csv"}), InputError);
  EXPECT_THROW(load({"/nowhere/*.csv"}), InputError);
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

struct Made {
  std::string text;
  Rows rows;
};
/// Texts with everything in it that makes cutting difficult.
Made made(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const char* const parts[] = {"a", "\n", "\"", ",", "\r\n", "b\nc,d\n", "\",\"", "ü", "1,2,3\n"};
  Made made{.text = "a,b,c\n", .rows = {}};
  for (std::size_t r = 0; r < rows; ++r) {
    Row row;
    for (int c = 0; c < 3; ++c) {
      std::string value;
      for (std::size_t k = random() % 6; k > 0; --k) value += parts[random() % std::size(parts)];
      const bool is_null = random() % 5 == 0;
      if (c > 0) made.text += ',';
      if (!is_null) made.text += in_quotes(value);
      row.push_back(is_null ? std::optional<std::string>() : value);
    }
    made.rows.push_back(row);
    made.text += random() % 2 == 0 ? "\n" : "\r\n";
  }
  return made;
}

TEST(CsvReader, PiecesOfAllSizesJoin) {
  const TemporaryFolder folder;
  const Made table = made(300, 1);
  const std::string path = folder.write("a.csv", table.text);
  for (const std::size_t bytes : {1U, 2U, 7U, 50U, 333U, 4096U})
    EXPECT_EQ(load({path}, {.all_texts = true, .piece_bytes = bytes}).rows, table.rows) << bytes;
}

TEST(CsvReader, LocalesJoin) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Made table = made(100, seed);
    const std::string path = folder.write("a.csv", table.text);
    for (const Config& config : {grappa::test::cluster(2, 2), grappa::test::deterministic(5)}) {
      EXPECT_EQ(load({path}, {.all_texts = true, .piece_bytes = 100}, config).rows, table.rows);
    }
  }
  // More locales than rows.
  const std::string path = folder.write("b.csv", "a,b\n1,x\n2,y\n");
  EXPECT_EQ(load({path}, {}, grappa::test::deterministic(8)).rows, (Rows{{"1", "x"}, {"2", "y"}}));
  io::expect_input_error(
      [&] {
        load({folder.write("c.csv", "a,b\n1,2\n1,2\n1,2\n1,2\n1\n1,2\n1\n")}, {},
             grappa::test::deterministic(3));
      },
      6, "1 column, 2 expected");
}

TEST(CsvReader, LocalesAgreeOnTypesAndFacts) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", numbers_and(100'000, "1", "x"));
  const Shown table = load({path}, {}, grappa::test::deterministic(3));
  EXPECT_EQ(table.columns, (Names{"i bigint", "v varchar"}));
  EXPECT_TRUE(table.facts[0].range->least == 1 && table.facts[0].range->greatest == 100'000);
  EXPECT_NEAR(table.facts[0].distinct, 100'000, 10'000);
  EXPECT_FALSE(table.facts[0].has_nulls);
}

TEST(CsvReader, ReadsCompressedFilesAndPatterns) {
  const TemporaryFolder folder;
  const Made table = made(500, 3);
  Rows thrice;
  for (const char* const name : {"a.csv", "b.csv.gz", "c.csv.zst"}) {
    io::OutputFile file(folder.path(name));
    file.write(table.text);
    file.commit();
    std::ranges::copy(table.rows, std::back_inserter(thrice));
  }
  for (const std::size_t bytes : {0U, 20U, 5000U}) {
    const TextOptions options{.all_texts = true, .piece_bytes = bytes};
    EXPECT_EQ(load({folder.path("c.csv.zst")}, options).rows, table.rows);
    EXPECT_EQ(load({folder.path("*.csv*")}, options).rows, thrice);
  }
  Shown spread = load({folder.path("*.csv*")}, {.all_texts = true}, grappa::test::deterministic(3));
  std::ranges::sort(spread.rows);
  std::ranges::sort(thrice);
  EXPECT_EQ(spread.rows, thrice);
  folder.write("d.csv", "a,b,d\n1,2,3\n");
  io::expect_input_error([&] { load({folder.path("*.csv")}); }, 1, "column 3 is called 'd'");
  EXPECT_EQ(load({folder.write("e.csv", ""), folder.write("f.csv", "x\n1\n")}).rows, (Rows{{"1"}}));
}

TEST(CsvReader, LongRowsAndManyDifferentTexts) {
  std::string text = "a,b\n";
  for (int i = 0; i < 20; ++i)
    text += std::to_string(i) + "," + std::string(i == 7 ? 10'000'000 : 3, 'x') + "\n";
  const Shown table = load_text(text);
  ASSERT_EQ(table.rows.size(), 20U);
  EXPECT_EQ(table.rows[7][1]->size(), 10'000'000U);
  const Shown only = load_text("a\n\"" + std::string(3'000'000, '\n') + "\"\n");
  ASSERT_EQ(only.rows.size(), 1U);
  EXPECT_EQ(only.rows[0][0]->size(), 3'000'000U);
}

}  // namespace
}  // namespace grappa::query
