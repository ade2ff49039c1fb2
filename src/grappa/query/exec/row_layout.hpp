#pragma once

// Rows: what operators keep that have to wait for all of their input. A row has the values of its
// columns one after the other, at the same offsets in every row.
//
//   RowLayout layout;
//   const std::size_t key = layout.add(kInt64);
//   RowStore store(layout.row_bytes());
//   std::byte* rows[kBatchRows];
//   store.append(batch.count, rows);                  // a new row for each of the batch
//   layout.write(key, vector, batch, rows, store.texts());
//   layout.read(key, rows, batch.count, nullptr, batch.count, out);   // values, NULLs
//
// Rows do not move while their store lives. For one core, unless nobody changes anything.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/block_memory.hpp"
#include "grappa/query/memory_budget.hpp"
#include "grappa/query/text_arena.hpp"
#include "grappa/query/type.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

/// Values of a column of rows, each at its position in a batch.
class VectorBuffer {
 public:
  explicit VectorBuffer(Type type) : type_(type) {}

  template <class T>
  T* values(std::size_t rows) {
    return reinterpret_cast<T*>(room(rows));
  }
  std::byte* room(std::size_t rows);
  /// Bits for so many rows, all set. Part of the vector from now on.
  std::uint64_t* valid(std::size_t rows);
  void clear_valid() { has_valid_ = false; }
  Vector vector(bool texts_stay) const;
  const Type& type() const { return type_; }

 private:
  Type type_;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> valid_;
  bool has_valid_ = false;
};

class RowLayout {
 public:
  struct Column {
    Type type;
    std::uint32_t offset;
    std::uint32_t null_byte;  // a byte that is 1 where it is NULL
  };

  /// A column behind those that there are.
  std::size_t add(const Type& type);
  /// Room for what is no column; returns its offset.
  std::size_t add_bytes(std::size_t size, std::size_t alignment);

  std::size_t columns() const { return columns_.size(); }
  const Column& column(std::size_t i) const { return columns_[i]; }
  /// Bytes of a row, a multiple of 16. Rows without columns have some, too: they are counted.
  std::size_t row_bytes() const { return std::max<std::size_t>((end_ + 15) / 16, 1) * 16; }

  /// Writes the values of the selected rows, in their order, into rows[0 … count - 1]. Texts that
  /// do not stay are kept in `texts`.
  void write(std::size_t column, const Vector& vector, const Batch& batch, std::byte* const* rows,
             TextArena& texts) const;
  /// Reads a column of rows[i] to position `positions[i]`, or i where there are no positions.
  void read(std::size_t column, std::byte* const* rows, std::size_t count,
            const Position* positions, std::size_t batch_rows, VectorBuffer& out) const;

  /// Where the texts of a row are.
  std::vector<std::size_t> text_offsets() const;

  bool is_null(std::size_t column, const std::byte* row) const {
    return row[columns_[column].null_byte] != std::byte{0};
  }
  template <class T>
  T& at(std::size_t column, std::byte* row) const {
    return *reinterpret_cast<T*>(row + columns_[column].offset);
  }
  template <class T>
  const T& at(std::size_t column, const std::byte* row) const {
    return *reinterpret_cast<const T*>(row + columns_[column].offset);
  }

 private:
  std::vector<Column> columns_;
  std::size_t end_ = 0;
};

class RowStore {
 public:
  /// What it has is charged to the budget.
  explicit RowStore(std::size_t row_bytes, MemoryBudget* budget = nullptr)
      : row_bytes_(row_bytes), texts_(budget), charge_(budget) {}

  /// Without rows, for rows like these.
  RowStore empty_one() const { return RowStore(row_bytes_, charge_.budget()); }
  /// So many new rows, whose bytes are not set.
  void append(std::size_t count, std::byte** rows);
  std::byte* append();
  /// So many rows side by side, in memory of this size.
  std::byte* append_block(std::size_t rows, std::size_t bytes);
  TextArena& texts() { return texts_; }
  std::size_t rows() const { return rows_; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::size_t bytes() const { return bytes_ + texts_.bytes(); }

  /// Consecutive rows.
  struct Piece {
    std::byte* begin;
    std::size_t rows;
  };
  std::vector<Piece> pieces() const;
  /// Cancelled, by pieces (parallel/cancellation.hpp).
  template <class F>
  void for_each(F&& f) const {
    for (const Piece& piece : pieces()) {
      stop_if_cancelled();
      for (std::size_t i = 0; i < piece.rows; ++i) f(piece.begin + i * row_bytes_);
    }
  }
  void clear();

 private:
  struct Block {
    BlockMemory bytes;
    std::size_t size;
    std::size_t used;
  };
  Block& block_for(std::size_t bytes);
  Block& add_block(std::size_t size);

  std::size_t row_bytes_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;  // of the blocks
  std::vector<Block> blocks_;
  TextArena texts_;
  MemoryCharge charge_;
};

}  // namespace grappa::query
