#include "grappa/query/exec/hashing.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace grappa::query {
namespace {

constexpr std::uint64_t kNullHash = 0x5bd1e9955bd1e995;
constexpr std::size_t kMostHashedCodes = 256;  // of a dictionary

/// `hash` of the value of a column, behind those of the columns before it.
template <bool kFirst>
void add_hash(std::uint64_t& of_row, std::uint64_t hash) {
  of_row = kFirst ? hash : combine_hashes(of_row, hash);
}

/// Of the values at place_of(i).
template <bool kFirst, class T, class PlaceOf>
void hash_values(const T* values, const std::uint64_t* valid, std::size_t count, PlaceOf place_of,
                 std::uint64_t* __restrict hashes) {
  if (valid == nullptr) {
    for (std::size_t i = 0; i < count; ++i)
      add_hash<kFirst>(hashes[i], hash_value(values[place_of(i)]));
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = place_of(i);
      add_hash<kFirst>(hashes[i], bit_at(valid, place) ? hash_value(values[place]) : kNullHash);
    }
  }
}

/// Of a small dictionary: each of its values is hashed once.
template <bool kFirst, class T>
void hash_codes(const Batch& batch, const Vector& key, std::uint64_t* __restrict hashes) {
  std::array<std::uint64_t, kMostHashedCodes> of_codes;
  hash_values<true>(
      key.data<T>(), key.valid, key.dictionary_size, [](std::size_t i) { return i; },
      of_codes.data());
  with_positions(batch, [&, codes = key.codes, table = of_codes.data()](auto position_of) {
    for (std::size_t i = 0; i < batch.count; ++i)
      add_hash<kFirst>(hashes[i], table[codes[position_of(i)]]);
  });
}

template <bool kFirst>
void hash_column(const Batch& batch, const Vector& key, std::uint64_t* hashes) {
  with_physical(key.type.physical(), [&]<class T>() {
    const bool is_coded = key.codes != nullptr && key.dictionary_size > 0;
    if (is_coded && key.dictionary_size <= std::min(kMostHashedCodes, batch.count))
      return hash_codes<kFirst, T>(batch, key, hashes);
    with_places(batch, key, [&](auto place_of) {
      hash_values<kFirst>(key.data<T>(), key.valid, batch.count, place_of, hashes);
    });
  });
}

}  // namespace

void hash_rows(const Batch& batch, std::span<const Vector> keys, std::uint64_t* hashes) {
  if (keys.empty()) {
    for (std::size_t i = 0; i < batch.count; ++i) hashes[i] = 0;
    return;
  }
  hash_column<true>(batch, keys[0], hashes);
  for (const Vector& key : keys.subspan(1)) hash_column<false>(batch, key, hashes);
}

namespace {

/// Of a column none of whose values is NULL in the batch.
template <class T, class PlaceOf>
std::size_t keep_equal_values(const RowLayout::Column& column, const T* values,
                              std::byte* const* rows, std::uint16_t* candidates, std::size_t count,
                              std::uint16_t* others, std::size_t& other_count, PlaceOf place_of) {
  std::size_t kept = 0;
  std::size_t left_out = other_count;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint16_t i = candidates[k];
    const std::byte* const row = rows[i];
    T stored;
    std::memcpy(&stored, row + column.offset, sizeof stored);
    const bool equal =
        equal_values(values[place_of(i)], stored) && row[column.null_byte] == std::byte{0};
    candidates[kept] = i;
    others[left_out] = i;
    kept += equal ? 1 : 0;
    left_out += equal ? 0 : 1;
  }
  other_count = left_out;
  return kept;
}

template <class T, class PlaceOf>
std::size_t keep_equal_or_null(const RowLayout::Column& column, const Vector& values,
                               std::byte* const* rows, std::uint16_t* candidates, std::size_t count,
                               std::uint16_t* others, std::size_t& other_count, PlaceOf place_of) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint16_t i = candidates[k];
    const std::size_t place = place_of(i);
    const std::byte* const row = rows[i];
    T stored;
    std::memcpy(&stored, row + column.offset, sizeof stored);
    const bool is_null = !bit_at(values.valid, place);
    const bool other_null = row[column.null_byte] != std::byte{0};
    const bool equal = is_null || other_null ? is_null == other_null
                                             : equal_values(values.data<T>()[place], stored);
    candidates[kept] = i;
    others[other_count] = i;
    kept += equal ? 1 : 0;
    other_count += equal ? 0 : 1;
  }
  return kept;
}

}  // namespace

std::size_t keep_equal(const RowLayout& layout, std::size_t column, const Vector& values,
                       const Batch& batch, std::byte* const* rows, std::uint16_t* candidates,
                       std::size_t count, std::uint16_t* others, std::size_t& other_count) {
  const RowLayout::Column& of = layout.column(column);
  return with_physical(of.type.physical(), [&]<class T>() {
    return with_places(batch, values, [&](auto place_of) {
      return values.valid == nullptr ? keep_equal_values(of, values.data<T>(), rows, candidates,
                                                         count, others, other_count, place_of)
                                     : keep_equal_or_null<T>(of, values, rows, candidates, count,
                                                             others, other_count, place_of);
    });
  });
}

}  // namespace grappa::query
