#include "grappa/query/database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::query {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNumbers =
    "CREATE TABLE d AS SELECT * FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
    "v(x);"
    "CREATE TABLE t AS SELECT a.x + 10 * b.x + 100 * c.x + 1000 * e.x AS x FROM d a, d b, d c, d e";

std::int64_t one_number(Database& database, const char* query) {
  std::int64_t number = 0;
  database.execute(query, [&](Answer& answer) {
    answer.for_each_batch(
        [&](const Batch& batch) { number = batch.columns[0].at<std::int64_t>(batch.position(0)); });
  });
  return number;
}

void compute(Answer& answer) {
  answer.for_each_batch([](const Batch&) {});
}

TEST(Database, AStatementThatIsCancelledChangesNothing) {
  test::on_machines([] {
    std::atomic<bool> asked{false};
    Cancellation cancellation(asked);
    Database database;
    database.execute(kNumbers);
    for (const char* const statement :
         {"SELECT count(*) FROM t a, t b, t c, t e",
          "CREATE TABLE u AS SELECT a.* FROM t a, t b, t c",
          "INSERT INTO t SELECT a.x FROM t a, t b, t c",
          "SELECT * FROM t a JOIN t b ON a.x < b.x ORDER BY a.x * b.x, b.x DESC"}) {
      std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        asked = true;
      });
      EXPECT_THROW(database.execute(statement, compute), Cancelled) << statement;
      canceller.join();
      cancellation.clear();
      EXPECT_EQ(one_number(database, "SELECT count(*) FROM t"), 10'000) << statement;
    }
    EXPECT_THAT(database.names(), ElementsAre("d", "t", "x"));
  });
}

TEST(Database, TakesTablesFromMemory) {
  constexpr std::size_t kRows = 150'000;  // of some blocks
  std::vector<std::int32_t> numbers(kRows);
  std::vector<std::uint8_t> valid(kRows);
  std::vector<std::int64_t> offsets(1, 0);
  std::string bytes;
  for (std::size_t i = 0; i < kRows; ++i) {
    numbers[i] = static_cast<std::int32_t>(i);
    valid[i] = i % 3 == 0 ? 0 : 1;
    bytes += i % 2 == 0 ? "even" : "a number that is odd";
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const std::vector<MemoryColumn> columns = {
      {.name = "x", .type = kInt32, .values = numbers.data()},
      {.name = "y", .type = kInt32, .values = numbers.data(), .valid = valid.data()},
      {.name = "Kind", .type = kText, .values = offsets.data(), .text_bytes = bytes.data()}};
  test::on_machines([&columns] {
    Database database;
    database.add_table("Made", columns, kRows);
    EXPECT_EQ(one_number(database, "SELECT count(*) FROM made"), 150'000);
    EXPECT_EQ(one_number(database, "SELECT count(y) FROM made"), 100'000);
    EXPECT_EQ(one_number(database, "SELECT cast(max(x) AS bigint) FROM made"), 149'999);
    EXPECT_EQ(one_number(database, "SELECT count(*) FROM made WHERE kind = 'even'"), 75'000);
    EXPECT_EQ(one_number(database,
                         "SELECT count(*) FROM made WHERE kind = 'a number that is odd' AND x % 2 "
                         "= 1 AND x < 10"),
              5);
    EXPECT_THROW(database.add_table("made", columns, kRows), UsageError);
    database.add_table("none", columns, 0);
    EXPECT_EQ(one_number(database, "SELECT count(*) FROM none"), 0);
  });
}

/// A row looks for one integer at a time: that is quicker than to look for two in a product.
TEST(Database, JoinsALargeTableWithEachOfTheSmallOnes) {
  run(test::threads(1), [] {
    Database database;
    database.execute(
        "CREATE TABLE facts AS SELECT i % 30 AS a, i % 20 AS b FROM generate_series(1, 20000) t(i);"
        "CREATE TABLE x AS SELECT i AS a, i % 5 AS kind FROM generate_series(0, 29) t(i);"
        "CREATE TABLE y AS SELECT i AS b, i % 5 AS kind FROM generate_series(0, 19) t(i)");
    std::string plan;
    database.execute(
        "EXPLAIN SELECT count(*) FROM facts, x, y WHERE facts.a = x.a AND facts.b = y.b AND "
        "x.kind = 1 AND y.kind = 2",
        [&](Answer& answer) {
          answer.for_each_batch([&](const Batch& batch) {
            batch.for_each([&](std::size_t row) {
              plan += batch.columns[0].at<TextRef>(row).view();
              plan += '\n';
            });
          });
        });
    EXPECT_THAT(plan, HasSubstr("inner join (a = a)"));
    EXPECT_THAT(plan, HasSubstr("inner join (b = b)"));
  });
}

/// Sums have 64 bits where no sum of so many rows can need more: not in the group that has all.
TEST(Database, SumsOfLargeNumbersOverJoins) {
  test::on_machines([] {
    Database database;
    database.execute(kNumbers);
    database.execute(
        "CREATE TABLE big AS SELECT 4000000000000000000 + x AS y, x FROM d;"
        "CREATE VIEW twice AS SELECT a.y FROM big a, big b WHERE a.x >= b.x OR a.x < b.x");
    EXPECT_EQ(one_number(database, "SELECT cast(sum(y) / 100 AS bigint) FROM big"),
              400'000'000'000'000'000);
    EXPECT_EQ(one_number(database, "SELECT cast(sum(y) / 1000 AS bigint) FROM twice"),
              400'000'000'000'000'000);
    EXPECT_EQ(one_number(database, "SELECT cast(sum(x) AS bigint) FROM t"), 49'995'000);
  });
}

TEST(Database, TellsItsSchema) {
  run(test::threads(1), [] {
    Database database;
    database.execute(
        "CREATE TABLE t (a int, \"b c\" text); CREATE VIEW v (x) AS SELECT a + 1 FROM t");
    EXPECT_THAT(database.schema(), ElementsAre("CREATE TABLE t (a integer, \"b c\" varchar);",
                                               "CREATE VIEW v (x) AS SELECT a + 1 FROM t;"));
    EXPECT_THAT(database.schema("V"), ElementsAre("CREATE VIEW v (x) AS SELECT a + 1 FROM t;"));
    EXPECT_THROW(database.schema("w"), UsageError);
    EXPECT_THAT(database.names(), ElementsAre("\"b c\"", "a", "t", "v"));
  });
}

TEST(Database, TellsHowFarAStatementIs) {
  run(test::threads(1), [] {
    Database database;
    database.execute(kNumbers);
    EXPECT_EQ(one_number(database, "SELECT count(*) FROM t a JOIN t b USING (x)"), 10'000);
    EXPECT_EQ(database.progress().done, 20'000);
    EXPECT_EQ(database.progress().fraction(), 1);
  });
}

}  // namespace
}  // namespace grappa::query
