#include "grappa/query/exec/group_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace grappa::query {
namespace {

/// Groups of integers, each with a number: how many rows it has.
class Counts {
 public:
  Counts() {
    layout_.add_bytes(sizeof(std::uint64_t), 8);
    layout_.add(kInt64);
    count_ = layout_.add_bytes(sizeof(std::int64_t), 8);
  }

  GroupTable table() const {
    return GroupTable(layout_, 1, [this](std::byte* row) { count(row) = 0; });
  }
  void add(GroupTable& table, const std::vector<std::int64_t>& keys) const {
    std::vector<std::byte*> rows(kBatchRows);
    for (std::size_t begin = 0; begin < keys.size(); begin += kBatchRows) {
      Batch batch;
      batch.rows = batch.count = std::min(kBatchRows, keys.size() - begin);
      const Vector column{.type = kInt64, .values = keys.data() + begin};
      table.find_or_add(batch, std::vector{column}, rows.data());
      for (std::size_t i = 0; i < batch.count; ++i) ++count(rows[i]);
    }
  }
  std::int64_t& count(std::byte* row) const {
    return *reinterpret_cast<std::int64_t*>(row + count_);
  }
  std::int64_t key(const std::byte* row) const { return layout_.at<std::int64_t>(0, row); }

 private:
  RowLayout layout_;
  std::size_t count_ = 0;
};

std::vector<std::int64_t> some_keys(std::int64_t count, std::int64_t distinct) {
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < count; ++i) keys.push_back(i * 7919 % distinct);
  return keys;
}

TEST(GroupTable, KeepsItsGroupsWhileItGrows) {
  const Counts counts;
  GroupTable table = counts.table();
  const auto keys = some_keys(300'000, 70'001);
  counts.add(table, keys);
  std::map<std::int64_t, std::int64_t> expected;
  for (const std::int64_t key : keys) ++expected[key];
  std::map<std::int64_t, std::int64_t> found;
  table.for_each([&](std::byte* row) { found[counts.key(row)] += counts.count(row); });
  EXPECT_EQ(table.size(), expected.size());
  EXPECT_EQ(found, expected);
}

TEST(GroupTable, ForgetsKeysThatDoNotComeAgain) {
  const Counts counts;
  GroupTable table = counts.table();
  table.may_forget();
  // All different, and then the first of them once more.
  const auto keys = some_keys(400'000, 300'007);
  counts.add(table, keys);
  EXPECT_TRUE(table.has_forgotten());
  EXPECT_GT(table.size(), 300'007U);
  std::map<std::int64_t, std::int64_t> expected;
  for (const std::int64_t key : keys) ++expected[key];
  std::map<std::int64_t, std::int64_t> found;
  table.for_each([&](std::byte* row) { found[counts.key(row)] += counts.count(row); });
  EXPECT_EQ(found, expected);
}

TEST(GroupTable, ForgetsNoMoreWhereKeysComeAgain) {
  const Counts counts;
  GroupTable table = counts.table();
  table.may_forget();
  constexpr std::int64_t kKeys = 150'001;
  counts.add(table, some_keys(20 * kKeys, kKeys));
  EXPECT_TRUE(table.has_forgotten());
  EXPECT_LT(table.size(), std::size_t{4 * kKeys});
}

TEST(GroupTable, ForgetsNothingUnlessItMay) {
  const Counts counts;
  GroupTable table = counts.table();
  counts.add(table, some_keys(400'000, 300'007));
  EXPECT_FALSE(table.has_forgotten());
  EXPECT_EQ(table.size(), 300'007U);
}

TEST(GroupTable, PartsHaveAllGroupsOnce) {
  const Counts counts;
  GroupTable table = counts.table();
  EXPECT_EQ(table.size_of_part(3), 0U);
  counts.add(table, some_keys(10'000, 5'000));
  std::set<std::int64_t> found;
  for (std::size_t part = 0; part < GroupTable::kParts; ++part) {
    std::size_t rows = 0;
    table.for_each_of_part(part, [&](std::byte* row) {
      ++rows;
      EXPECT_EQ(GroupTable::part_of(hash_of_row(row)), part);
      EXPECT_TRUE(found.insert(counts.key(row)).second);
    });
    EXPECT_EQ(table.size_of_part(part), rows);
  }
  EXPECT_EQ(found.size(), 5'000U);
}

TEST(GroupTable, FindsRowsOfOthers) {
  const Counts counts;
  GroupTable first = counts.table();
  GroupTable second = counts.table();
  counts.add(first, some_keys(3'000, 3'000));
  counts.add(second, some_keys(5'000, 5'000));
  GroupTable all = counts.table();
  all.expect(8'000);
  first.for_each([&](std::byte* row) { EXPECT_EQ(all.find_or_take(row), row); });
  std::size_t found = 0;
  second.for_each([&](std::byte* row) {
    std::byte* const group = all.find_or_take(row);
    EXPECT_EQ(counts.key(group), counts.key(row));
    found += group != row ? 1 : 0;
  });
  EXPECT_EQ(found, 3'000U);
  EXPECT_EQ(all.size(), 5'000U);
}

}  // namespace
}  // namespace grappa::query
