// Tables in Parquet files, of which only what is needed is in memory.

#include "grappa/query/file_tables.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/io/parquet_reader.hpp"
#include "grappa/query/io/read_columns.hpp"
#include "grappa/query/test_answers.hpp"
#include "tests/support/files.hpp"

namespace grappa::query {
namespace {

using io::TemporaryFolder;
using test::error_of;
using test::rows_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> sorted_rows_of(Database& database, const std::string& query) {
  std::vector<std::string> rows = test::rows_of(database, query);
  std::ranges::sort(rows);
  return rows;
}

/// `rows` rows of some 100 bytes, in a file of several row groups.
void write_table(const std::string& path, int rows, const std::string& options = "") {
  run(test::threads(1), [&] {
    Database database;
    database.execute(fmt::format(
        "COPY (SELECT i, i * 7919 % 1000003 AS k, CASE WHEN i % 3 > 0 THEN i END AS n, "
        "i % 10 AS a, i % 10 AS b, CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END AS w, "
        "'the text with the number ' || i % 50000 AS s FROM generate_series(1, {}) g(i)) TO '{}' "
        "{}",
        rows, path, options));
  });
}

const char* const kQueries[] = {
    "SELECT count(*), sum(i), sum(n), count(n), min(s), max(k) FROM t",
    "SELECT w, sum(k), count(DISTINCT a) FROM t WHERE i > 1000 GROUP BY w",
    "SELECT s, count(*), sum(i) FROM t GROUP BY s HAVING count(*) > 6",
    "SELECT count(*), max(x.s), sum(y.k) FROM t x JOIN t y ON x.i = y.k WHERE y.a = 3",
    "SELECT upper(w), length(s), count(*) FROM t GROUP BY ALL",
    "SELECT i, s FROM t WHERE i BETWEEN 299990 AND 300010",
    "SELECT s, i, n FROM t ORDER BY k, i LIMIT 20",
    "SELECT count(*) FROM t",
};

TEST(FileTables, AnswerFromFilesThatAreLargerThanMemory) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.parquet");
  write_table(path, 600'000);
  std::vector<std::vector<std::string>> expected;
  run(test::threads(2), [&] {
    Database free;
    free.add_file("t", path);
    for (const char* const query : kQueries) expected.push_back(sorted_rows_of(free, query));
  });
  ASSERT_EQ(expected[0].size(), 1U);
  for (const Config& config : {test::threads(2), test::cluster(2), test::cluster(8)})
    run(config, [&] {
      Database bounded;
      bounded.limit_memory({.bytes = std::size_t{24} << 20});
      bounded.add_file("t", path);
      // What was read by one query is in memory for the next, or has made room.
      for (int round = 0; round < 2; ++round)
        for (std::size_t q = 0; q < std::size(kQueries); ++q)
          EXPECT_TRUE(sorted_rows_of(bounded, kQueries[q]) == expected[q]) << kQueries[q];
      if (locale_count() > 1) return;  // whose memory is enough together
      EXPECT_THAT(error_of(bounded, "CREATE TABLE u AS SELECT * FROM t"), HasSubstr("the tables"));
      EXPECT_TRUE(sorted_rows_of(bounded, kQueries[0]) == expected[0]);
    });
}

TEST(FileTables, ReadOnlyTheColumnsThatAreNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.parquet");
  write_table(path, 1000, "(COMPRESSION 'none')");
  // The last column is damaged.
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::size_t place = bytes.find("the text with the number ");
  ASSERT_NE(place, std::string::npos);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place), 200, '\xff');
  folder.write("t.parquet", bytes);
  for (const Config& config : {test::threads(2), test::cluster(2)})
    run(config, [&] {
      Database database;
      database.add_file("t", path);
      EXPECT_THAT(rows_of(database, "SELECT count(*), sum(i) FROM t"), ElementsAre("1000|500500|"));
      EXPECT_THAT(error_of(database, "SELECT max(s) FROM t"),
                  testing::AllOf(HasSubstr("t.parquet: column 's', row group 1")));
      EXPECT_THAT(rows_of(database, "SELECT count(*), sum(n) FROM t WHERE w = 'odd'"),
                  ElementsAre("500|166333|"));
    });
}

/// Estimates know that columns depend on one another, whenever each of them was read.
TEST(FileTables, SamplesHaveTheSameRowsOfAllColumns) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.parquet");
  write_table(path, 200'000);
  for (const Config& config : {test::threads(2), test::cluster(3)})
    run(config, [&] {
      Database database;
      database.add_file("t", path);
      rows_of(database, "SELECT max(a) FROM t");
      rows_of(database, "SELECT max(b) FROM t WHERE k > 10");
      const std::string plan =
          rows_of(database, "EXPLAIN SELECT i FROM t WHERE a = 3 AND b = 3").front();
      const std::size_t about = plan.find("about ");
      ASSERT_NE(about, std::string::npos) << plan;
      EXPECT_NEAR(std::stod(plan.substr(about + 6)), 20'000, 3000) << plan;
    });
}

TEST(FileTables, AFileThatHasChangedIsReadAnew) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.parquet");
  for (const Config& config : {test::threads(2), test::cluster(2)}) {
    write_table(path, 1000);
    const auto replace = [&](const std::string& with) {
      std::ifstream from(with, std::ios::binary);
      folder.write("t.parquet", std::string(std::istreambuf_iterator<char>(from), {}));
    };
    write_table(folder.path("other.parquet"), 2000);
    run(config, [&] {
      Database database;
      database.add_file("t", path);
      EXPECT_THAT(rows_of(database, "SELECT count(i) FROM t"), ElementsAre("1000|"));
      replace(folder.path("other.parquet"));
      EXPECT_THAT(rows_of(database, "SELECT count(i), count(k) FROM t"), ElementsAre("2000|2000|"));
      // One that is gone is there for whoever has it open.
      std::filesystem::remove(path);
      EXPECT_THAT(rows_of(database, "SELECT count(w) FROM t"), ElementsAre("2000|"));
    });
  }
}

TEST(FileTables, AFileThatChangesMeanwhileIsAnError) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.parquet");
  write_table(path, 1000);
  run(test::threads(1), [&] {
    const Owned<Exchange> exchange = Exchange::create();
    const Owned<io::CoreTeam> team = io::CoreTeam::create();
    Table table = open_parquet({path}, *exchange);
    read_columns(
        table, {0}, DistinctCounting::kWanted, [](auto...) {}, (*team).parallel_for(), *exchange);
    EXPECT_FALSE(table.blocks[0].columns[0].is_there());
    EXPECT_TRUE(table.columns[0].facts.range->greatest == 1000);
    const auto read = [&] {
      const auto reader = table.file->read(0, 0, DistinctCounting::kLeftOut);
      return read_again(*reader, table, 0, 0, 0);
    };
    EXPECT_TRUE(read().is_there());
    std::ofstream(path, std::ios::app | std::ios::binary) << "more";
    try {
      read();
      FAIL();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("t.parquet: changed while it was read"));
    }
  });
}

TEST(FileTables, ScansOfFilesCanBeCancelled) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.parquet");
  write_table(path, 300'000);
  for (const Config& config : {test::threads(2), test::cluster(2)})
    run(config, [&] {
      std::atomic<bool> asked{false};
      Cancellation cancellation(asked);
      Database database;
      database.limit_memory({.bytes = std::size_t{24} << 20});
      database.add_file("t", path);
      for (int i = 0; i < 3; ++i) {
        std::thread canceller([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20 << i));
          asked = true;
        });
        EXPECT_THROW(rows_of(database, "SELECT count(*) FROM t x, t y WHERE x.s < y.s || x.w"),
                     Cancelled);
        canceller.join();
        cancellation.clear();
        EXPECT_THAT(rows_of(database, "SELECT count(s) FROM t"), ElementsAre("300000|"));
      }
    });
}

}  // namespace
}  // namespace grappa::query
