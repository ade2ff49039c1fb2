#pragma once

// A block of a table as a row group of a Parquet file.
//
//   const WrittenGroup group = write_group(block, Codec::kSnappy);
//
// Texts that have a dictionary keep it; other values are written plainly. For one core.

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "grappa/query/io/parquet/metadata.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query::parquet {

/// What the footer says of a column in a row group; places count from where the group begins.
struct WrittenChunk {
  std::int64_t dictionary_place = -1;  // there is none
  std::int64_t data_place = 0;
  std::int64_t bytes = 0;
  std::int64_t plain_bytes = 0;
  std::int64_t nulls = 0;
  // As plain values; empty: none is known.
  std::string least{};
  std::string greatest{};

  static constexpr auto kMembers =
      std::tuple(&WrittenChunk::dictionary_place, &WrittenChunk::data_place, &WrittenChunk::bytes,
                 &WrittenChunk::plain_bytes, &WrittenChunk::nulls, &WrittenChunk::least,
                 &WrittenChunk::greatest);
};

struct WrittenGroup {
  std::int64_t rows = 0;
  std::vector<WrittenChunk> chunks{};
  std::string bytes{};

  static constexpr auto kMembers =
      std::tuple(&WrittenGroup::rows, &WrittenGroup::chunks, &WrittenGroup::bytes);
};

/// How a type is stored, and described in the schema.
SchemaElement stored_as(const std::string& name, const Type& type);

/// Error where a value cannot be written.
WrittenGroup write_group(const Block& block, Codec codec);

}  // namespace grappa::query::parquet
