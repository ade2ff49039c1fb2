#pragma once

// A graph straight from a .grappa file (stored_file.hpp), without a list of edges.
//
//   if (auto stored = load_stored_graph({.path = "web.grappa"}, {.in_edges = true})) use(*stored);
//   else use(load_edge_parts(options));      // and build_graph
//
// Every locale reads the rows of its own vertices into the memory in which the graph keeps them, on
// all its cores, and checks them piece by piece while a piece is in the cache. They are copied, not
// mapped, on purpose. The copy runs at the speed of memory if the file is in the system's cache,
// and at that of the disk if it is not. With a mapping, every first access of a kernel to a page
// would be a page fault, in whatever order, and the graph would have no huge pages and would not
// lie near the cores that use it; and if somebody shortened the file while the graph is in use, the
// process would end. Offsets count from the first row of a locale, so with several locales they are
// not those of the file.
//
// Nothing is returned if the file is not a plain file of that format, or does not hold the graph
// that is wanted: another direction or order of the vertices, symmetrized, or simplified while it
// has self-loops or equal edges. The caller then loads edges and builds, which only takes longer.
// Weights that are not wanted are not read.
//
// Called by one task, of locale 0; switches tasks. Errors: InputError if the file is damaged, the
// same whatever the number of locales; UsageError if there is not enough memory.

#include <cstdint>
#include <optional>
#include <string>

#include "grappa/graph/build/build.hpp"
#include "grappa/graph/io/vertex_names.hpp"
#include "grappa/graph/load/load.hpp"
#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

struct StoredGraph {
  Owned<Graph> graph;
  VertexNames names;
  std::string note;  // for the user; empty: nothing
};

/// `input` can be loaded otherwise if nothing is returned.
std::optional<StoredGraph> load_stored_graph(GraphInput& input, const BuildOptions& build);
inline std::optional<StoredGraph> load_stored_graph(const LoadOptions& options,
                                                    const BuildOptions& build) {
  GraphInput input(options);
  return load_stored_graph(input, build);
}

/// The memory of that graph and its names, over all locales; nothing where there is none. Called
/// anywhere.
std::optional<std::uint64_t> stored_graph_bytes(const GraphInput& input, const BuildOptions& build);

}  // namespace grappa::graph
