#pragma once

// Graphs as tables in SQL: edges('web.mtx') has a row for each edge, with the names of its ends.
//
//   query::Database database;
//   read_graphs(database, true);
//   database.execute("create table degrees as select source, count(*) as d "
//                    "from edges('web.mtx') group by source");

#include "grappa/query/database.hpp"

namespace grappa::cli {

/// Every locale has the edges that it has read. What the reader remarks goes to standard error,
/// unless quiet.
void read_graphs(query::Database& database, bool quiet);

}  // namespace grappa::cli
