#pragma once

// PartitionedRows: rows of batches in a temporary file, those whose keys are equal in one
// partition.
//
//   PartitionedRows rows(memory, types, {0, 2}, cores);            // keys: the columns 0 and 2
//   run(team, pipeline, [&](int core) { return rows.sink(core, places); });
//   rows.push(partition, piece, stage);
//
// A partition that is still too large is divided by other bits of the hashes (`level`).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/container/key_traits.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/rows_source.hpp"
#include "grappa/query/exec/spilled_rows.hpp"

namespace grappa::query {

inline constexpr std::size_t kSpillPartitions = 32;
/// So many times a partition is divided; then it has rows whose keys hash alike.
inline constexpr int kMostSpillLevels = 5;

/// Bits that no owner, bucket or tag is chosen by: those of another hash of the hash.
inline std::size_t spill_partition_of(std::uint64_t hash, int level) {
  const std::uint64_t again = hash_number(hash ^ 0x5851F42D4C957F2Du);
  return again >> (59 - 5 * level) & (kSpillPartitions - 1);
}

class PartitionedRows {
 public:
  PartitionedRows(const OperatorMemoryPtr& memory, const std::vector<Type>& types,
                  std::vector<std::size_t> keys, int cores, int level = 0);
  PartitionedRows(const PartitionedRows&) = delete;
  PartitionedRows& operator=(const PartitionedRows&) = delete;

  /// Adds the columns in these places of the batches.
  std::unique_ptr<Stage> sink(int core, std::vector<std::size_t> places);

  /// Of a core that has no more for any of its sinks: its last rows go to the file. The sinks do
  /// that when they finish.
  void finish(int core) { rows_.finish(core); }

  int level() const { return level_; }
  const std::vector<Type>& types() const { return types_; }
  std::size_t rows(std::size_t partition) const { return rows_.rows(partition); }
  std::size_t bytes(std::size_t partition) const { return rows_.bytes(partition); }
  std::size_t pieces(std::size_t partition) const { return rows_.pieces(partition); }
  std::size_t bytes_of_piece(std::size_t partition, std::size_t piece) const {
    return rows_.bytes_of_piece(partition, piece);
  }
  /// As batches, whose texts do not stay.
  void push(std::size_t partition, std::size_t piece, Stage& to) const;
  void push(std::size_t partition, Stage& to) const;
  /// Its rows in partitions of their own, by the next bits. By one core.
  std::unique_ptr<PartitionedRows> divided(std::size_t partition) const;

 private:
  class Sink;

  OperatorMemoryPtr memory_;
  std::vector<Type> types_;
  std::vector<std::size_t> keys_;
  int level_;
  RowLayout layout_;
  SpilledRows rows_;
};

/// All of these rows, which are gone behind it.
std::unique_ptr<PartitionedRows> divided_rows(const Team& team, const std::shared_ptr<Rows>& rows,
                                              std::vector<std::size_t> keys,
                                              const OperatorMemoryPtr& memory);

}  // namespace grappa::query
