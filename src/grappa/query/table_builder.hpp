#pragma once

// A table of the rows of a pipeline, or of blocks that are made otherwise.

#include <string>
#include <utility>
#include <vector>

#include "grappa/query/exec/executor.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/io/column_facts.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// Each core makes blocks of what it gets. By the leaders of all locales.
Table build_table(const Team& team, const Executor::Open& rows,
                  const std::vector<std::string>& names, const Expressions& columns);

/// The table of the blocks that each locale has, with what it knows of their columns. By the
/// leaders of all locales.
Table table_of_blocks(const Team& team, std::vector<Block> blocks,
                      const std::vector<PartialFacts>& facts,
                      const std::vector<std::pair<std::string, Type>>& columns);

}  // namespace grappa::query
