#pragma once

// Tables from Parquet files.
//
//   // on the first core of every locale:
//   const Table table = load_parquet({"parts/*.parquet"}, parallel, exchange);
//
// Files, and patterns of them; the rows of all of them. Their schema says the types, as
// parquet/schema.hpp has them. Each column of each row group is loaded by a core, and each locale
// loads some of the row groups. Of several files, the first says which columns there are; the
// others have them, too, of the same types and in any order.
//
// Columns that are nested, or of types that there are not here, are left out (Table::left_out).
//
// Errors, the same on every locale: InputError for what cannot be read, is no Parquet file or is
// damaged; Cancelled (parallel/cancellation.hpp). Collective; supersteps of the exchange; switches
// tasks.

#include <string>
#include <vector>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/query/progress.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

Table load_parquet(const std::vector<std::string>& paths, const io::ParallelFor& parallel,
                   const Exchange& exchange, Progress* progress = nullptr);

}  // namespace grappa::query
