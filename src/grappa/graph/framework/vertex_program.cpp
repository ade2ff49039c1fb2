#include "grappa/graph/framework/vertex_program.hpp"

namespace grappa::graph::detail {

void check_source(const char* engine, const Graph& graph, VertexId source) {
  graph.require_live(engine);
  if (source != kNoVertex) graph.require_vertex(engine, source);
}

}  // namespace grappa::graph::detail
