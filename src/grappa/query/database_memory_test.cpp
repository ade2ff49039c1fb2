// Queries within a bound of memory: they answer as without one, or say why they cannot.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/test_answers.hpp"

namespace grappa::query {
namespace {

using test::error_of;
using test::rows_of;
using testing::HasSubstr;

constexpr std::size_t kSmall = std::size_t{8} << 20;

/// Lines of the plan that tell of a file.
std::string spilling_operators(Database& database, const std::string& query) {
  std::string lines;
  for (const std::string& line : rows_of(database, "EXPLAIN ANALYZE " + query))
    if (line.find("spilled") != std::string::npos) lines += line + "\n";
  return lines;
}

struct Case {
  const char* query;
  const char* spills;  // which operator
  bool is_ordered = false;
};

/// `n(rows)` are the integers up to there, `t(rows)` with a text that does not fit into a TextRef.
const Case kCases[] = {
    {"SELECT i, i * 7919 % 1000003 AS k FROM n(360000) ORDER BY k, i", "sort", true},
    {"SELECT s FROM t(180000) ORDER BY s DESC LIMIT 150000", "sort", true},
    {"SELECT k, count(*), sum(i), min(i) FROM (SELECT i, i % 210000 AS k FROM n(450000)) GROUP BY "
     "k",
     "aggregate"},
    {"SELECT s, max(s), string_agg(s, ',') FROM t(150000) GROUP BY s", "aggregate"},
    {"SELECT DISTINCT s FROM t(180000)", "aggregate"},
    {"SELECT a.i, b.s FROM n(300000) a JOIN t(270000) b ON a.i = b.i * 2", "join"},
    {"SELECT a.s, b.i FROM t(180000) a JOIN (SELECT i, s FROM t(270000)) b ON a.s = b.s", "join"},
    {"SELECT a.i, b.s FROM n(300000) a LEFT JOIN t(270000) b ON a.i = b.i * 2 AND b.i % 3 > 0",
     "left join"},
    {"SELECT a.i, b.i, b.s FROM n(270000) a FULL JOIN (SELECT i * 3 AS i, s FROM t(240000)) b "
     "ON a.i = b.i",
     "full join"},
    {"SELECT i FROM n(600000) a WHERE EXISTS (SELECT 1 FROM t(270000) b WHERE b.i * 2 = a.i "
     "AND length(b.s) > a.i % 40)",
     "semi join"},
    {"SELECT i FROM n(600000) a WHERE NOT EXISTS (SELECT 1 FROM t(270000) b WHERE b.i * 2 = a.i "
     "AND length(b.s) > a.i % 40)",
     "anti join"},
    {"SELECT i FROM n(900000) INTERSECT SELECT i * 2 FROM n(900000)", "intersect"},
    {"SELECT s FROM t(150000) EXCEPT SELECT s FROM t(180000) WHERE i % 3 = 0", "except"},
    {"SELECT i, row_number() OVER w, max(s) OVER w FROM t(180000) "
     "WINDOW w AS (PARTITION BY i % 5000 ORDER BY i DESC)",
     "window"},
    {"SELECT i, s FROM t(270000)", ""},
};

/// With the numbers and texts as tables of their own, which would be too large for the bound.
std::string with_tables(std::string query) {
  const auto replace = [&](const std::string& name, const std::string& select) {
    for (std::size_t at; (at = query.find(" " + name + "(")) != std::string::npos;) {
      const std::size_t open = at + 1 + name.size();
      const std::size_t close = query.find(')', open);
      const std::string rows = query.substr(open + 1, close - open - 1);
      query.replace(at, close + 1 - at,
                    fmt::format(" (SELECT {} FROM generate_series(1, {}) g(i))", select, rows));
    }
  };
  replace("n", "i");
  replace("t", "i, 'the text with the number ' || i AS s");
  return query;
}

std::vector<std::string> rows_in_order(Database& database, const Case& of) {
  std::vector<std::string> rows = rows_of(database, with_tables(of.query));
  if (!of.is_ordered) std::ranges::sort(rows);
  return rows;
}

void answers_the_same(const Case& of, const std::vector<std::string>& expected) {
  SCOPED_TRACE(of.query);
  Database bounded;
  bounded.limit_memory({.bytes = kSmall});
  const std::vector<std::string> found = rows_in_order(bounded, of);
  EXPECT_TRUE(found == expected) << found.size() << " rows of " << expected.size();
  EXPECT_THAT(spilling_operators(bounded, with_tables(of.query)), HasSubstr(of.spills));
}

TEST(DatabaseMemory, EveryOperatorAnswersTheSame) {
  std::vector<std::vector<std::string>> expected;
  run(test::threads(2), [&] {
    Database free;
    for (const Case& of : kCases) expected.push_back(rows_in_order(free, of));
  });
  for (const Config& config : {test::threads(2), test::cluster(3)}) {
    run(config, [&] {
      for (std::size_t i = 0; i < std::size(kCases); ++i) answers_the_same(kCases[i], expected[i]);
    });
  }
}

TEST(DatabaseMemory, WhatFitsIsNotWritten) {
  run(test::threads(2), [] {
    Database database;
    database.limit_memory({.bytes = std::size_t{1} << 30});
    for (const Case& of : kCases)
      EXPECT_EQ(spilling_operators(database, with_tables(of.query)), "") << of.query;
  });
}

/// Nothing divides rows with one key: the kept ones are taken some at a time, where that is right.
TEST(DatabaseMemory, OneKeyMayHaveMostRows) {
  run(test::threads(2), [] {
    const std::string query = with_tables(
        "SELECT count(*), sum(b.i) FROM (SELECT i, 7 AS k FROM n(20)) a {} "
        "(SELECT i, CASE WHEN i % 100 = 0 THEN i ELSE 7 END AS k, s FROM t(100000)) b "
        "ON a.k = b.k AND length(b.s) + a.i > 30");
    for (const char* const kind : {"JOIN", "RIGHT JOIN"}) {
      const std::string same = fmt::format(fmt::runtime(query), kind);
      Database free;
      Database bounded;
      bounded.limit_memory({.bytes = kSmall});
      EXPECT_EQ(rows_of(bounded, same), rows_of(free, same)) << kind;
    }
  });
}

TEST(DatabaseMemory, ErrorsLeaveNothingBehind) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const std::string folder = testing::TempDir() + "database_memory";
  std::filesystem::create_directory(folder);
  run(test::threads(2), [&] {
    Database database;
    database.limit_memory({.bytes = kSmall, .spill_folder = folder});
    const auto before = descriptors();
    for (int i = 0; i < 5; ++i) {
      for (const char* const query :
           {"SELECT 1 / (k - 999999) FROM (SELECT k FROM (SELECT i * 7919 % 1000003 AS k FROM "
            "n(500000)) ORDER BY k)",
            "SELECT 1 / (a.i - 199999) FROM n(300000) a JOIN t(200000) b ON a.i = b.i",
            "SELECT 1 / (n - 1) FROM (SELECT s, count(*) AS n FROM t(200000) GROUP BY s)"})
        EXPECT_THAT(error_of(database, with_tables(query)), HasSubstr("zero")) << query;
      EXPECT_TRUE(std::filesystem::is_empty(folder));
    }
    EXPECT_EQ(descriptors(), before);
    Database free;
    answers_the_same(kCases[0], rows_in_order(free, kCases[0]));
  });
}

TEST(DatabaseMemory, SaysWhatIsMissing) {
  run(test::threads(2), [] {
    Database database;
    database.limit_memory({.bytes = kSmall, .spill_folder = "/nonexistent"});
    EXPECT_THAT(error_of(database, with_tables("SELECT i FROM n(500000) ORDER BY i DESC")),
                testing::AllOf(HasSubstr("/nonexistent"), HasSubstr("No such file")));
    EXPECT_THAT(
        error_of(database, with_tables("SELECT i, rank() OVER (ORDER BY i) FROM n(300000)")),
        testing::AllOf(HasSubstr("B of memory more"), HasSubstr("8 MiB")));
    EXPECT_THAT(error_of(database, with_tables("CREATE TABLE large AS SELECT * FROM n(3000000)")),
                testing::AllOf(HasSubstr("tables take"), HasSubstr("8 MiB")));
    database.execute(with_tables("CREATE TABLE small AS SELECT * FROM n(250000)"));
    EXPECT_THAT(error_of(database, "SELECT i, rank() OVER (ORDER BY i) FROM small"),
                HasSubstr("which the tables take"));
  });
}

}  // namespace
}  // namespace grappa::query
