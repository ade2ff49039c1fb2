#include "grappa/query/column_builder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace grappa::query {
namespace {

using Texts = std::vector<std::optional<std::string>>;

ColumnBlock built(ColumnBuilder& builder, const Texts& texts) {
  for (const auto& text : texts) {
    if (!text) {
      builder.append_null();
      continue;
    }
    const std::string gone = *text;
    builder.append(TextRef(gone));
  }
  return builder.finish();
}

Texts texts_of(const ColumnBlock& block, std::size_t rows) {
  Texts texts;
  for (std::size_t begin = 0; begin < rows; begin += kBatchRows) {
    const Vector vector = block.vector(begin);
    for (std::size_t i = 0; i < std::min(kBatchRows, rows - begin); ++i) {
      texts.emplace_back();
      if (vector.is_valid(i)) texts.back() = std::string(vector.at<TextRef>(i).view());
    }
  }
  return texts;
}

/// One in `distinct` texts, some short and some long, some NULL.
Texts random_texts(std::size_t rows, std::size_t distinct, bool with_nulls) {
  std::mt19937_64 random(rows + distinct);
  Texts texts;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t which = random() % distinct;
    if (with_nulls && random() % 7 == 0) {
      texts.emplace_back();
    } else {
      texts.emplace_back(which == 0 ? "" : std::string(which % 40, 'x') + std::to_string(which));
    }
  }
  return texts;
}

TEST(ColumnBuilder, TextsComeBack) {
  for (const std::size_t rows : {0U, 1U, 3U, 63U, 1024U, 1025U, 5000U, 65536U}) {
    for (const std::size_t distinct : {1U, 2U, 60U, 1000U, 20000U, 1000000U}) {
      for (const bool with_nulls : {false, true}) {
        const Texts texts = random_texts(rows, distinct, with_nulls);
        ColumnBuilder builder(kText);
        const ColumnBlock block = built(builder, texts);
        ASSERT_EQ(texts_of(block, rows), texts) << rows << " " << distinct << " " << with_nulls;
        EXPECT_EQ(builder.rows(), 0U);
      }
    }
  }
}

TEST(ColumnBuilder, OnlyTextsThatRepeatAreCoded) {
  ColumnBuilder builder(kText);
  EXPECT_EQ(built(builder, random_texts(65536, 100, true)).dictionary_size, 101U);
  EXPECT_EQ(built(builder, random_texts(65536, 1000000, true)).codes, nullptr);
  // Each block by itself.
  EXPECT_NE(built(builder, random_texts(65536, 500, false)).codes, nullptr);
  EXPECT_EQ(built(builder, Texts{"a", "b", "c"}).codes, nullptr);
}

TEST(ColumnBuilder, NullAndTheEmptyTextAreTwoEntries) {
  Texts texts(2000, "");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i % 3 == 0) texts[i].reset();
    if (i % 3 == 1) texts[i] = std::to_string(i % 200);
  }
  ColumnBuilder builder(kText);
  const ColumnBlock block = built(builder, texts);
  ASSERT_NE(block.codes, nullptr);
  EXPECT_EQ(texts_of(block, texts.size()), texts);
}

TEST(ColumnBuilder, KnowsTheRangeOfWhatIsCounted) {
  ColumnBuilder integers(kInt64);
  EXPECT_FALSE(integers.finish().range);
  integers.append_null();
  EXPECT_FALSE(integers.finish().range);
  integers.append_null();
  integers.append(std::int64_t{7});
  integers.append(std::int64_t{-3});
  integers.append_null();
  const ColumnBlock block = integers.finish();
  ASSERT_TRUE(block.range);
  EXPECT_TRUE(block.range->least == -3 && block.range->greatest == 7);
  ColumnBuilder wide(Type::decimal(38, 0));
  wide.append(power_of_ten(30));
  EXPECT_TRUE(wide.finish().range->least == power_of_ten(30));
  ColumnBuilder doubles(kDouble);
  doubles.append(1.5);
  EXPECT_FALSE(doubles.finish().range);
  ColumnBuilder booleans(kBoolean);
  booleans.append(std::uint8_t{1});
  EXPECT_FALSE(booleans.finish().range);
}

TEST(ColumnBuilder, ThereIsValidityWhereThereAreNulls) {
  ColumnBuilder builder(kInt32);
  for (std::int32_t i = 0; i < 3000; ++i) builder.append(i);
  EXPECT_EQ(builder.finish().valid, nullptr);
  for (std::int32_t i = 0; i < 3000; ++i) {
    if (i % 5 == 0) {
      builder.append_null();
    } else {
      builder.append(i);
    }
  }
  const ColumnBlock block = builder.finish();
  const Vector vector = block.vector(2048);
  for (std::size_t i = 0; i < 952; ++i) {
    ASSERT_EQ(vector.is_valid(i), (2048 + i) % 5 != 0);
    if (vector.is_valid(i)) {
      ASSERT_EQ(vector.at<std::int32_t>(i), static_cast<int>(2048 + i));
    }
  }
}

TEST(ColumnBuilder, CountsDifferentValuesOfAllBlocks) {
  ColumnBuilder integers(kInt64);
  ColumnBuilder texts(kText);
  for (std::int64_t i = 0; i < 200'000; ++i) {
    integers.append(i % 10'000);
    texts.append(TextRef(std::to_string(i % 10'000)));
    if (integers.rows() == kBlockRows) integers.finish();
    if (texts.rows() == kBlockRows) texts.finish();
  }
  integers.finish();
  texts.finish();
  EXPECT_NEAR(integers.sketch().estimate(), 10'000, 1'000);
  EXPECT_NEAR(texts.sketch().estimate(), 10'000, 1'000);
}

}  // namespace
}  // namespace grappa::query
