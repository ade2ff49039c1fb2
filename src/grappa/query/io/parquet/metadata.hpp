#pragma once

// What a Parquet file says about itself: its footer, and the headers of its pages.
//
//   const Metadata metadata = read_metadata(bytes);           // of the whole file
//   for (const RowGroup& group : metadata.groups) use(group.rows, group.chunks);
//
// Names and numbers are those of parquet.thrift. Damage where the bytes
// are no such file. What a chunk says about its place has been checked.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::query::parquet {

/// At the beginning of a file, and at its end.
inline constexpr std::string_view kMagic = "PAR1";

/// How values are stored.
enum class Stored : std::uint8_t {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,
  kFloat = 4,
  kDouble = 5,
  kBytes = 6,
  kFixedBytes = 7,
};

enum class Repetition : std::uint8_t { kRequired = 0, kOptional = 1, kRepeated = 2 };

enum class Codec : std::uint8_t {
  kNone = 0,
  kSnappy = 1,
  kGzip = 2,
  kLzo = 3,
  kBrotli = 4,
  kFramedLz4 = 5,  // as Hadoop frames it
  kZstd = 6,
  kLz4 = 7,
};

enum class Encoding : std::uint8_t {
  kPlain = 0,
  kPlainDictionary = 2,
  kRuns = 3,
  kBitPacked = 4,
  kDeltaPacked = 5,
  kDeltaLengths = 6,
  kDeltaBytes = 7,
  kDictionary = 8,
  kByteStreamSplit = 9,
};

/// What values mean, by the newer or the older annotation.
enum class Meaning : std::uint8_t {
  kNone,
  kText,
  kInteger,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kInterval,
  kUuid,
  kHalf,
  kNull,
  kOther,
};

enum class Unit : std::uint8_t { kMillis, kMicros, kNanos };

struct SchemaElement {
  std::string name;
  std::optional<Stored> stored{};  // nothing: a group of others
  Repetition repetition = Repetition::kRequired;
  std::int64_t length = 0;    // of fixed bytes
  std::int64_t children = 0;  // that follow
  Meaning meaning = Meaning::kNone;
  int bits = 0;  // of integers
  bool is_signed = true;
  Unit unit = Unit::kMicros;
  int precision = 0;
  int scale = 0;
};

/// The values of a column in a row group.
struct Chunk {
  std::optional<Stored> stored{};
  Codec codec = Codec::kNone;
  std::int64_t values = 0;
  std::size_t begin = 0;  // in the file
  std::size_t bytes = 0;
  std::string refusal{};  // why it cannot be read
};

struct RowGroup {
  std::int64_t rows = 0;
  std::vector<Chunk> chunks;  // by column, as the leaves of the schema are
};

struct Metadata {
  std::vector<SchemaElement> schema;  // depth first, the root first
  std::vector<RowGroup> groups;
  std::int64_t rows = 0;
};

Metadata read_metadata(std::string_view file);

enum class PageKind : std::uint8_t { kData = 0, kIndex = 1, kDictionary = 2, kDataV2 = 3 };

struct PageHeader {
  PageKind kind = PageKind::kData;
  std::size_t bytes = 0;             // of this header
  std::size_t compressed_bytes = 0;  // of what follows
  std::size_t plain_bytes = 0;
  std::optional<std::uint32_t> checksum{};
  std::int64_t values = 0;
  Encoding encoding = Encoding::kPlain;
  Encoding level_encoding = Encoding::kRuns;
  // Of version 2, where levels are not compressed:
  std::size_t definition_bytes = 0;
  std::size_t repetition_bytes = 0;
  bool is_compressed = true;
};

/// At the beginning of `bytes`, behind which there are others of the file.
PageHeader read_page_header(std::string_view bytes);

}  // namespace grappa::query::parquet
