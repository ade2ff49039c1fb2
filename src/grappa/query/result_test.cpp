// Tables of arrays, and arrays of what queries give.

#include "grappa/query/result.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grappa/container/array_algorithms.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/test_answers.hpp"

namespace grappa::query {
namespace {

using test::rows_of;
using testing::ElementsAre;

constexpr std::int64_t kRows = 70'000;  // more than a block

template <class T>
Owned<GlobalArray<T>> small_numbers(Distribution distribution, std::int64_t modulus,
                                    std::int64_t rows = kRows) {
  Owned<GlobalArray<T>> array = GlobalArray<T>::create(rows, distribution);
  array->forall([modulus](std::int64_t i, T& element) { element = static_cast<T>(i % modulus); });
  return array;
}

std::int64_t sum_of_remainders(std::int64_t modulus) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < kRows; ++i) sum += i % modulus;
  return sum;
}

TEST(TableOfArrays, HasTheirElements) {
  test::on_machines([] {
    for (const Distribution distribution :
         {Distribution::kBlock, Distribution::kCyclic, Distribution::kPermuted}) {
      const auto b = small_numbers<bool>(distribution, 2);
      const auto i8 = small_numbers<std::int8_t>(distribution, 3);
      const auto i16 = small_numbers<std::int16_t>(distribution, 7);
      const auto i32 = small_numbers<std::int32_t>(distribution, 11);
      const auto i64 = small_numbers<std::int64_t>(distribution, 13);
      const auto f = small_numbers<float>(distribution, 17);
      const auto d = small_numbers<double>(distribution, 19);
      const auto index = small_numbers<std::int64_t>(distribution, kRows);
      Database database;
      database.add_table("Numbers", {{"b", *b},
                                     {"i8", *i8},
                                     {"i16", *i16},
                                     {"i32", *i32},
                                     {"i64", *i64},
                                     {"f", *f},
                                     {"d", *d},
                                     {"i", *index},
                                     {"odd", *i64, kInt64, *b}});
      EXPECT_THAT(
          rows_of(database,
                  "SELECT count(*), sum(CASE WHEN b THEN 1 END), sum(i8), sum(i16), sum(i32), "
                  "sum(i64), cast(sum(f) AS bigint), cast(sum(d) AS bigint), count(odd) FROM "
                  "numbers"),
          ElementsAre(fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|", kRows, kRows / 2,
                                  sum_of_remainders(3), sum_of_remainders(7), sum_of_remainders(11),
                                  sum_of_remainders(13), sum_of_remainders(17),
                                  sum_of_remainders(19), kRows / 2)));
      // Each row has the elements of one index.
      EXPECT_THAT(
          rows_of(database,
                  "SELECT count(*) FROM numbers WHERE b = (i % 2 = 1) AND i8 = i % 3 AND i16 = i % "
                  "7 AND i32 = i % 11 AND i64 = i % 13 AND f = i % 17 AND d = i % 19 AND coalesce("
                  "odd, -1) = CASE WHEN i % 2 = 1 THEN i % 13 ELSE -1 END"),
          ElementsAre(fmt::format("{}|", kRows)));
      EXPECT_THAT(rows_of(database, "SELECT min(i), max(i) FROM numbers WHERE i > 69990"),
                  ElementsAre(fmt::format("69991|{}|", kRows - 1)));
    }
  });
}

TEST(TableOfArrays, IsNoCopy) {
  run(test::threads(2), [] {
    const auto numbers = small_numbers<std::int64_t>(Distribution::kBlock, 1, 10);
    Database database;
    database.add_table("t", {{"x", *numbers}});
    numbers->forall([](std::int64_t i, std::int64_t& element) { element = i; });
    EXPECT_THAT(rows_of(database, "SELECT sum(x) FROM t"), ElementsAre("45|"));
  });
}

TEST(TableOfArrays, OfNothingAndOfOtherTypes) {
  test::on_machines([] {
    const auto none = small_numbers<std::int32_t>(Distribution::kBlock, 1, 0);
    const auto days = small_numbers<std::int32_t>(Distribution::kBlock, 40, 40);
    const auto cents = small_numbers<std::int64_t>(Distribution::kBlock, 40, 40);
    Database database;
    database.add_table("none", {{"x", *none}});
    database.add_table("t", {{"day", *days, kDate}, {"price", *cents, Type::decimal(10, 2)}});
    EXPECT_THAT(rows_of(database, "SELECT count(*) FROM none"), ElementsAre("0|"));
    EXPECT_THAT(
        rows_of(database, "SELECT cast(max(day) AS varchar), cast(sum(price) AS varchar) FROM t"),
        ElementsAre("1970-02-09|7.80|"));
  });
}

TEST(TableOfArrays, RefusesWhatIsNoTable) {
  test::on_machines([] {
    const auto ten = small_numbers<std::int32_t>(Distribution::kBlock, 10, 10);
    const auto eleven = small_numbers<std::int32_t>(Distribution::kBlock, 10, 11);
    const auto cyclic = small_numbers<std::int32_t>(Distribution::kCyclic, 10, 10);
    Database database;
    EXPECT_THROW(database.add_table("t", {{"a", *ten}, {"b", *eleven}}), UsageError);
    EXPECT_THROW(database.add_table("t", {{"a", *ten}, {"b", *cyclic}}), UsageError);
    EXPECT_THROW(database.add_table("t", {{"a", *ten, kInt64}}), UsageError);
    EXPECT_THROW(database.add_table("t", {{"a", GlobalArray<double>()}}), UsageError);
    EXPECT_THROW(database.add_table("t", std::vector<ArrayColumn>{}), UsageError);
    database.add_table("t", {{"a", *ten}});
    EXPECT_THROW(database.add_table("T", {{"a", *ten}}), UsageError);
  });
}

/// What is at the home cores.
template <class T, class IsRight>
std::int64_t wrong(const GlobalArray<T>& array, IsRight is_right) {
  const Owned<GlobalArray<std::int64_t>> wrong = GlobalArray<std::int64_t>::create(1);
  array.forall([wrong = *wrong, is_right](std::int64_t i, const T& element) {
    if (!is_right(i, element)) delegate::async::increment(wrong[0], 1);
  });
  return delegate::read((*wrong)[0]);
}

std::string text_of_row(std::int64_t i) {
  return i % 3 == 0 ? fmt::format("{}", i) : fmt::format("a text that is longer: {}", i);
}

TEST(ResultOfQuery, IsInItsOrder) {
  test::on_machines([] {
    Database database;
    const Result result = result_of(
        "CREATE TABLE t AS SELECT i FROM generate_series(0, 4999) g(i); SELECT i, i % 2 = 1 AS "
        "odd, CASE WHEN i % 5 > 0 THEN i / 2.0 END AS half, CASE WHEN i % 3 = 0 THEN cast(i AS "
        "varchar) ELSE 'a text that is longer: ' || i END AS s FROM t ORDER BY i DESC",
        database);
    ASSERT_EQ(result.rows(), 5000);
    ASSERT_EQ(result.columns().size(), 4U);
    const auto row = [](std::int64_t i) { return 4999 - i; };
    EXPECT_EQ(wrong(result.column<std::int64_t>("i"),
                    [row](std::int64_t i, std::int64_t value) { return value == row(i); }),
              0);
    EXPECT_EQ(wrong(result.column<bool>("odd"),
                    [row](std::int64_t i, bool value) { return value == (row(i) % 2 == 1); }),
              0);
    EXPECT_EQ(wrong(result.column<TextRef>("s"),
                    [row](std::int64_t i, const TextRef& value) {
                      return value.view() == text_of_row(row(i));
                    }),
              0);
    ASSERT_TRUE(result.column("half").valid);
    EXPECT_FALSE(result.column("i").valid);
    EXPECT_EQ(wrong(*result.column("half").valid,
                    [row](std::int64_t i, bool value) { return value == (row(i) % 5 > 0); }),
              0);
    EXPECT_THROW(result.column<std::int64_t>("j"), UsageError);
    EXPECT_THROW(result.column<std::int32_t>("i"), UsageError);
  });
}

TEST(ResultOfQuery, IsATableAgain) {
  test::on_machines([] {
    Database database;
    database.execute(
        "CREATE TABLE t AS SELECT i, i % 100 AS k, CASE WHEN i % 7 > 0 THEN 'a text of some length "
        "' || i % 1000 END AS s FROM generate_series(1, 150000) g(i)");
    const Result all = result_of("SELECT * FROM t", database);
    database.add_table("again", all.columns());
    EXPECT_THAT(rows_of(database, "SELECT * FROM t EXCEPT SELECT * FROM again"), ElementsAre());
    EXPECT_EQ(rows_of(database,
                      "SELECT k, count(*), sum(i), max(s), count(s) FROM again GROUP BY "
                      "k ORDER BY k"),
              rows_of(database,
                      "SELECT k, count(*), sum(i), max(s), count(s) FROM t GROUP BY k "
                      "ORDER BY k"));
  });
}

TEST(ResultOfQuery, OfOneRowOrNone) {
  test::on_machines([] {
    const Result one = result_of("SELECT 42::bigint AS x, NULL AS nothing");
    ASSERT_EQ(one.rows(), 1);
    EXPECT_EQ(delegate::read(one.column<std::int64_t>("x")[0]), 42);
    EXPECT_FALSE(delegate::read((*one.column("nothing").valid)[0]));
    const Result none = result_of("SELECT 1 AS x WHERE 1 = 2");
    EXPECT_EQ(none.rows(), 0);
    EXPECT_EQ(none.columns().size(), 1U);
    EXPECT_THROW(result_of("EXPLAIN SELECT 1"), UsageError);
    EXPECT_THROW(result_of("SELECT x"), UsageError);
  });
}

}  // namespace
}  // namespace grappa::query
