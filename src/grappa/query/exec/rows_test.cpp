// Sources of rows, the operators over them, and how they share rows among cores.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/rows_source.hpp"
#include "grappa/query/exec/test_relations.hpp"

namespace grappa::query {
namespace {

using test::Integers;

Integers numbered(std::int64_t rows) {
  Integers made;
  for (std::int64_t i = 0; i < rows; ++i) made.push_back({i});
  return made;
}

/// EXCEPT, INTERSECT: rows that are shown by whichever core comes first, each by one.
TEST(Rows, OfSetsAreShownOnce) {
  for (const bool all : {false, true}) {
    for (const RelationKind kind : {RelationKind::kExcept, RelationKind::kIntersect}) {
      ColumnNumbers numbers;
      Relation made{.kind = kind};
      made.all = all;
      made.inputs = {test::relation_of(numbered(20'000), 1, numbers),
                     test::relation_of(numbered(10'000), 1, numbers)};
      made.given = {made.inputs[0]->columns, made.inputs[1]->columns};
      made.columns = {numbers.make(kInt64)};
      Integers found = test::rows_of(std::make_shared<const Relation>(std::move(made)));
      std::ranges::sort(found);
      Integers expected = numbered(20'000);
      if (kind == RelationKind::kExcept)
        expected.erase(expected.begin(), expected.begin() + 10'000);
      else
        expected.resize(10'000);
      EXPECT_TRUE(found == expected) << name_of(kind) << (all ? " all" : "");
    }
  }
}

TEST(Rows, WithoutColumnsAreCounted) {
  Rows rows({}, 1);
  const auto sink = rows.sink(0, {});
  Batch batch;
  batch.rows = batch.count = 1000;
  for (int i = 0; i < 5; ++i) sink->push(batch);
  EXPECT_EQ(rows.count(), 5000U);
  std::size_t pieces = 0;
  for (const RowStore::Piece& piece : rows.stores[0]->pieces()) pieces += piece.rows;
  EXPECT_EQ(pieces, 5000U);
}

TEST(Rows, GiveBackWhatWasWritten) {
  RowLayout layout;
  const std::size_t number = layout.add(kInt32);
  const std::size_t text = layout.add(kText);
  RowStore store(layout.row_bytes());
  std::vector<std::int32_t> numbers;
  std::vector<std::string> texts;
  for (std::int32_t i = 0; i < 1000; ++i) {
    numbers.push_back(i * 3);
    texts.push_back(std::string(static_cast<std::size_t>(i % 30), 'x'));
  }
  std::vector<TextRef> refs(texts.begin(), texts.end());
  std::vector<std::uint64_t> valid(words_for_bits(1000), ~std::uint64_t{0});
  clear_bit(valid.data(), 8);
  std::vector<Position> odd;
  for (std::size_t i = 0; i < 1000; i += 2) odd.push_back(static_cast<Position>(i));
  Batch batch;
  batch.rows = 1000;
  batch.count = odd.size();
  batch.selection = odd.data();
  batch.columns = {{.type = kInt32, .values = numbers.data(), .valid = valid.data()},
                   {.type = kText, .values = refs.data()}};
  std::vector<std::byte*> rows(odd.size());
  store.append(rows.size(), rows.data());
  layout.write(number, batch.columns[0], batch, rows.data(), store.texts());
  layout.write(text, batch.columns[1], batch, rows.data(), store.texts());
  texts.assign(texts.size(), "");  // texts that do not stay were copied
  refs.clear();
  VectorBuffer buffer(kInt32);
  layout.read(number, rows.data(), rows.size(), odd.data(), 1000, buffer);
  const Vector read = buffer.vector(true);
  for (std::size_t i = 0; i < odd.size(); ++i) {
    EXPECT_EQ(layout.is_null(number, rows[i]), odd[i] == 8);
    EXPECT_EQ(layout.at<TextRef>(text, rows[i]).view(), std::string(odd[i] % 30, 'x'));
    EXPECT_EQ(read.is_valid(odd[i]), odd[i] != 8);
    if (odd[i] != 8) {
      EXPECT_EQ(read.at<std::int32_t>(odd[i]), odd[i] * 3);
    }
  }
}

}  // namespace
}  // namespace grappa::query
