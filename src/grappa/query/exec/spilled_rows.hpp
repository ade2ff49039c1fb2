#pragma once

// SpilledRows: rows in a temporary file, in partitions.
//
//   SpilledRows spilled(memory, layout.row_bytes(), layout.text_offsets(), 32, cores);
//   spilled.add(core, partition, row);                 // cores at the same time
//   spilled.finish(core);                              // of each core, after its last row
//   for (std::size_t piece = 0; piece < spilled.pieces(3); ++piece) spilled.read(3, piece, store);
//
// A piece is what a core has added to a partition one after the other: the rows as they are in
// memory, then their long texts. Read again it is a block of a RowStore. Errors: those of
// SpillFile.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/row_layout.hpp"

namespace grappa::query {

class SpilledRows {
 public:
  SpilledRows(OperatorMemoryPtr memory, std::size_t row_bytes,
              std::vector<std::size_t> text_offsets, std::size_t partitions, int cores);

  void add(int core, std::size_t partition, const std::byte* row);
  void finish(int core);

  std::size_t partitions() const { return partitions_; }
  std::size_t rows(std::size_t partition) const;
  std::size_t bytes(std::size_t partition) const;
  std::size_t pieces(std::size_t partition) const;
  std::size_t bytes_of_piece(std::size_t partition, std::size_t piece) const;
  /// Adds its rows to `to`, where they lie side by side.
  void read(std::size_t partition, std::size_t piece, RowStore& to) const;

 private:
  struct Piece {
    std::int64_t place;
    std::size_t rows;
    std::size_t bytes;
  };
  struct Buffer {
    std::vector<std::byte> rows;
    std::vector<std::byte> texts;
  };
  struct OfCore {
    std::vector<Buffer> buffers;             // [partitions], once there is a row
    std::vector<std::vector<Piece>> pieces;  // [partitions]
    MemoryCharge charge;
  };
  void begin(OfCore& of);
  void flush(OfCore& of, std::size_t partition);
  const Piece& piece_at(std::size_t partition, std::size_t piece) const;
  template <class F>
  void for_each_piece(std::size_t partition, F&& f) const;

  OperatorMemoryPtr memory_;
  std::size_t row_bytes_;
  std::vector<std::size_t> text_offsets_;
  std::size_t partitions_;
  std::size_t piece_bytes_;
  std::unique_ptr<SpillFile> file_;
  std::vector<OfCore> cores_;
};

}  // namespace grappa::query
