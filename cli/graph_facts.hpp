#pragma once

// Facts about a graph besides its degrees: self-loops and duplicates.
//
//   GraphFacts facts = examine(graph);        // inside of a run; switches tasks

#include <cstdint>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::cli {

struct GraphFacts {
  std::int64_t self_loops = 0;
  std::int64_t duplicates = 0;  // edges that are there already
};

GraphFacts examine(const graph::Graph& graph);

}  // namespace grappa::cli
