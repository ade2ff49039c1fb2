#pragma once

// Window functions: the rows of a pipeline with their values.
//
//   auto source = window_source(team, pipeline, *relation);
//
// For each way in which windows divide and order the rows, all rows are sorted; a function then
// sees a partition after the other. An aggregate over a frame that moves is put together from the
// nodes of a tree over the partition (V. Leis et al.: "Efficient Processing of Window Functions in
// Analytical SQL Queries", VLDB 2015), one whose frame only grows from what it was.

#include <memory>

#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

/// Whether all functions of the relation divide the rows by the same values: then these may be
/// anywhere, if those of a partition are together.
bool have_one_partition(const Relation& relation);

/// All columns of the relation (kWindow): those of its input, then one for each window function.
/// `memory`: what they may have, where queries are bounded. What is more goes to a file if they
/// have one partition, and else is an error.
std::shared_ptr<Source> window_source(const Team& team, Pipeline input, const Relation& relation,
                                      const OperatorMemoryPtr& memory = nullptr);

}  // namespace grappa::query
