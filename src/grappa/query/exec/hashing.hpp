#pragma once

// Hashes of the values of a row, and whether they are those of a row that is kept.
//
//   hash_rows(batch, keys, hashes);             // hashes[i] of the i-th selected row
//
// Equal values hash alike on every locale; NULLs are equal to one another here. All bits are used:
// the highest choose the owner, the next ones tag pointers, the low ones the slot.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "grappa/container/key_traits.hpp"
#include "grappa/query/exec/row_layout.hpp"

namespace grappa::query {

inline std::uint64_t hash_value(const TextRef& text) {
  if (text.is_short()) return hash_number(text.head() * 0x9E3779B97F4A7C15u ^ text.tail());
  return hash_bytes(text.data(), text.size());
}
inline std::uint64_t hash_value(double value) {
  if (std::isnan(value)) return 0x7FF8;  // all NaN are one
  if (value == 0) value = 0;             // and both zeros
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return hash_number(bits);
}
inline std::uint64_t hash_value(float value) { return hash_value(static_cast<double>(value)); }
inline std::uint64_t hash_value(const Interval& value) {
  return hash_number(static_cast<std::uint64_t>(value.length()));
}
inline std::uint64_t hash_value(Int128 value) {
  const auto low = static_cast<std::uint64_t>(value);
  const auto high = static_cast<std::uint64_t>(value >> 64);
  // As an integer of 64 bits hashes that has the same value.
  return high == 0 || high == ~std::uint64_t{0} ? hash_number(low)
                                                : hash_number(low ^ hash_number(high));
}
template <class T>
  requires std::is_integral_v<T>
std::uint64_t hash_value(T value) {
  return hash_number(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
}

inline std::uint64_t combine_hashes(std::uint64_t a, std::uint64_t b) {
  return hash_number(a * 31 + b);
}

/// hashes[i] for the i-th selected row.
void hash_rows(const Batch& batch, std::span<const Vector> keys, std::uint64_t* hashes);

/// Of candidates[0 … count - 1], numbers of selected rows in the batch (their i), keeps those whose
/// value is that of rows[i] in the column; returns how many.
std::size_t keep_equal(const RowLayout& layout, std::size_t column, const Vector& values,
                       const Batch& batch, std::byte* const* rows, std::uint16_t* candidates,
                       std::size_t count, std::uint16_t* others, std::size_t& other_count);

template <class T>
bool equal_values(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

}  // namespace grappa::query
