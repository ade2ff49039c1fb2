#pragma once

// A table of the rows of a pipeline.

#include <string>
#include <vector>

#include "grappa/query/exec/executor.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// Each core makes blocks of what it gets. By the leaders of all locales.
Table build_table(const Team& team, const Executor::Open& rows,
                  const std::vector<std::string>& names, const Expressions& columns);

}  // namespace grappa::query
