#pragma once

// Loading by all locales: each reads its part of a file, or generates its part of a graph.
//
//   EdgeParts list = load_edge_parts({.path = "web.txt"});
//
// The options, the remarks, the errors and the vertices' numbers are those of load_edge_list
// (load.hpp), whatever the number of locales; only which locale has which edges is not said.
//
// A plain file of text is cut at line boundaries into as many parts as there are locales, a .sg or
// .grappa by vertices. Every locale must then be able to read the file, by the same path and with
// the same content: InputError, naming the locale, otherwise. Standard input, pipes, compressed
// files and METIS are read by the locale of the caller, which gives blocks of the text to the
// others (shared_text.hpp); it loads a compressed .sg or .grappa alone. Of LDBC's two files every
// locale reads all vertices, and its part of the edges.
//
// Called by one task, of locale 0; switches tasks. Only locale 0 calls options.progress.

#include "grappa/graph/build/internal/edge_parts.hpp"
#include "grappa/graph/load/load.hpp"

namespace grappa::graph {

EdgeParts load_edge_parts(GraphInput& input);
inline EdgeParts load_edge_parts(const LoadOptions& options) {
  GraphInput input(options);
  return load_edge_parts(input);
}

}  // namespace grappa::graph
