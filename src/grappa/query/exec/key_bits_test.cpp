#include "grappa/query/exec/key_bits.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "grappa/query/expression/function.hpp"

namespace grappa::query {
namespace {

std::vector<std::uint16_t> selected(const KeyBits& bits, const std::vector<std::int64_t>& keys,
                                    const std::vector<Position>& positions) {
  Batch batch;
  batch.rows = keys.size();
  batch.count = positions.size();
  batch.selection = positions.data();
  const Vector column{.type = kInt64, .values = keys.data()};
  std::vector<std::uint16_t> chosen(keys.size());
  chosen.resize(bits.select(batch, column, chosen.data()));
  return chosen;
}

TEST(KeyBits, SelectWhatWasInserted) {
  for (const std::int64_t least : {INT64_MIN, std::int64_t{-100}, std::int64_t{0}}) {
    KeyBits bits(least, least + 200);
    for (const std::int64_t key : {0, 63, 64, 200}) bits.insert(least + key);
    EXPECT_EQ(selected(bits, {least, least + 1, least + 64, least + 200, least + 201, INT64_MAX},
                       {0, 1, 2, 3, 4, 5}),
              (std::vector<std::uint16_t>{0, 2, 3}));
    // The numbers are those of the selected rows.
    EXPECT_EQ(selected(bits, {least, least + 1, least + 64, least + 200}, {1, 3}),
              (std::vector<std::uint16_t>{1}));
  }
}

TEST(KeyBits, KeysBelowAreNotThere) {
  KeyBits bits(10, 20);
  bits.insert(10);
  EXPECT_EQ(selected(bits, {9, -10, INT64_MIN, 10}, {0, 1, 2, 3}), (std::vector<std::uint16_t>{3}));
}

TEST(KeyBits, AreCharged) {
  MemoryBudget budget(1000);
  {
    const KeyBits bits(0, 1000, &budget);
    EXPECT_LE(budget.left(), 1000 - 1000 / 8);
    EXPECT_THROW(KeyBits(0, 10'000, &budget), QueryError);
  }
  EXPECT_EQ(budget.left(), 1000);
}

}  // namespace
}  // namespace grappa::query
