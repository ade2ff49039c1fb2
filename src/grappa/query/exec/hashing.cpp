#include "grappa/query/exec/hashing.hpp"

#include <cstring>

namespace grappa::query {
namespace {

constexpr std::uint64_t kNullHash = 0x5bd1e9955bd1e995;

template <bool kFirst, class T, class Index>
void hash_column(const Batch& batch, const Vector& key, std::uint64_t* hashes, Index index) {
  const T* const values = key.data<T>();
  std::size_t i = 0;
  batch.for_each([&](std::size_t row) {
    const std::size_t place = index(row);
    std::uint64_t hash = hash_value(values[place]);
    if (key.valid != nullptr && !bit_at(key.valid, place)) hash = kNullHash;
    hashes[i] = kFirst ? hash : combine_hashes(hashes[i], hash);
    ++i;
  });
}

template <bool kFirst>
void hash_column(const Batch& batch, const Vector& key, std::uint64_t* hashes) {
  with_physical(key.type.physical(), [&]<class T>() {
    if (key.is_flat()) {
      hash_column<kFirst, T>(batch, key, hashes, [](std::size_t row) { return row; });
    } else {
      hash_column<kFirst, T>(batch, key, hashes, [&](std::size_t row) { return key.index(row); });
    }
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

std::size_t keep_equal(const RowLayout& layout, std::size_t column, const Vector& values,
                       const Batch& batch, std::byte* const* rows, std::uint16_t* candidates,
                       std::size_t count, std::uint16_t* others, std::size_t& other_count) {
  const RowLayout::Column& place = layout.column(column);
  return with_physical(place.type.physical(), [&]<class T>() {
    const T* const data = values.data<T>();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint16_t i = candidates[k];
      const std::size_t index = values.index(batch.position(i));
      const std::byte* const row = rows[i];
      T stored;
      std::memcpy(&stored, row + place.offset, sizeof stored);
      const bool is_null = values.valid != nullptr && !bit_at(values.valid, index);
      const bool other_null = row[place.null_byte] != std::byte{0};
      const bool equal =
          is_null || other_null ? is_null == other_null : equal_values(data[index], stored);
      candidates[kept] = i;
      others[other_count] = i;
      kept += equal ? 1 : 0;
      other_count += equal ? 0 : 1;
    }
    return kept;
  });
}

}  // namespace grappa::query
