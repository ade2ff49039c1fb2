#pragma once

// The sources and stages that keep nothing: a table's rows, filters, computed columns, limits.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// Null: there is none.
struct ScanContext {
  Progress* progress = nullptr;    // where rows are counted
  MemoryBudget* budget = nullptr;  // of what is read from files
};

/// The rows of this locale, with these of the table's columns. Blocks in which no row can pass the
/// condition, by what is known of their values, are left out; the others are not filtered. Columns
/// that are not in memory are read from the table's file.
std::shared_ptr<Source> scan_source(std::shared_ptr<const Table> table,
                                    std::vector<std::size_t> columns,
                                    const ExpressionPtr& condition, const Layout& layout,
                                    const ScanContext& context = {});

/// Rows of constants, or of what can be computed without columns.
std::shared_ptr<Source> values_source(std::vector<Expressions> rows,
                                      const std::vector<Type>& types);

/// Rows for which the condition is true.
MakeStage filter_stage(ExpressionPtr condition, Layout layout);

/// Adds the values of the expressions to each batch.
MakeStage compute_stage(Expressions expressions, Layout layout);

/// Shows the columns in these places once more, behind the others.
MakeStage copy_stage(std::vector<std::size_t> places);

/// Leaves out the first `offset` rows, and all after `limit` more. Sets `enough`.
MakeStage limit_stage(std::int64_t offset, std::int64_t limit,
                      std::shared_ptr<std::atomic<bool>> enough);

}  // namespace grappa::query
