#pragma once

// Rows that are kept, as the source of a pipeline; and the sink that keeps them.
//
//   auto rows = std::make_shared<Rows>(types, team.cores);       // of a locale
//   run(team, pipeline, [&](int core) { return rows->sink(core, places); });
//   auto source = rows_source(rows);

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "grappa/query/exec/made_once.hpp"
#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/spilled_rows.hpp"

namespace grappa::query {

/// What the cores of a locale have kept.
class Rows {
 public:
  enum class WhenFull : std::uint8_t { kSpill, kFail };
  /// `memory`: what they may have, where queries are bounded; what is more goes to a file, or is an
  /// error.
  Rows(const std::vector<Type>& types, int cores, OperatorMemoryPtr memory = nullptr,
       WhenFull when_full = WhenFull::kSpill);

  RowLayout layout;
  std::vector<std::unique_ptr<RowStore>> stores;  // [cores]: those in memory

  std::size_t count() const;
  /// Keeps the columns in these places of the batches.
  std::unique_ptr<Stage> sink(int core, std::vector<std::size_t> places);
  /// f(piece) for all rows; by one core. Those in the file are gone behind it.
  void for_each_piece(const std::function<void(const RowStore::Piece&)>& f) const;
  void clear();

  /// Bytes that a core may keep in memory from now on.
  std::size_t most_of_core() const;
  /// Those of a core go to the file, where they are more. Not where that is an error.
  void spill_if_above(std::size_t most_bytes, int core) {
    if (stores[static_cast<std::size_t>(core)]->bytes() > most_bytes) spill(core);
  }
  /// Of each core, after its last row.
  void finish(int core);
  bool has_spilled() const { return spilled_.made() != nullptr; }
  /// Pieces in the file, and reading one.
  std::size_t spilled_pieces() const { return has_spilled() ? spilled_.made()->pieces(0) : 0; }
  RowStore spilled_piece(std::size_t piece) const;

 private:
  void spill(int core);

  OperatorMemoryPtr memory_;
  WhenFull when_full_;
  MadeOnce<SpilledRows> spilled_;
};

/// Pushes them, any number of times over the life of the rows, once for each source.
std::shared_ptr<Source> rows_source(std::shared_ptr<const Rows> rows);
/// Those in this order; they are in memory. `texts_stay`: until the query ends.
std::shared_ptr<Source> ordered_rows_source(std::shared_ptr<const Rows> rows,
                                            std::vector<std::byte*> order, bool texts_stay = true);

}  // namespace grappa::query
