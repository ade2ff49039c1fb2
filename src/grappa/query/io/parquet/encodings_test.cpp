// Bytes as the specification of Parquet's encodings has them.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "grappa/query/io/parquet/damage.hpp"
#include "grappa/query/io/parquet/delta_reader.hpp"
#include "grappa/query/io/parquet/run_reader.hpp"
#include "grappa/query/io/parquet/schema.hpp"
#include "grappa/query/io/parquet/value_reader.hpp"

namespace grappa::query::parquet {
namespace {

/// With what may be read behind it.
std::string padded(std::initializer_list<int> bytes) {
  std::string made;
  for (const int byte : bytes) made += static_cast<char>(byte);
  return made + std::string(16, '\x55');
}
std::string_view of(const std::string& bytes) {
  return std::string_view(bytes).substr(0, bytes.size() - 16);
}

TEST(RunReader, ReadsPackedBitsAndRepeatedValues) {
  // 0 … 7 in three bits, and 300 times 5.
  const std::string bytes = padded({0x03, 0x88, 0xc6, 0xfa, 0xd8, 0x04, 0x05});
  RunReader reader(of(bytes), 3);
  std::vector<std::uint32_t> values(308);
  reader.read(values.data(), values.size());
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(values[i], i);
  EXPECT_EQ(values[8], 5u);
  EXPECT_EQ(values[307], 5u);
  EXPECT_THROW(reader.read(values.data(), 1), Damage);
}

TEST(DeltaReader, ReadsTheExamplesOfTheSpecification) {
  // 1, 2, 3, 4, 5: a block of 128 in 4 miniblocks, all differences 1.
  const std::string even = padded({0x80, 0x01, 0x04, 0x05, 0x02, 0x02, 0, 0, 0, 0});
  DeltaReader reader(of(even));
  std::vector<std::int64_t> values(5);
  reader.read(values.data(), 5);
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(reader.rest(), "");
  // 7, 5, 3, 1, 2, 3, 4, 5: the least difference is -2, the others take two bits: 0 0 0 3 3 3 3.
  const std::string uneven =
      padded({0x80, 0x01, 0x04, 0x08, 0x0e, 0x03, 2, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0});
  DeltaReader other(of(uneven));
  values.resize(8);
  other.read(values.data(), 8);
  EXPECT_EQ(values, (std::vector<std::int64_t>{7, 5, 3, 1, 2, 3, 4, 5}));
  EXPECT_THROW(other.read(values.data(), 1), Damage);
}

TEST(ValueReader, ReadsSplitBytes) {
  const std::string bytes = padded({1, 2, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  ValueReader<std::int32_t> reader;
  reader.begin(Encoding::kByteStreamSplit, of(bytes), 3, 0);
  std::int32_t values[3];
  reader.read(values, 3);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(values[2], 0x103);
  EXPECT_THROW(reader.read(values, 1), Damage);
}

TEST(ValueReader, ReadsTextsByLengthsAndBeginnings) {
  // Lengths 5, 5, 6 as differences; then the bytes.
  std::string lengths = padded({0x80, 0x01, 0x04, 0x03, 0x0a, 0x00, 1, 0, 0, 0, 0x02, 0, 0, 0});
  lengths = std::string(of(lengths)) + "HelloWorldFoobar";
  const std::size_t size = lengths.size();
  lengths += std::string(16, '\0');
  ValueReader<std::string_view> reader;
  reader.begin(Encoding::kDeltaLengths, std::string_view(lengths).substr(0, size), 3, 0);
  std::string_view texts[3];
  reader.read(texts, 3);
  EXPECT_EQ(texts[0], "Hello");
  EXPECT_EQ(texts[1], "World");
  EXPECT_EQ(texts[2], "Foobar");
}

TEST(Schema, NestedColumnsAreRefusedByNameAndOthersLoaded) {
  Metadata metadata;
  metadata.schema = {
      {.name = "schema", .children = 3},
      {.name = "tags", .repetition = Repetition::kOptional, .children = 1},
      {.name = "list", .repetition = Repetition::kRepeated, .children = 1},
      {.name = "element", .stored = Stored::kInt32},
      {.name = "id", .stored = Stored::kInt64},
      {.name = "u",
       .stored = Stored::kInt32,
       .meaning = Meaning::kInteger,
       .bits = 32,
       .is_signed = false},
  };
  const std::vector<FileColumn> columns = columns_of(metadata);
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0].refusal, "is nested: a list");
  EXPECT_EQ(columns[1].refusal, "");
  EXPECT_EQ(columns[1].leaf, 1u);
  EXPECT_EQ(columns[2].type, kInt64);
  metadata.schema.pop_back();
  EXPECT_THROW(columns_of(metadata), Damage);
}

}  // namespace
}  // namespace grappa::query::parquet
