#pragma once

// A line or a record that is being sorted: its bytes stay where they are.
//
//   const TextRecord record = text_record("some line", false);
//   const bool is_first = TextOrder{}(record, other);
//
// The key decides first. It is made of the first eight bytes, or a number, and turned around where
// the order is. While they are being sorted those that agree so far have later bytes for a key.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "grappa/mapreduce/internal/local_sort.hpp"
#include "grappa/mapreduce/internal/shuffle.hpp"

namespace grappa::mapreduce::detail {

struct TextRecord {
  std::uint64_t key;
  const char* data;
  std::uint64_t size;
  std::string_view text() const { return {data, size}; }
};

/// The eight bytes from `at` on, or as many as there are and zeros, as a number.
inline std::uint64_t text_key(std::string_view text, std::size_t at, bool reverse) {
  std::uint64_t word = 0;
  if (at < text.size())
    std::memcpy(&word, text.data() + at, std::min(text.size() - at, sizeof word));
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t key = __builtin_bswap64(word);
  return reverse ? ~key : key;
}

inline TextRecord text_record(std::string_view text, bool reverse) {
  return {text_key(text, 0, reverse), text.data(), text.size()};
}

/// Its order as a number is that of the doubles, of which -0 and 0 are the same.
inline std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

struct TextOrder {
  bool reverse = false;
  bool by_number = false;  // the first keys are numbers
  bool operator()(const TextRecord& a, const TextRecord& b) const {
    if (a.key != b.key) return a.key < b.key;
    return reverse ? b.text() < a.text() : a.text() < b.text();
  }
};

template <>
struct NextKey<TextRecord, TextOrder> {
  TextOrder order;
  std::uint64_t operator()(const TextRecord& record) const { return record.key; }
  bool take_next(std::span<TextRecord> records, int n) const {
    constexpr std::size_t kTextsAhead = 16;
    const std::size_t at = static_cast<std::size_t>(order.by_number ? n - 1 : n) * 8;
    bool more = false;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i + kTextsAhead < records.size()) __builtin_prefetch(records[i + kTextsAhead].data + at);
      records[i].key = text_key(records[i].text(), at, order.reverse);
      more = more || records[i].size > at;
    }
    return more;
  }
};

template <>
struct RecordBytes<TextRecord> {
  static void put(ByteWriter& out, const TextRecord& record) {
    out.put(record.key);
    out.put(record.size);
    out.put_span(std::span(record.data, record.size));
  }
  static TextRecord get(ByteReader& in) {
    const auto key = in.get<std::uint64_t>();
    const auto size = in.get<std::uint64_t>();
    const auto* data = reinterpret_cast<const char*>(in.rest().data());
    in = ByteReader(in.rest().subspan(size));
    return {key, data, size};
  }
};

}  // namespace grappa::mapreduce::detail
