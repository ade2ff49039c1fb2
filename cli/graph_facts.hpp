// What a graph is like: loops, duplicates, degrees.
//
//   GraphFacts facts = examine(graph);        // inside of a run; switches tasks
//
// Degrees count stored arcs: an undirected edge at both its ends, a self-loop once.
#pragma once

#include <cstdint>
#include <vector>

#include "grappa/graph/graph.hpp"

namespace grappa::cli {

struct DegreeStatistics {
  std::int64_t least = 0;
  double mean = 0;
  double median = 0;
  std::int64_t most = 0;
};

struct GraphFacts {
  std::int64_t self_loops = 0;
  std::int64_t duplicates = 0;           // edges that are there already
  std::int64_t isolated = 0;             // vertices without any edge
  std::vector<std::int64_t> out_degree;  // [vertices]
  std::vector<std::int64_t> in_degree;   // [vertices]; empty if undirected
};

// Directed graphs need their in-edges.
GraphFacts examine(const graph::Graph& graph);

// All 0 where there are no vertices.
DegreeStatistics statistics_of(std::vector<std::int64_t> degrees);

}  // namespace grappa::cli
