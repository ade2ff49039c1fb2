#include "grappa/query/io/parquet_reader.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/io/parquet/file.hpp"
#include "grappa/query/io/parquet/test_files.hpp"
#include "grappa/query/io/read_columns.hpp"
#include "grappa/query/io/test_tables.hpp"
#include "tests/support/files.hpp"

namespace grappa::query {
namespace {

using io::TemporaryFolder;
using parquet::Codec;
using test::Row;
using test::Shown;
using Names = std::vector<std::string>;

const Names kNames = {"ok", "a",   "b",  "c", "d", "e", "f", "x",
                      "y",  "day", "at", "t", "i", "s", "u"};
const std::vector<Type> kTypes = {kBoolean,
                                  Type{TypeId::kInt8},
                                  Type{TypeId::kInt16},
                                  kInt32,
                                  kInt64,
                                  Type::decimal(12, 2),
                                  Type::decimal(30, 3),
                                  Type{TypeId::kFloat},
                                  kDouble,
                                  kDate,
                                  Type{TypeId::kTime},
                                  kTimestamp,
                                  Type{TypeId::kInterval},
                                  kText,
                                  kText};

/// Every third value is NULL, in every other column; texts repeat, or do not.
void append_sample(ColumnBuilder& column, std::size_t c, std::size_t row) {
  if (c % 2 == 1 && row % 3 == 0) return column.append_null();
  const auto n = static_cast<std::int64_t>(row);
  with_physical(column.type().physical(), [&]<class T>() {
    if constexpr (std::is_same_v<T, TextRef>) {
      const std::string text = c + 1 == kTypes.size()
                                   ? "a text of its own, " + std::to_string(row)
                                   : (row % 2 == 0 ? "" : "one that is rather long");
      column.append(TextRef(text));
    } else if constexpr (std::is_same_v<T, Interval>) {
      column.append(Interval{.months = static_cast<int>(row), .days = 3, .microseconds = 5000});
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
      column.append(static_cast<T>(row % 5 == 0 ? 1 : 0));
    } else if constexpr (std::is_same_v<T, Int128>) {
      column.append(-Int128{n} * power_of_ten(20));
    } else {
      column.append(static_cast<T>(n % 100 * (column.type().id == TypeId::kTime ? 1 : -1)));
    }
  });
}

std::string sample(std::size_t rows, Codec codec = Codec::kSnappy, std::size_t group_rows = 100) {
  return parquet::test::file_of(kNames, kTypes, rows, append_sample, codec, group_rows);
}

/// The same without a file.
std::vector<Row> sample_rows(std::size_t rows) {
  Block block;
  block.rows = rows;
  for (std::size_t c = 0; c < kTypes.size(); ++c) {
    ColumnBuilder builder(kTypes[c]);
    for (std::size_t row = 0; row < rows; ++row) append_sample(builder, c, row);
    block.columns.push_back(builder.finish());
  }
  std::vector<Row> shown;
  for (std::size_t row = 0; row < rows; ++row) shown.push_back(test::row_of(block, row));
  return shown;
}

Shown load_sample(const std::vector<std::string>& paths,
                  const Config& config = grappa::test::threads(2)) {
  return test::load(config, [&](const io::ParallelFor& parallel, const Exchange& exchange) {
    Table table = open_parquet(paths, exchange);
    read_all_columns(table, parallel, exchange);
    return table;
  });
}

TEST(ParquetReader, ReadsWhatWasWrittenOfAllTypesWithAllCodecs) {
  const TemporaryFolder folder;
  const std::vector<Row> expected = sample_rows(450);
  for (const Codec codec :
       {Codec::kNone, Codec::kSnappy, Codec::kGzip, Codec::kZstd, Codec::kLz4}) {
    const Shown table = load_sample({folder.write("a.parquet", sample(450, codec))});
    ASSERT_EQ(table.columns.size(), kTypes.size());
    EXPECT_EQ(table.columns[5], "e decimal(12,2)");
    EXPECT_EQ(table.rows, expected);
    EXPECT_TRUE(table.facts[4].range->least == -99 && !table.facts[4].has_nulls);
    EXPECT_TRUE(table.facts[3].has_nulls);
  }
}

TEST(ParquetReader, DividesRowGroupsAmongLocales) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.parquet", sample(450, Codec::kZstd, 60));
  EXPECT_EQ(load_sample({path}, grappa::test::cluster(3)).rows, sample_rows(450));
}

TEST(ParquetReader, ReadsLargeGroupsInSeveralBlocks) {
  const std::size_t rows = 2 * kBlockRows + 100;
  std::vector<Block> groups(1);
  groups[0].rows = rows;
  ColumnBlock& column = groups[0].columns.emplace_back();
  column.type = kInt64;
  column.values = std::make_unique<std::byte[]>(rows * sizeof(std::int64_t));
  auto* const values = reinterpret_cast<std::int64_t*>(column.values.get());
  std::iota(values, values + rows, std::int64_t{0});
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "a.parquet", parquet::test::file_of_blocks({"n"}, {kInt64}, groups, Codec::kZstd));
  const Shown table = load_sample({path});
  ASSERT_EQ(table.rows.size(), rows);
  for (std::size_t row = 0; row < rows; row += kBlockRows / 2 + 1)
    EXPECT_EQ(table.rows[row], Row{std::to_string(row)});
}

TEST(ParquetReader, SeveralFilesHaveTheColumnsOfTheFirst) {
  const TemporaryFolder folder;
  const auto append = [](ColumnBuilder& column, std::size_t, std::size_t row) {
    with_physical(column.type().physical(), [&]<class T>() {
      if constexpr (std::is_integral_v<T>) column.append(static_cast<T>(row));
    });
  };
  folder.write("a.parquet", parquet::test::file_of({"x", "y"}, {kInt64, kInt32}, 2, append));
  folder.write("b.parquet", parquet::test::file_of({"y", "x"}, {kInt32, kInt64}, 1, append));
  EXPECT_EQ(load_sample({folder.path("*.parquet")}).columns, (Names{"x bigint", "y integer"}));
  folder.write("c.parquet", parquet::test::file_of({"x", "y"}, {kInt64, kInt64}, 1, append));
  io::expect_input_error([&] { load_sample({folder.path("*.parquet")}); }, 0,
                         "column 'y' is of bigint, in ");
  folder.write("c.parquet", parquet::test::file_of({"x"}, {kInt64}, 1, append));
  io::expect_input_error([&] { load_sample({folder.path("*.parquet")}); }, 0, "has no column 'y'");
}

TEST(ParquetReader, SaysWhatWasExpected) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& message) {
    io::expect_input_error([&] { load_sample({folder.write("a.parquet", bytes)}); }, 0, message);
  };
  refused("a,b\n1,2\n3,4\n", "a Parquet file was expected, which begins with PAR1");
  const std::string whole = sample(10);
  refused(whole.substr(0, whole.size() - 1), "cut off");
  refused("PAR1PAR1PAR1", "its metadata would have");
}

void read_all(const parquet::ParquetFile& file, std::size_t group,
              const parquet::FileColumn& column) {
  const auto reader = file.read(group, column, DistinctCounting::kWanted);
  const auto rows = static_cast<std::size_t>(file.metadata().groups[group].rows);
  for (std::size_t row = 0; row < rows; row += kBlockRows) reader->next();
}

/// Whatever a file has become: its error, or a table, and nothing else.
TEST(ParquetReader, AnyByteMayBeDamaged) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same every time
  const TemporaryFolder folder;
  int refused = 0;
  for (const Codec codec : {Codec::kNone, Codec::kSnappy, Codec::kZstd}) {
    const std::string whole = sample(200, codec);
    for (int i = 0; i < 500; ++i) {
      std::string bytes = whole;
      for (int flips = 1 + i % 3; flips > 0; --flips)
        bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      if (i % 10 == 0) bytes.resize(random() % bytes.size());
      const std::string path = folder.write("a.parquet", bytes);
      try {
        parquet::ParquetFile file(path);
        file.open();
        for (std::size_t group = 0; group < file.metadata().groups.size(); ++group)
          for (const parquet::FileColumn& column : file.columns())
            if (column.refusal.empty()) read_all(file, group, column);
      } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).find("a.parquet: ") != std::string::npos);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace grappa::query
