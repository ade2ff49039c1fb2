#pragma once

// How much memory a load will take, from the beginning and the size of the file.
//
//   LoadEstimate estimate = estimate_load({.path = "web.txt.gz"});
//   if (estimate.bytes > internal::usable_memory_bytes()) refuse();
//
// vertices and edges are what a header says (.mtx, .graph, .gr, .sg, .wsg, .grappa, generators,
// SNAP's "# Nodes: n Edges: m"); otherwise edges are the lines of the file, of the mean length of
// those in its first 256 KiB, and vertices a quarter of that. With these,
//   bytes = edges * (8 + 8 if weights are wanted + 24 if ids are above 32 bits or strings)
//         + vertices * 20                  names, and the index for finding them
//         + the decompressed text          gzip up to 1 GiB; otherwise 64 MiB of it; plain files 0
//
// Where vertices have 64 bits (vertex_id.hpp) the first 8 are 16, and the 20 are 32.
//
// This is loading alone: whoever builds something from the list adds that. Costs a few
// milliseconds. Errors: InputError as loading would give them for files that cannot be opened or
// have a wrong header; UsageError for a wrong generator or unknown format.

#include <cstdint>

#include "grappa/graph/load/load.hpp"

namespace grappa::graph {

struct LoadEstimate {
  bool known = false;       // false for standard input and pipes: nothing can be said
  std::uint64_t bytes = 0;  // most that is held while loading
  std::int64_t vertices = 0;
  std::int64_t edges = 0;  // as they will stand in the list
};

LoadEstimate estimate_load(GraphInput& input);
inline LoadEstimate estimate_load(const LoadOptions& options) {
  GraphInput input(options);
  return estimate_load(input);
}

}  // namespace grappa::graph
