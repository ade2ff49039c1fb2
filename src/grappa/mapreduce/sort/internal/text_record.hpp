#pragma once

// A line or a record that is being sorted: its bytes stay where they are.
//
//   const TextRecord record = text_record("some line", false);
//   const bool is_first = TextOrder{}(record, other);
//
// The key decides first. It is made of the first eight bytes, or a number, behind which comes what
// rounding took from it; both are turned around where the order is. While they are being sorted
// those that agree so far have later bytes for a key.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "grappa/mapreduce/internal/local_sort.hpp"

namespace grappa::mapreduce::detail {

inline constexpr int kSizeBits = 48;

struct TextRecord {
  std::uint64_t key;
  const char* data;
  std::uint64_t size : kSizeBits;       // bytes
  std::uint64_t rest : 64 - kSizeBits;  // of a number: decides where keys are the same
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
  return {text_key(text, 0, reverse), text.data(), text.size(), 0};
}

/// Its order as a number is that of the doubles, of which -0 and 0 are the same.
inline std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

/// Of a line with the number `value + rest`.
inline TextRecord number_record(std::string_view line, double value, std::int16_t rest,
                                bool reverse) {
  const std::uint64_t key = ordered_bits(value);
  const auto least = static_cast<std::uint16_t>(rest - std::numeric_limits<std::int16_t>::min());
  return {reverse ? ~key : key, line.data(), line.size(),
          reverse ? static_cast<std::uint16_t>(~least) : least};
}

struct TextOrder {
  bool reverse = false;
  bool by_number = false;  // the first keys are numbers
  bool operator()(const TextRecord& a, const TextRecord& b) const {
    if (a.key != b.key) return a.key < b.key;
    if (a.rest != b.rest) return a.rest < b.rest;
    return reverse ? b.text() < a.text() : a.text() < b.text();
  }
};

template <>
struct NextKey<TextRecord, TextOrder> {
  TextOrder order;
  std::uint64_t operator()(const TextRecord& record) const { return record.key; }
  bool take_next(std::span<TextRecord> records, int n) const {
    constexpr std::size_t kTextsAhead = 16;
    // The key behind a number is what rounding took from it and the first bytes of the text.
    constexpr int kRestBits = 64 - kSizeBits;
    const bool with_rest = order.by_number && n == 1;
    const auto at = static_cast<std::size_t>(!order.by_number ? 8 * n
                                             : with_rest      ? 0
                                                              : 8 * (n - 1) - kRestBits / 8);
    bool more = with_rest;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i + kTextsAhead < records.size()) __builtin_prefetch(records[i + kTextsAhead].data + at);
      TextRecord& record = records[i];
      record.key = text_key(record.text(), at, order.reverse);
      if (with_rest) record.key = std::uint64_t{record.rest} << kSizeBits | record.key >> kRestBits;
      more = more || record.size > at;
    }
    return more;
  }
};

}  // namespace grappa::mapreduce::detail
