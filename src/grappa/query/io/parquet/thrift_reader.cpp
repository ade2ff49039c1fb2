#include "grappa/query/io/parquet/thrift_reader.hpp"

namespace grappa::query::parquet {

std::uint64_t ThriftReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    value |= std::uint64_t{next & 0x7fu} << shift;
    if ((next & 0x80) == 0) return value;
  }
  throw Damage("the metadata has an integer of more than 64 bits");
}

std::string_view ThriftReader::take_bytes(std::uint64_t count) {
  if (count > static_cast<std::uint64_t>(end_ - at_)) throw Damage("the metadata is cut off");
  const std::string_view bytes(at_, count);
  at_ += count;
  return bytes;
}

std::int64_t ThriftReader::integer(ThriftType type) {
  if (type == ThriftType::kByte) return static_cast<std::int8_t>(byte());
  if (type != ThriftType::kInt16 && type != ThriftType::kInt32 && type != ThriftType::kInt64)
    throw Damage("the metadata has something else where an integer was expected");
  return zigzag();
}

bool ThriftReader::boolean(ThriftType type) const {
  if (type != ThriftType::kTrue && type != ThriftType::kFalse)
    throw Damage("the metadata has something else where true or false was expected");
  return type == ThriftType::kTrue;
}

std::string_view ThriftReader::binary(ThriftType type) {
  if (type != ThriftType::kBinary)
    throw Damage("the metadata has something else where a text was expected");
  return take_bytes(varint());
}

std::size_t ThriftReader::list(ThriftType type, ThriftType of) {
  if (type != ThriftType::kList && type != ThriftType::kSet)
    throw Damage("the metadata has something else where a list was expected");
  const std::uint8_t header = byte();
  constexpr std::uint8_t kLong = 15;
  std::uint64_t count = header >> 4;
  if (count == kLong) count = varint();
  // An element has a byte at least.
  if (count > static_cast<std::uint64_t>(end_ - at_)) throw Damage("the metadata is cut off");
  if (count > 0 && static_cast<ThriftType>(header & 0x0f) != of)
    throw Damage("the metadata has a list of something else than was expected");
  return count;
}

void ThriftReader::skip_element(ThriftType type) {
  if (type == ThriftType::kTrue || type == ThriftType::kFalse)
    byte();
  else
    skip(type);
}

void ThriftReader::skip(ThriftType type) {
  switch (type) {
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      return;
    case ThriftType::kByte:
      byte();
      return;
    case ThriftType::kInt16:
    case ThriftType::kInt32:
    case ThriftType::kInt64:
      varint();
      return;
    case ThriftType::kDouble:
      take_bytes(sizeof(double));
      return;
    case ThriftType::kBinary:
      take_bytes(varint());
      return;
    case ThriftType::kList:
    case ThriftType::kSet: {
      const Level level(*this);
      const char* const header = at_;
      if (at_ == end_) throw Damage("the metadata is cut off");
      const auto of = static_cast<ThriftType>(*header & 0x0f);
      for (std::size_t left = list(type, of); left > 0; --left) skip_element(of);
      return;
    }
    case ThriftType::kMap: {
      const Level level(*this);
      const std::uint64_t count = varint();
      if (count == 0) return;
      if (count > static_cast<std::uint64_t>(end_ - at_)) throw Damage("the metadata is cut off");
      const std::uint8_t types = byte();
      for (std::uint64_t left = count; left > 0; --left) {
        skip_element(static_cast<ThriftType>(types >> 4));
        skip_element(static_cast<ThriftType>(types & 0x0f));
      }
      return;
    }
    case ThriftType::kStruct:
      read_struct([](int, ThriftType) { return false; });
      return;
    case ThriftType::kStop:
      break;
  }
  throw Damage("the metadata has a field of no known type");
}

}  // namespace grappa::query::parquet
