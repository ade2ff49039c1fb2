#pragma once

// Integers of any number of bits, one behind the other, the lowest bit first.
//
//   const std::uint64_t fifth = bits_at(bytes.data(), 5 * 17, 17);
//
// kBitPadding bytes behind what is read may be read, too.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace grappa::query::parquet {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t kBitPadding = 9;

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Up to 57 bits.
inline std::uint64_t few_bits_at(const char* bytes, std::size_t bit, int width) {
  return load<std::uint64_t>(bytes + bit / 8) >> bit % 8 & ((std::uint64_t{1} << width) - 1);
}

/// Up to 64.
inline std::uint64_t bits_at(const char* bytes, std::size_t bit, int width) {
  if (width <= 57) return few_bits_at(bytes, bit, width);
  const auto shift = static_cast<int>(bit % 8);
  std::uint64_t value = load<std::uint64_t>(bytes + bit / 8) >> shift;
  if (shift > 0)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[bit / 8 + 8])} << (64 - shift);
  return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

}  // namespace grappa::query::parquet
