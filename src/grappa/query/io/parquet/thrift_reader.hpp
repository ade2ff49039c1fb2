#pragma once

// Thrift's compact protocol, in which Parquet's metadata is written.
//
//   ThriftReader reader(bytes);
//   reader.read_struct([&](int id, ThriftType type) {
//     if (id != 3) return false;                // skipped
//     use(reader.integer(type));
//     return true;
//   });
//
// Damage where the bytes are no such thing; nothing behind them is read. One thread.
// (Specification: thrift-compact-protocol.md of Apache Thrift.)

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {

enum class ThriftType : std::uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  /// Calls take(id, type) for each field, which reads its value, or returns false.
  template <class Take>
  void read_struct(const Take& take) {
    const Level level(*this);
    int id = 0;
    while (true) {
      const std::uint8_t header = byte();
      const auto type = static_cast<ThriftType>(header & 0x0f);
      if (type == ThriftType::kStop) return;
      id = header >> 4 != 0 ? id + (header >> 4) : static_cast<std::int16_t>(zigzag());
      if (!take(id, type)) skip(type);
    }
  }
  /// Calls take() for each element, which reads it.
  template <class Take>
  void read_list(ThriftType type, ThriftType of, const Take& take) {
    for (std::size_t left = list(type, of); left > 0; --left) take();
  }

  std::int64_t integer(ThriftType type);
  bool boolean(ThriftType type) const;
  std::string_view binary(ThriftType type);
  /// An integer in a list.
  std::int64_t element() { return zigzag(); }
  std::string_view binary_element() { return take_bytes(varint()); }

  /// What has not been read.
  const char* position() const { return at_; }

 private:
  static constexpr int kMostLevels = 64;
  struct Level {
    explicit Level(ThriftReader& of) : reader(of) {
      if (++reader.levels_ > kMostLevels) throw Damage("the metadata is nested too deep");
    }
    ~Level() { --reader.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ThriftReader& reader;
  };

  std::uint8_t byte() {
    if (at_ == end_) throw Damage("the metadata is cut off");
    return static_cast<std::uint8_t>(*at_++);
  }
  std::uint64_t varint();
  std::int64_t zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1 ^ -(value & 1));
  }
  std::string_view take_bytes(std::uint64_t count);
  std::size_t list(ThriftType type, ThriftType of);
  void skip(ThriftType type);
  void skip_element(ThriftType type);

  const char* at_;
  const char* end_;
  int levels_ = 0;
};

}  // namespace grappa::query::parquet
