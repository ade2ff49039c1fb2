#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/io/parquet/file.hpp"
#include "grappa/query/io/parquet_reader.hpp"
#include "grappa/query/io/read_columns.hpp"
#include "grappa/query/io/row_writer.hpp"
#include "grappa/query/io/test_tables.hpp"
#include "tests/support/files.hpp"

namespace grappa::query {
namespace {

using io::TemporaryFolder;
using test::Row;
using test::Shown;

/// A file of numbers from 0 on, odd ones of which are NULL in the second column.
std::string numbers(std::size_t rows, int cores = 2) {
  std::string out;
  run(grappa::test::threads(cores), [&] {
    const auto writer = parquet_writer([&](std::string_view bytes) { out += bytes; },
                                       io::runtime_parallel_for(), parquet::Codec::kZstd);
    writer->begin({"n", "half"}, {kInt64, kInt64});
    std::vector<std::int64_t> values(kBatchRows);
    const std::vector<std::uint64_t> even(words_for_bits(kBatchRows), 0x5555'5555'5555'5555);
    for (std::size_t begin = 0; begin < rows; begin += kBatchRows) {
      Batch batch;
      batch.rows = batch.count = std::min(kBatchRows, rows - begin);
      for (std::size_t i = 0; i < batch.rows; ++i) values[i] = static_cast<std::int64_t>(begin + i);
      batch.columns = {{.type = kInt64, .values = values.data()},
                       {.type = kInt64, .values = values.data(), .valid = even.data()}};
      writer->rows(batch);
    }
    writer->end();
  });
  return out;
}

Shown load_written(const std::string& path) {
  return test::load(grappa::test::threads(2),
                    [&](const io::ParallelFor& parallel, const Exchange& exchange) {
                      Table table = open_parquet({path}, exchange);
                      read_all_columns(table, parallel, exchange);
                      return table;
                    });
}

TEST(ParquetWriter, KeepsTheOrderOfRowsInManyRowGroups) {
  const TemporaryFolder folder;
  const std::size_t rows = 5 * kBlockRows + 17;
  const std::string path = folder.write("a.parquet", numbers(rows));
  const Shown table = load_written(path);
  ASSERT_EQ(table.rows.size(), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string n = std::to_string(row);
    ASSERT_EQ(table.rows[row], (Row{n, row % 2 == 0 ? std::optional(n) : std::nullopt}));
  }
  parquet::ParquetFile file(path);
  file.open();
  EXPECT_EQ(file.metadata().groups.size(), 6u);
}

TEST(ParquetWriter, TheSameBytesOnAnyNumberOfCores) {
  const std::size_t rows = 3 * kBlockRows + 1;
  EXPECT_EQ(numbers(rows, 1), numbers(rows, 3));
}

TEST(ParquetWriter, AnAnswerWithoutRowsHasItsColumns) {
  const TemporaryFolder folder;
  const Shown table = load_written(folder.write("a.parquet", numbers(0)));
  EXPECT_EQ(table.columns, (std::vector<std::string>{"n bigint", "half bigint"}));
  EXPECT_TRUE(table.rows.empty());
}

TEST(ParquetWriter, RefusesIntervalsThatTheFormatHasNot) {
  for (const Interval interval : {Interval{.months = 0, .days = -1, .microseconds = 0},
                                  Interval{.months = 0, .days = 0, .microseconds = 1}}) {
    run(grappa::test::threads(1), [&] {
      const auto writer = parquet_writer([](std::string_view) {}, io::runtime_parallel_for(),
                                         parquet::Codec::kNone);
      writer->begin({"i"}, {Type{TypeId::kInterval}});
      Batch batch;
      batch.rows = batch.count = 1;
      batch.columns = {{.type = {TypeId::kInterval}, .values = &interval}};
      writer->rows(batch);
      EXPECT_THROW(writer->end(), UsageError);
    });
  }
}

}  // namespace
}  // namespace grappa::query
