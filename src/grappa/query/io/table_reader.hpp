#pragma once

// Tables from files of any format.
//
//   // on the first core of every locale:
//   const Table table = load_table("lineitem.parquet", parallel, exchange);
//
// What begins as Parquet does, or has a name that says so (.parquet, .pq), is that; everything else
// is CSV. Errors, and what else is to be known, are those of the readers.

#include <string>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// `path` may be a pattern of paths.
Table load_table(const std::string& path, const io::ParallelFor& parallel, const Exchange& exchange,
                 Progress* progress = nullptr);

}  // namespace grappa::query
