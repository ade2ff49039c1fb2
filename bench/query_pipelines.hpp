#pragma once

// Three queries of SP²Bench as programs of their own, as the paper's engine generated one for each
// query (atc15, 4.2): a loop for each pipeline, and tables of joins in between. They say how far a
// general engine is from that.
//
//   const QueryPipelines pipelines(database);          // which has the table of triples
//   Rows rows;
//   if (QueryPipelines::has(query)) seconds = pipelines.run(query, rows);
//
// They join in the order that our optimizer chooses, but know that terms are small integers: tables
// are arrays of the terms, with nothing to hash. On one locale, by the task given to run.

#include <cstdint>
#include <vector>

#include "bench/query_set.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/query/database.hpp"

namespace grappa::bench {

class QueryPipelines {
 public:
  /// Reads its columns. UsageError where there are none of integers.
  explicit QueryPipelines(query::Database& database);

  static bool has(const QueryOfSet& query);
  /// Seconds until the answer was there; it is added to the rows. UsageError where the text has
  /// not the constants of the query.
  double run(const QueryOfSet& query, Rows& rows) const;

 private:
  using Column = Owned<GlobalArray<std::int32_t>>;
  Column subjects_;
  Column predicates_;
  Column objects_;
  std::int32_t terms_ = 0;  // one more than the greatest
};

}  // namespace grappa::bench
