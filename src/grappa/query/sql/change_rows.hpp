#pragma once

// UPDATE and DELETE as queries: the rows that come in the place of those of a table.
//
//   const Query rows = rows_of_change(change, table->columns);   // all columns, in their order

#include <vector>

#include "grappa/query/sql/ast.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query::sql {

/// Values are cast to the types of their columns, as they are in INSERT. A row that several of the
/// others (FROM) want to change gets what one of them says.
Query rows_of_change(const Change& change, const std::vector<query::Column>& columns);

}  // namespace grappa::query::sql
