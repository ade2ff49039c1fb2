#pragma once

// Aggregate functions that need all values of a group, or their order: string_agg, median, the
// quantiles, mode; and arg_min, arg_max and first_by, which take a value from the first row of an
// order.
//
//   const std::optional<AggregateFunction> found = find_collecting("median", arguments);
//
// What they give depends on the values alone, not on which core has met them first. Behind its own
// arguments a function takes those of an order, two for each key: its value, and an integer with
// the bits of OrderFlag.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "grappa/query/exec/aggregate_function.hpp"

namespace grappa::query {

enum OrderFlag : std::int32_t { kDescending = 1, kNullsFirst = 2 };

/// Nothing if it is another function. UsageError for arguments that it does not take.
std::optional<AggregateFunction> find_collecting(std::string_view name,
                                                 const Expressions& arguments);
std::vector<std::string_view> collecting_names();

}  // namespace grappa::query
