#pragma once

// A graph of the rows of a query: GRAPH as sql:QUERY, as in
// grappa pagerank "sql:select caller, callee from 'calls.parquet'".
//
//   const graph::LoadOptions options{.path = "sql:select 1, 2", .want_weights = true};
//   if (const auto query = query_of_graph(options.path))
//     graph::EdgeList list = edges_of_query(*query, options);
//
// The first column has the sources, the second the targets, integers from 0 on or texts, which
// become the names of the vertices; a third one the weights.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/load/load.hpp"

namespace grappa::cli {

/// The query, if it is one.
std::optional<std::string_view> query_of_graph(std::string_view graph);

/// The files that its statements name, as far as there are such.
std::vector<std::string> files_of_query(std::string_view query);

/// All edges, on this locale. Of the options: `directed`, weights and the least of them. By one
/// task of a run, which it makes switch; the query is computed by all locales. UsageError for rows
/// that are no edges, and for what is wrong with the query.
graph::EdgeList edges_of_query(std::string_view query, const graph::LoadOptions& options);

}  // namespace grappa::cli
