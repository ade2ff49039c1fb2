#include "grappa/graph/framework/vertex_program.hpp"

#include <fmt/format.h>

#include "grappa/base/error.hpp"

namespace grappa::graph::detail {

void check_source(const char* engine, const Graph& graph, VertexId source) {
  graph.require_live(engine);
  if (source == kNoVertex || source < graph.vertex_count()) return;
  throw UsageError(
      fmt::format("{}: {} is not a vertex of a graph of {}", engine, source, graph.vertex_count()));
}

}  // namespace grappa::graph::detail
