#include "grappa/query/datalog/tuple_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace grappa::query::datalog {
namespace {

TEST(TupleRows, StayWhereTheyAre) {
  TupleRows rows(2);
  std::vector<const Word*> places;
  for (Word i = 0; i < 1000; ++i) {
    Word* const row = rows.append();
    row[0] = i;
    row[1] = ~i;
    places.push_back(row);
  }
  ASSERT_EQ(rows.size(), 1000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], places[i]);
    EXPECT_EQ(rows[i][0], i);
    EXPECT_EQ(rows[i][1], ~Word{i});
  }
  rows.truncate(100);
  EXPECT_EQ(rows.append(), places[100]);
}

TEST(TupleRows, RunsAreAllOfARange) {
  TupleRows rows(1);
  for (Word i = 0; i < 1000; ++i) *rows.append() = i;
  for (const std::size_t begin : {0u, 63u, 64u, 500u, 999u, 1000u})
    for (const std::size_t end : {63u, 64u, 65u, 512u, 1000u}) {
      std::size_t next = begin;
      rows.for_each_run(begin, end, [&](const Word* tuples, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(tuples[i], next++);
      });
      EXPECT_EQ(next, std::max(begin, end));
    }
}

}  // namespace
}  // namespace grappa::query::datalog
