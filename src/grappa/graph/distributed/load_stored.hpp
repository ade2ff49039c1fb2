#pragma once

// A graph straight from a .grappa file (io/stored_file.hpp), without a list of edges.
//
//   if (auto stored = load_stored_graph({.path = "web.grappa"}, {.in_edges = true})) use(*stored);
//   else … load_edge_parts, build_graph …
//
// Every locale reads the rows of its own vertices into the memory in which the graph keeps them,
// on all its cores, and checks them on the way, piece by piece while a piece is in the cache. They
// are copied, not mapped, on purpose. The copy runs at the speed of memory where the file is in the
// system's cache, and at that of the disk where it is not; a mapping would make every first access
// of a kernel, in whatever order it comes, a page fault of 4 KiB, and leave the graph without huge
// pages and without a place near the cores that use it; and a file that somebody shortens while the
// graph is in use would end the process. Offsets count from the first row of a locale, too, and
// with several locales are not those of the file.
//
// Nothing is returned where the file is not a plain file of that format, or the graph that is
// wanted is not the one that it holds: another direction or order of the vertices, symmetrized, or
// simplified while it has self-loops or equal edges. All that then is different is the time.
// Weights that are not wanted are not read.
//
// Called by one task, of locale 0; switches tasks. Errors: InputError where the file is damaged,
// the same whatever the number of locales; UsageError where the memory is not enough.

#include <cstdint>
#include <optional>

#include "grappa/graph/build.hpp"
#include "grappa/graph/graph.hpp"
#include "grappa/graph/io/load.hpp"
#include "grappa/graph/io/vertex_names.hpp"

namespace grappa::graph {

struct StoredGraph {
  Graph graph;
  VertexNames names;
};

std::optional<StoredGraph> load_stored_graph(const LoadOptions& options, const BuildOptions& build);

/// The memory of that graph and its names, over all locales; nothing where there is none. Called
/// anywhere.
std::optional<std::uint64_t> stored_graph_bytes(const LoadOptions& options,
                                                const BuildOptions& build);

}  // namespace grappa::graph
