#pragma once

// Vectors: the values of a column in a batch of rows; and the batch.
//
//   void sum(const Batch& batch, const Vector& column, std::int64_t& total) {
//     batch.for_each([&](std::size_t row) {
//       if (column.is_valid(row)) total += column.at<std::int64_t>(row);
//     });
//   }
//
// Rows have positions in their batch, from 0. A filter removes no values: it makes the list of the
// positions that are left, so that vectors of blocks are used where they lie. Vectors and batches
// are views: who made them says how long they are valid.
// (P. Boncz, M. Zukowski, N. Nes: "MonetDB/X100: Hyper-Pipelining Query Execution", CIDR 2005.)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grappa/query/type.hpp"

namespace grappa::query {

/// Rows of a batch, at most. A batch of some ten columns stays in the caches of the processor.
inline constexpr std::size_t kBatchRows = 2048;

/// Of a row in its batch, or of a value in its dictionary.
using Position = std::uint16_t;

/// Bits, 64 in a word.
inline bool bit_at(const std::uint64_t* bits, std::size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}
inline void set_bit(std::uint64_t* bits, std::size_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}
inline void clear_bit(std::uint64_t* bits, std::size_t i) {
  bits[i / 64] &= ~(std::uint64_t{1} << (i % 64));
}
inline constexpr std::size_t words_for_bits(std::size_t bits) { return (bits + 63) / 64; }

/// What no other dictionary has, also of those that are gone.
inline std::uint64_t new_dictionary_id() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

struct Vector {
  Type type;
  /// The same for all rows: there is one value.
  bool is_constant = false;
  /// Whether its texts are there until the query ends, and not only until the next batch.
  bool texts_stay = false;
  /// Where the values are a dictionary: how many there are, and what no other dictionary has.
  std::uint32_t dictionary_size = 0;
  std::uint64_t dictionary_id = 0;
  const void* values = nullptr;
  /// Of which of the values each row has, where they are a dictionary.
  const Position* codes = nullptr;
  /// A bit for each of the values; null where none is NULL.
  const std::uint64_t* valid = nullptr;

  bool is_flat() const { return codes == nullptr && !is_constant; }
  std::size_t index(std::size_t row) const {
    return is_constant ? 0 : codes != nullptr ? codes[row] : row;
  }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(values);
  }
  template <class T>
  const T& at(std::size_t row) const {
    return data<T>()[index(row)];
  }
  bool is_valid(std::size_t row) const { return valid == nullptr || bit_at(valid, index(row)); }
};

/// f(position) for the selected ones of so many rows: all of them where the selection is null.
template <class F>
void for_each_selected(std::size_t rows, std::size_t count, const Position* selection, F& f) {
  if (selection == nullptr) {
    for (std::size_t row = 0; row < rows; ++row) f(row);
  } else {
    for (std::size_t i = 0; i < count; ++i) f(std::size_t{selection[i]});
  }
}

struct Batch {
  std::size_t rows = 0;   // positions
  std::size_t count = 0;  // of them selected
  /// Their positions, ascending; null where all are selected.
  const Position* selection = nullptr;
  std::vector<Vector> columns;

  std::size_t position(std::size_t i) const { return selection != nullptr ? selection[i] : i; }
  /// f(position) for all rows that are selected.
  template <class F>
  void for_each(F&& f) const {
    for_each_selected(rows, count, selection, f);
  }
};

/// f(position_of): position_of(i) is the position of the i-th selected row. f is compiled for each
/// form of a selection, so that its loops are plain ones.
template <class F>
decltype(auto) with_positions(const Batch& batch, F&& f) {
  if (batch.selection == nullptr) return f([](std::size_t i) { return i; });
  return f([selection = batch.selection](std::size_t i) { return std::size_t{selection[i]}; });
}

/// f(place_of): place_of(i) is where the values have that of the i-th selected row; likewise.
template <class F>
decltype(auto) with_places(const Batch& batch, const Vector& vector, F&& f) {
  if (vector.is_constant) return f([](std::size_t) { return std::size_t{0}; });
  return with_positions(batch, [&](auto position_of) -> decltype(auto) {
    if (vector.codes == nullptr) return f(position_of);
    return f([codes = vector.codes, position_of](std::size_t i) {
      return std::size_t{codes[position_of(i)]};
    });
  });
}

}  // namespace grappa::query
