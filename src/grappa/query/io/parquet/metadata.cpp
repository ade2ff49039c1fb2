#include "grappa/query/io/parquet/metadata.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "grappa/query/io/parquet/thrift_reader.hpp"

namespace grappa::query::parquet {
namespace {

constexpr std::size_t kTail = 8;  // the length of the metadata, and kMagic

template <class Enum>
Enum enum_of(std::int64_t number, Enum greatest, std::string_view what) {
  if (number < 0 || number > static_cast<std::int64_t>(greatest))
    throw Damage(fmt::format("{} is no {} that is known", number, what));
  return static_cast<Enum>(number);
}

std::int64_t count_of(std::int64_t number, std::string_view what) {
  if (number < 0) throw Damage(fmt::format("the {} is {}", what, number));
  return number;
}

int small_count_of(std::int64_t number, std::string_view what) {
  constexpr int kMost = 1 << 20;
  if (number < 0 || number > kMost) throw Damage(fmt::format("the {} is {}", what, number));
  return static_cast<int>(number);
}

/// The older annotation.
void take_converted(std::int64_t number, SchemaElement& element) {
  enum Converted : std::uint8_t {
    kUtf8,
    kMap,
    kMapKeyValue,
    kList,
    kEnum,
    kDecimal,
    kDate,
    kTimeMillis,
    kTimeMicros,
    kTimestampMillis,
    kTimestampMicros,
    kUnsigned8,
    kUnsigned16,
    kUnsigned32,
    kUnsigned64,
    kSigned8,
    kSigned16,
    kSigned32,
    kSigned64,
    kJson,
    kBson,
    kInterval,
  };
  if (element.meaning != Meaning::kNone) return;  // the newer one says more
  const auto integer = [&](int bits, bool is_signed) {
    element.meaning = Meaning::kInteger;
    element.bits = bits;
    element.is_signed = is_signed;
  };
  const auto time = [&](Meaning meaning, Unit unit) {
    element.meaning = meaning;
    element.unit = unit;
  };
  switch (number) {
    case kUtf8:
    case kEnum:
    case kJson:
      element.meaning = Meaning::kText;
      return;
    case kDecimal:
      element.meaning = Meaning::kDecimal;
      return;
    case kDate:
      element.meaning = Meaning::kDate;
      return;
    case kTimeMillis:
      return time(Meaning::kTime, Unit::kMillis);
    case kTimeMicros:
      return time(Meaning::kTime, Unit::kMicros);
    case kTimestampMillis:
      return time(Meaning::kTimestamp, Unit::kMillis);
    case kTimestampMicros:
      return time(Meaning::kTimestamp, Unit::kMicros);
    case kUnsigned8:
    case kUnsigned16:
    case kUnsigned32:
    case kUnsigned64:
      return integer(8 << (number - kUnsigned8), false);
    case kSigned8:
    case kSigned16:
    case kSigned32:
    case kSigned64:
      return integer(8 << (number - kSigned8), true);
    case kInterval:
      element.meaning = Meaning::kInterval;
      return;
    default:
      element.meaning = Meaning::kOther;
  }
}

class MetadataReader {
 public:
  explicit MetadataReader(std::string_view bytes) : in_(bytes) {}

  Metadata read() {
    Metadata made;
    in_.read_struct([&](int id, ThriftType type) {
      switch (id) {
        case 2:
          in_.read_list(type, ThriftType::kStruct,
                        [&] { made.schema.push_back(schema_element()); });
          return true;
        case 3:
          made.rows = count_of(in_.integer(type), "number of rows");
          return true;
        case 4:
          in_.read_list(type, ThriftType::kStruct, [&] { made.groups.push_back(row_group()); });
          return true;
        case 8:
          throw Damage("encrypted files are not supported");
        default:
          return false;
      }
    });
    return made;
  }

 private:
  SchemaElement schema_element() {
    SchemaElement made;
    std::optional<std::int64_t> converted;
    in_.read_struct([&](int id, ThriftType type) {
      switch (id) {
        case 1:
          made.stored = enum_of(in_.integer(type), Stored::kFixedBytes, "type");
          return true;
        case 2:
          made.length = count_of(in_.integer(type), "length of a type");
          return true;
        case 3:
          made.repetition = enum_of(in_.integer(type), Repetition::kRepeated, "repetition");
          return true;
        case 4:
          made.name = in_.binary(type);
          return true;
        case 5:
          made.children = count_of(in_.integer(type), "number of fields");
          return true;
        case 6:
          converted = in_.integer(type);
          return true;
        case 7:
          made.scale = small_count_of(in_.integer(type), "scale of a decimal");
          return true;
        case 8:
          made.precision = small_count_of(in_.integer(type), "precision of a decimal");
          return true;
        case 10:
          if (type != ThriftType::kStruct) return false;
          logical_type(made);
          return true;
        default:
          return false;
      }
    });
    if (converted) take_converted(*converted, made);
    return made;
  }

  void logical_type(SchemaElement& made) {
    in_.read_struct([&](int id, ThriftType type) {
      if (type != ThriftType::kStruct) return false;
      enum Logical : std::uint8_t {
        kString = 1,
        kEnum = 4,
        kDecimal = 5,
        kDate = 6,
        kTime = 7,
        kTimestamp = 8,
        kInteger = 10,
        kUnknown = 11,
        kJson = 12,
        kUuid = 14,
        kFloat16 = 15,
      };
      switch (id) {
        case kString:
        case kEnum:
        case kJson:
          made.meaning = Meaning::kText;
          return false;
        case kDecimal:
          made.meaning = Meaning::kDecimal;
          decimal_type(made);
          return true;
        case kDate:
          made.meaning = Meaning::kDate;
          return false;
        case kTime:
        case kTimestamp:
          made.meaning = id == kTime ? Meaning::kTime : Meaning::kTimestamp;
          time_type(made);
          return true;
        case kInteger:
          made.meaning = Meaning::kInteger;
          integer_type(made);
          return true;
        case kUnknown:
          made.meaning = Meaning::kNull;
          return false;
        case kUuid:
          made.meaning = Meaning::kUuid;
          return false;
        case kFloat16:
          made.meaning = Meaning::kHalf;
          return false;
        default:
          made.meaning = Meaning::kOther;
          return false;
      }
    });
  }
  void decimal_type(SchemaElement& made) {
    in_.read_struct([&](int id, ThriftType type) {
      if (id != 1 && id != 2) return false;
      int& to = id == 1 ? made.scale : made.precision;
      to = small_count_of(in_.integer(type), "number of digits of a decimal");
      return true;
    });
  }
  void integer_type(SchemaElement& made) {
    in_.read_struct([&](int id, ThriftType type) {
      if (id == 1) made.bits = small_count_of(in_.integer(type), "number of bits of an integer");
      if (id == 2) made.is_signed = in_.boolean(type);
      return id == 1 || id == 2;
    });
  }
  void time_type(SchemaElement& made) {
    in_.read_struct([&](int id, ThriftType type) {
      if (id != 2 || type != ThriftType::kStruct) return false;
      in_.read_struct([&](int unit, ThriftType) {
        made.unit = enum_of(unit - 1, Unit::kNanos, "unit of time");
        return false;
      });
      return true;
    });
  }

  RowGroup row_group() {
    RowGroup made;
    in_.read_struct([&](int id, ThriftType type) {
      if (id == 1)
        in_.read_list(type, ThriftType::kStruct, [&] { made.chunks.push_back(chunk()); });
      if (id == 3) made.rows = count_of(in_.integer(type), "number of rows of a row group");
      return id == 1 || id == 3;
    });
    return made;
  }

  Chunk chunk() {
    Chunk made;
    in_.read_struct([&](int id, ThriftType type) {
      switch (id) {
        case 1:
          if (!in_.binary(type).empty()) made.refusal = "its values are in another file";
          return true;
        case 3:
          if (type != ThriftType::kStruct) return false;
          chunk_metadata(made);
          return true;
        case 8:
        case 9:
          made.refusal = "it is encrypted";
          return false;
        default:
          return false;
      }
    });
    return made;
  }

  void chunk_metadata(Chunk& made) {
    std::int64_t dictionary = 0;
    std::int64_t data = 0;
    in_.read_struct([&](int id, ThriftType type) {
      switch (id) {
        case 1:
          made.stored = enum_of(in_.integer(type), Stored::kFixedBytes, "type");
          return true;
        case 4:
          made.codec = enum_of(in_.integer(type), Codec::kLz4, "codec");
          return true;
        case 5:
          made.values = count_of(in_.integer(type), "number of values");
          return true;
        case 7:
          made.bytes = static_cast<std::size_t>(count_of(in_.integer(type), "length of a column"));
          return true;
        case 9:
          data = count_of(in_.integer(type), "place of a column");
          return true;
        case 11:
          dictionary = count_of(in_.integer(type), "place of a dictionary");
          return true;
        default:
          return false;
      }
    });
    // Some writers have a place of 0 where there is no dictionary.
    made.begin = static_cast<std::size_t>(dictionary > 0 && dictionary < data ? dictionary : data);
  }

  ThriftReader in_;
};

}  // namespace

Metadata read_metadata(std::string_view file) {
  if (file.size() < kMagic.size() + kTail || !file.starts_with(kMagic)) {
    if (file.starts_with("PARE")) throw Damage("encrypted files are not supported");
    throw Damage("a Parquet file was expected, which begins with PAR1");
  }
  if (!file.ends_with(kMagic))
    throw Damage("a Parquet file was expected to end with PAR1; it seems to be cut off");
  std::uint32_t length;
  std::memcpy(&length, file.data() + file.size() - kTail, sizeof length);
  if (length == 0 || length > file.size() - kTail - kMagic.size())
    throw Damage(fmt::format("its metadata would have {} bytes, which are not there", length));
  const std::size_t end = file.size() - kTail - length;
  Metadata made = MetadataReader(file.substr(end, length)).read();
  std::int64_t rows = 0;
  for (const RowGroup& group : made.groups) {
    if (group.rows > std::numeric_limits<std::int64_t>::max() - rows)
      throw Damage("it would have more rows than can be counted");
    rows += group.rows;
    for (const Chunk& chunk : group.chunks) {
      if (chunk.begin > end || chunk.bytes > end - chunk.begin)
        throw Damage("its metadata names a place that is not in the file");
    }
  }
  if (rows != made.rows)
    throw Damage(
        fmt::format("its metadata says {} rows, and {} in its row groups", made.rows, rows));
  return made;
}

PageHeader read_page_header(std::string_view bytes) {
  PageHeader made;
  ThriftReader in(bytes);
  const auto length = [&](ThriftType type) {
    const std::int64_t read = in.integer(type);
    if (read < 0 || read > std::numeric_limits<std::int32_t>::max())
      throw Damage(fmt::format("a page has a length of {}", read));
    return static_cast<std::size_t>(read);
  };
  const auto encoding = [&](ThriftType type) {
    return enum_of(in.integer(type), Encoding::kByteStreamSplit, "encoding");
  };
  bool has_details = false;
  in.read_struct([&](int id, ThriftType type) {
    switch (id) {
      case 1:
        made.kind = enum_of(in.integer(type), PageKind::kDataV2, "kind of page");
        return true;
      case 2:
        made.plain_bytes = length(type);
        return true;
      case 3:
        made.compressed_bytes = length(type);
        return true;
      case 4:
        made.checksum = static_cast<std::uint32_t>(in.integer(type));
        return true;
      case 5:
      case 7:
        if (type != ThriftType::kStruct) return false;
        has_details = true;
        in.read_struct([&](int detail, ThriftType of) {
          if (detail == 1) made.values = count_of(in.integer(of), "number of values of a page");
          if (detail == 2) made.encoding = encoding(of);
          if (detail == 3 && id == 5) made.level_encoding = encoding(of);
          return detail <= 2 || (detail == 3 && id == 5);
        });
        return true;
      case 8:
        if (type != ThriftType::kStruct) return false;
        has_details = true;
        in.read_struct([&](int detail, ThriftType of) {
          if (detail == 1) made.values = count_of(in.integer(of), "number of values of a page");
          if (detail == 4) made.encoding = encoding(of);
          if (detail == 5) made.definition_bytes = length(of);
          if (detail == 6) made.repetition_bytes = length(of);
          if (detail == 7) made.is_compressed = in.boolean(of);
          return detail == 1 || (detail >= 4 && detail <= 7);
        });
        return true;
      default:
        return false;
    }
  });
  if (made.kind != PageKind::kIndex && !has_details)
    throw Damage("a page does not say what it has");
  made.bytes = static_cast<std::size_t>(in.position() - bytes.data());
  return made;
}

}  // namespace grappa::query::parquet
