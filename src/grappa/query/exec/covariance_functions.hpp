#pragma once

// Aggregates of pairs of numbers: covar_pop, covar_samp and corr, Pearson's correlation.
//
//   const std::optional<AggregateFunction> found = find_covariance("corr", arguments);
//
// A pair counts where neither is NULL.

#include <optional>
#include <span>
#include <string_view>

#include "grappa/query/exec/aggregate_function.hpp"

namespace grappa::query {

std::span<const std::string_view> covariance_names();
/// Nothing for other names; UsageError for arguments that it does not take.
std::optional<AggregateFunction> find_covariance(std::string_view name,
                                                 const Expressions& arguments);

}  // namespace grappa::query
