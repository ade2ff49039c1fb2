#pragma once

// Tables from Parquet files.
//
//   // on the first core of every locale:
//   Table table = open_parquet({"parts/*.parquet"}, exchange);
//   read_all_columns(table, parallel, exchange);
//
// Files, and patterns of them; the rows of all of them. Their schema says the types, as
// parquet/schema.hpp has them. Each locale has some of the row groups, which are the groups of
// blocks of the table (table_file.hpp): nothing of them is read before somebody needs a column. Of
// several files, the first says which columns there are; the others have them, too, of the same
// types and in any order.
//
// Columns that are nested, or of types that there are not here, are left out (Table::left_out).
//
// Errors, the same on every locale: InputError for what cannot be read, is no Parquet file or is
// damaged; Cancelled (parallel/cancellation.hpp). Collective; supersteps of the exchange; switches
// tasks.

#include <string>
#include <vector>

#include "grappa/parallel/exchange.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

Table open_parquet(const std::vector<std::string>& paths, const Exchange& exchange);

}  // namespace grappa::query
