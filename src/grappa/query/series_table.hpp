#pragma once

// A table of integers that follow one another: 10, 15, 20 …
//
//   const Table series = series_table(team, "n", 10, 5, 1'000'000);

#include <cstdint>
#include <string>

#include "grappa/query/exec/team.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// One column of bigint: `first`, first + step, …, so many. By the leaders of all locales, each of
/// which makes its part on all cores. UsageError where there is no memory for them.
Table series_table(const Team& team, const std::string& name, std::int64_t first, std::int64_t step,
                   std::int64_t rows);

}  // namespace grappa::query
