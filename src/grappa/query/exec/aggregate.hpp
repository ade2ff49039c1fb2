#pragma once

// GROUP BY and DISTINCT: rows with the same key become one.
//
//   Aggregation plan{.keys = {0, 3}, .key_types = {kInt64, kText}, .aggregates = {}};
//   auto source = aggregate(team, pipeline, plan);     // runs the pipeline
//
// Each core groups what it gets in a table of its own; then the groups are divided by their hashes,
// and each part is merged by one core.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "grappa/query/exec/aggregate_function.hpp"
#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/pipeline.hpp"

namespace grappa::query {

struct Aggregation {
  struct Aggregate {
    AggregateFunction function{};
    std::vector<std::size_t> arguments{};  // places in the batches
    std::optional<std::size_t> filter{};   // a boolean: only rows where it is true
  };
  std::vector<std::size_t> keys;  // places in the batches
  std::vector<Type> key_types;
  std::vector<Aggregate> aggregates;
};

/// The source of the groups: keys, then results. Without keys there is one group, whatever comes.
/// `memory`: what they may have, where queries are bounded; what is more goes to a file
/// (spilled_groups.hpp).
std::shared_ptr<Source> aggregate(const Team& team, const Pipeline& input, const Aggregation& plan,
                                  OperatorMemoryPtr memory = nullptr);

}  // namespace grappa::query
