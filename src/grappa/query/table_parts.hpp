#pragma once

// A table that a program makes itself, in parts: blocks on each locale.
//
//   Table edges = table_of_parts(team, [&] {                  // on the first locale
//     return TableParts{.columns = {{"source", kInt64}},
//                       .parts = LocaleState<TablePart>::create()};
//   });
//
// So what this library knows nothing of can be a table: the edges of a graph
// (Database::read_graphs_by).

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/query/exec/team.hpp"
#include "grappa/query/io/column_facts.hpp"
#include "grappa/query/io/graph_file.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// What a locale has.
struct TablePart {
  std::vector<Block> blocks;
  std::vector<PartialFacts> facts;  // of its blocks; as many as columns
};

struct TableParts {
  std::vector<std::pair<std::string, Type>> columns;
  Owned<LocaleState<TablePart>> parts;
};

/// Called on the first locale, by a task that it may make switch. What it throws is the error of
/// the query.
using GraphReader = std::function<TableParts(const std::string& path, const GraphFile& file)>;

/// `make` is called on the first locale alone. By the leaders of all locales.
Table table_of_parts(const Team& team, const std::function<TableParts()>& make);

}  // namespace grappa::query
