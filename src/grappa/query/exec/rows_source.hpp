#pragma once

// Rows that are kept, as the source of a pipeline; and the sink that keeps them.
//
//   auto rows = std::make_shared<Rows>(types, team.cores);       // of a locale
//   run(team, pipeline, [&](int core) { return rows->sink(core, places); });
//   auto source = rows_source(rows);

#include <cstddef>
#include <memory>
#include <vector>

#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_layout.hpp"

namespace grappa::query {

/// What the cores of a locale have kept.
struct Rows {
  Rows(const std::vector<Type>& types, int cores);

  RowLayout layout;
  std::vector<std::unique_ptr<RowStore>> stores;  // [cores]

  std::size_t count() const;
  /// Keeps the columns in these places of the batches.
  std::unique_ptr<Stage> sink(int core, std::vector<std::size_t> places);
};

/// Pushes them, any number of times over the life of the rows, once for each source.
std::shared_ptr<Source> rows_source(std::shared_ptr<const Rows> rows);
/// Those in this order, [first, last).
std::shared_ptr<Source> ordered_rows_source(std::shared_ptr<const Rows> rows,
                                            std::vector<std::byte*> order);

}  // namespace grappa::query
