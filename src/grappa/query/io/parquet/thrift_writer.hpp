#pragma once

// The writing end of thrift_reader.hpp.
//
//   ThriftWriter writer;
//   writer.integer(1, 17);                                    // field 1, an integer of 32 bits
//   writer.structure(5, [&] { writer.text(2, "name"); });
//   use(writer.finish());
//
// Fields of a structure come in the order of their numbers. One thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "grappa/query/io/parquet/thrift_reader.hpp"

namespace grappa::query::parquet {

class ThriftWriter {
 public:
  void small(int id, std::int8_t value) {
    field(id, ThriftType::kByte);
    out_ += static_cast<char>(value);
  }
  void integer(int id, std::int32_t value) {
    field(id, ThriftType::kInt32);
    zigzag(value);
  }
  void long_integer(int id, std::int64_t value) {
    field(id, ThriftType::kInt64);
    zigzag(value);
  }
  void boolean(int id, bool value) { field(id, value ? ThriftType::kTrue : ThriftType::kFalse); }
  void text(int id, std::string_view value) {
    field(id, ThriftType::kBinary);
    text_element(value);
  }
  /// write() writes the fields.
  template <class Write>
  void structure(int id, const Write& write) {
    field(id, ThriftType::kStruct);
    element(write);
  }
  /// write() writes so many elements.
  template <class Write>
  void list(int id, ThriftType of, std::size_t count, const Write& write) {
    field(id, ThriftType::kList);
    constexpr std::size_t kLong = 15;
    out_ += static_cast<char>(std::min(count, kLong) << 4 | static_cast<std::size_t>(of));
    if (count >= kLong) varint(count);
    write();
  }
  template <class Write>
  void element(const Write& write) {
    const int before = std::exchange(last_, 0);
    write();
    out_ += '\0';
    last_ = before;
  }
  void integer_element(std::int32_t value) { zigzag(value); }
  void text_element(std::string_view value) {
    varint(value.size());
    out_ += value;
  }

  /// The structure that was written.
  std::string& finish() {
    out_ += '\0';
    return out_;
  }

 private:
  void field(int id, ThriftType type) {
    // Numbers are small and ascend.
    out_ += static_cast<char>((id - last_) << 4 | static_cast<int>(type));
    last_ = id;
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  void zigzag(std::int64_t value) {
    varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }

  std::string out_;
  int last_ = 0;
};

}  // namespace grappa::query::parquet
