#include "cli/graph_facts.hpp"

#include <algorithm>

#include "grappa/grappa.hpp"

namespace grappa::cli {
namespace {

// Of the vertices of this core.
GraphFacts count_here(const graph::Graph& graph) {
  const graph::Adjacency out = graph.out();
  const std::int64_t first = this_core() * graph.vertices_per_core();
  const std::int64_t last = std::min(graph.vertex_count(), first + graph.vertices_per_core());
  GraphFacts facts;
  for (std::int64_t v = first; v < last; ++v) {
    std::int64_t previous = -1;
    for (const graph::VertexId w : out.neighbors(v)) {
      if (w == v) ++facts.self_loops;
      // An undirected edge is counted at its smaller end only.
      if (w == previous && (graph.is_directed() || w >= v)) ++facts.duplicates;
      previous = w;
    }
  }
  return facts;
}

}  // namespace

GraphFacts examine(const graph::Graph& graph) {
  return reduce_cores([graph] { return count_here(graph); }, GraphFacts{},
                      [](const GraphFacts& a, const GraphFacts& b) {
                        return GraphFacts{a.self_loops + b.self_loops, a.duplicates + b.duplicates};
                      });
}

}  // namespace grappa::cli
